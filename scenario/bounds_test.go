package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// declaring returns a scenario with declarations of parameters.
func declaring(t *testing.T, declarations ...string) *Document {
	t.Helper()
	d, err := Parse("grow.xosc", []byte(`<OpenSCENARIO><FileHeader revMajor="1" revMinor="2" `+
		`date="2026-01-01T00:00:00" description="d" author="a"/><ParameterDeclarations>`+
		strings.Join(declarations, "\n")+`</ParameterDeclarations><CatalogLocations/>`+
		`<RoadNetwork/><Entities/><Storyboard><Init><Actions/></Init><StopTrigger/></Storyboard>`+
		`</OpenSCENARIO>`))
	require.NoError(t, err)
	return d
}

func declared(name, value string) string {
	return fmt.Sprintf(`<ParameterDeclaration name=%q parameterType="string" value=%q/>`, name,
		value)
}

// TestResolve_TextsThatDouble: a text that each parameter doubles does not grow without bound.
func TestResolve_TextsThatDouble(t *testing.T) {
	list := []string{declared("p0", "some text")}
	for k := range 60 {
		list = append(list, declared(fmt.Sprintf("p%d", k+1), fmt.Sprintf("${$p%d + $p%d}", k, k)))
	}
	_, err := declaring(t, list...).Resolve(nil)
	require.ErrorIs(t, err, ErrOperand)
	require.ErrorContains(t, err, "grow.xosc:14:")
	require.ErrorContains(t, err, "found a text of 73728 bytes at character 6, expected at most "+
		"64 KiB")
}

// TestResolve_ManyLongTexts: the texts that all expressions create are bounded together. This is
// reported once.
func TestResolve_ManyLongTexts(t *testing.T) {
	const size = 60 << 10
	list := []string{declared("p", strings.Repeat("x", size))}
	for k := range maxMade/size + 10 {
		list = append(list, declared(fmt.Sprintf("q%d", k), "${$p + x}"))
	}
	_, failures := declaring(t, list...).ResolveAll(nil)
	require.Len(t, failures, 1)
	require.ErrorContains(t, failures[0],
		"found expressions that create texts of more than 64 MB, expected shorter texts")
}

// TestResolve_ManyElements: the elements of a scenario count together with what is copied from
// catalogs. This is reported once.
func TestResolve_ManyElements(t *testing.T) {
	d := declaring(t)
	s := &Scenario{File: d.File, Version: d.Version}
	for left, failures := range map[int]int{100: 0, 3: 1} {
		r := &resolver{scenario: s, grammar: d.Version.grammar(),
			catalogs: &library{file: d.File}, elements: maxElements - left}
		r.element(d.Root, nil, given{})
		require.Len(t, r.failures, failures)
		for _, err := range r.failures {
			require.ErrorContains(t, err, "found more than 1048576 elements with the entries of "+
				"catalogs, expected fewer; an entry is copied wherever it is referred to")
		}
	}
}
