package ssp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/internal/finding"
)

// wording is a possible text of a finding, as written in the source code.
type wording struct {
	place, text string
	matches     *regexp.Regexp
}

// texts specifies which argument of each reporting function is the text; bad, wrong and refuse are
// closures around them.
var texts = map[string][]int{"find": {2}, "stop": {2}, "report": {2}, "findAs": {3}, "bad": {0, 1},
	"wrong": {0}}

var verb = regexp.MustCompile(`%[a-z]`)

// sourceWordings reads the texts of all findings from the source: the constant parts of the
// reporting functions' arguments, with anything in between. variable lists the functions that
// forward a text from elsewhere.
func sourceWordings(t *testing.T) (list []wording, variable []string) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	files := token.NewFileSet()
	for _, name := range names {
		// TestCheck_ForTools has those
		if strings.HasSuffix(name, "_test.go") || name == "tools.go" {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		require.NoError(t, err)
		function := ""
		ast.Inspect(file, func(n ast.Node) bool {
			if f, is := n.(*ast.FuncDecl); is {
				function = f.Name.Name
			}
			call, is := n.(*ast.CallExpr)
			if !is || texts[called(call)] == nil {
				return true
			}
			if pattern, text := textOf(call); text != "" {
				list = append(list, wording{files.Position(call.Pos()).String(), text,
					regexp.MustCompile("^(?:not well-formed: )?" + pattern + "$")})
			} else {
				variable = append(variable, function)
			}
			return true
		})
	}
	return list, variable
}

// textOf returns the text reported by a call, in the form returned by [constant].
func textOf(call *ast.CallExpr) (pattern, text string) {
	for _, k := range texts[called(call)] {
		if k < len(call.Args) && text == "" {
			pattern, text = constant(call.Args[k])
		}
	}
	return pattern, text
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// constant returns an expression as a pattern, with its constant text, which is empty for a
// variable.
func constant(e ast.Expr) (pattern, text string) {
	switch x := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		if x.Kind != token.STRING || err != nil {
			return ".*", ""
		}
		return verb.ReplaceAllString(regexp.QuoteMeta(text), "(?s:.*)"), text
	case *ast.BinaryExpr:
		left, a := constant(x.X)
		right, b := constant(x.Y)
		return left + right, a + b
	case *ast.CallExpr:
		if called(x) == "Sprintf" {
			return constant(x.Args[0])
		}
	}
	return "(?s:.*)", ""
}

// company lists the rules whose findings inevitably accompany a text: a component without an FMU is
// a placeholder, names that collide when they are joined contain dots, and many paths need many
// levels.
var company = map[string][]string{
	"sourceBase is component, and the component has no FMU to look into": {"SSP-S3"},
	"two components are called %q when systems are joined by dots":       {"SSP-S9"},
	"too many paths through systems and signal dictionaries": {"SSP-S3", "SSP-S9",
		"SSP-E1"},
}

// shows reports whether a list contains findings with the text and otherwise only findings that
// inevitably accompany it.
func (w wording) shows(list finding.List) bool {
	met := false
	for _, f := range list {
		if w.matches.MatchString(f.Message) {
			met = true
		} else if !slices.Contains(company[w.text], f.ID) {
			return false
		}
	}
	return met
}

// TestCheck_EachWordingAlone requires, for each text that a finding can have, a mutant whose only
// findings have this text.
func TestCheck_EachWordingAlone(t *testing.T) {
	var shown []finding.List
	for _, list := range mutants(t) {
		for _, m := range list {
			_, found := m.check(t, ssp.Options{Examine: examine})
			shown = append(shown, found)
		}
	}
	for _, path := range moreMutants(t) {
		found, err := ssp.Check(path, ssp.Options{})
		require.NoError(t, err)
		require.NotEmpty(t, found)
		shown = append(shown, found)
	}
	wordings, variable := sourceWordings(t)
	require.Greater(t, len(wordings), 120)
	// find and stop themselves, and closures, whose calls are read. Only the finding about the
	// variants of a package composes its text from parts.
	require.Equal(t, []string{"find", "stop", "checkElement", "checkPackage", "variant",
		"selected"}, variable, "give the function the constant text of the finding")
	for _, w := range wordings {
		if !slices.ContainsFunc(shown, w.shows) {
			t.Errorf("%s: no mutant shows %q alone", w.place, w.text)
		}
	}
}
