package rulepage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// remedies returns the remedies in the code of a sheet for each id: in a call or a composite
// literal with the id and several texts, the last text is the remedy.
func remedies(root string, s *Sheet) (map[string][]string, error) {
	all := map[string][]string{}
	err := s.walk(root, func(name, text string) error {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name,
			"cmd/") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			return err
		}
		constants := constantsOf(file)
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.CallExpr:
				s.advise(all, x.Args, constants)
			case *ast.CompositeLit:
				s.advise(all, x.Elts, constants)
			}
			return true
		})
		return nil
	})
	return all, err
}

// constantsOf returns the string constants of a file, such as SX01 = "SX01".
func constantsOf(file *ast.File) map[string]string {
	all := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is && len(spec.Names) == len(spec.Values) {
			for k, name := range spec.Names {
				if text, ok := literal(spec.Values[k], nil); ok {
					all[name.Name] = text
				}
			}
		}
		return true
	})
	return all
}

func (s *Sheet) advise(all map[string][]string, arguments []ast.Expr, constants map[string]string) {
	id, last := "", ""
	for k, x := range arguments {
		text, ok := literal(x, constants)
		switch {
		case ok && id == "" && s.isID(text):
			id = text
		case ok && id != "" && k == len(arguments)-1:
			last = text
		}
	}
	if id != "" && last != "" && !slices.Contains(all[id], last) {
		all[id] = append(all[id], last)
	}
}

func (s *Sheet) isID(text string) bool {
	rest, has := strings.CutPrefix(text, s.prefix)
	return has && s.ids.MatchString(rest)
}

// literal returns the text of an expression: a literal, a constant of the file, or a constant of
// another package that has the name of an id.
func literal(x ast.Expr, constants map[string]string) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			text, err := strconv.Unquote(x.Value)
			return text, err == nil
		}
	case *ast.Ident:
		text, ok := constants[x.Name]
		if !ok && strings.HasPrefix(x.Name, "SX") {
			return x.Name, true
		}
		return text, ok
	case *ast.SelectorExpr:
		return x.Sel.Name, strings.HasPrefix(x.Sel.Name, "SX")
	}
	return "", false
}

// Reported returns the ids that occur in the code of a sheet, except ids that are English words.
func (s *Sheet) Reported(root string) (ids []string, err error) {
	if s.plain && s.prefix == "" {
		return nil, nil
	}
	err = s.walk(root, func(name, text string) error {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name,
			"cmd/") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if x, is := n.(*ast.BasicLit); is {
				if id, ok := literal(x, nil); ok && s.isID(id) &&
					!strings.ContainsAny(id[len(id)-1:], ".- ") &&
					!slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
			return true
		})
		return nil
	})
	return ids, err
}
