package gosmp_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// limitRow is a row of the table of limits: a value and the constant that has it.
var limitRow = regexp.MustCompile(
	"(?m)^\\| [^|]+ \\| ([0-9. ]+)( [a-zA-Z]+)? \\| `(.+)\\.(\\w+)` \\|$")

// units are those of the table; times are nanoseconds.
var units = map[string]float64{"": 1, "times": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30,
	"s": 1e9, "min": 60e9}

// TestSecurity_LimitsAreThoseOfTheCode compares the numbers of SECURITY.md with the constants.
func TestSecurity_LimitsAreThoseOfTheCode(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "## Limits\n")
	require.True(t, found)
	rows := limitRow.FindAllStringSubmatch(table, -1)
	require.Equal(t, strings.Count(table, "\n| ")-1, len(rows), "a row cannot be read")
	require.Greater(t, len(rows), 40)
	for _, row := range rows {
		value, err := strconv.ParseFloat(strings.ReplaceAll(row[1], " ", ""), 64)
		require.NoError(t, err, row[0])
		unit, known := units[strings.TrimSpace(row[2])]
		require.True(t, known, row[0])
		c := constants{}
		c.read(t, row[3])
		require.InEpsilon(t, value*unit, c.value(t, row[4]), 1e-9, row[0])
	}
}

// constants are the expressions of the constants of a package, by name.
type constants map[string]ast.Expr

func (c constants) read(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, folder)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, x := range v.Values {
					c[v.Names[i].Name] = x
				}
			}
		}
	}
}

func (c constants) value(t *testing.T, name string) float64 {
	t.Helper()
	require.NotNil(t, c[name], "SECURITY.md names a constant that the code lacks: %s", name)
	v, _ := constant.Float64Val(constant.ToFloat(c.evaluate(t, c[name])))
	return v
}

// evaluate computes an expression of numbers, constants of the package and units of time.
func (c constants) evaluate(t *testing.T, x ast.Expr) constant.Value {
	t.Helper()
	switch x := x.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(x.Value, x.Kind, 0)
	case *ast.ParenExpr:
		return c.evaluate(t, x.X)
	case *ast.Ident:
		return c.evaluate(t, c[x.Name])
	case *ast.SelectorExpr:
		ns, known := map[string]int64{"Millisecond": 1e6, "Second": 1e9, "Minute": 60e9,
			"Hour": 3600e9}[x.Sel.Name]
		require.True(t, known, x.Sel.Name)
		return constant.MakeInt64(ns)
	case *ast.BinaryExpr:
		left, right := c.evaluate(t, x.X), c.evaluate(t, x.Y)
		if x.Op == token.SHL {
			bits, exact := constant.Uint64Val(right)
			require.True(t, exact)
			return constant.Shift(left, token.SHL, uint(bits))
		}
		return constant.BinaryOp(left, x.Op, right)
	}
	require.Fail(t, "an expression of another kind")
	return nil
}
