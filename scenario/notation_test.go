package scenario

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrammar_IsComplete reads every definition of every version: each element and attribute in it
// has a type that the version defines.
func TestGrammar_IsComplete(t *testing.T) {
	begins := regexp.MustCompile(`(?m)^(\w+) (1\.\d) `).FindAllStringSubmatch(grammarText, -1)
	for _, version := range Versions {
		g := version.grammar()
		for _, line := range begins {
			defined := g.types[line[1]] != nil || g.enums[line[1]] != nil
			require.True(t, defined || line[2] > version.String(), "%s %s", version, line[0])
		}
		for kind := range g.types {
			for _, a := range g.typeOf(kind).attributes {
				if g.enums[a.kind] == nil {
					require.Contains(t, basicTypes, a.kind, "%s %s.%s", version, kind, a.name)
				}
			}
			checkParticle(t, g, g.typeOf(kind).content)
		}
		for name := range g.enums {
			values, is := g.enum(name)
			require.True(t, is)
			require.NotEmpty(t, values, name)
		}
	}
	require.Nil(t, Versions[0].grammar().typeOf("Monitor"))
}

// basicTypes are the types of attributes that grammar.txt does not define.
var basicTypes = []string{"Boolean", "DateTime", "Double", "Int", "String", "UnsignedInt",
	"UnsignedShort", "ParameterType", "Text"}

func checkParticle(t *testing.T, g *grammar, p *particle) {
	t.Helper()
	if p == nil {
		return
	}
	if p.form == single {
		require.NotNil(t, g.typeOf(p.kind), p.kind)
		require.LessOrEqual(t, p.min, p.max)
	}
	for _, part := range p.parts {
		checkParticle(t, g, part)
	}
}
