package ecmascript

import (
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
)

// The engine joins all parts of a template in one instruction, which cannot be interrupted: a long
// text that is inserted a thousand times needs all memory before it is noticed. A template with
// more than two insertions therefore becomes one of two templates, each with half of them. Each
// instruction then doubles a text at most, as the operator + does, and the scripts are stopped in
// between. Nothing else changes: the parts are evaluated in the same order, and the text of a text
// is itself.

// insertion begins an insertion into a template.
const insertion = "${"

// divideTemplates divides the templates of a tree.
func divideTemplates(tree *ast.Program, text string) {
	if strings.Count(text, insertion) <= 2 {
		return
	}
	visit(reflect.ValueOf(tree.Body), func(node ast.Node) bool {
		if t, ok := node.(*ast.TemplateLiteral); ok && t.Tag == nil && len(t.Expressions) > 2 {
			half := len(t.Expressions) / 2
			left, right := *t, *t
			left.Elements, left.Expressions = t.Elements[:half+1], t.Expressions[:half]
			right.Elements = append([]*ast.TemplateElement{nothing(t)}, t.Elements[half+1:]...)
			right.Expressions = t.Expressions[half:]
			t.Elements = []*ast.TemplateElement{nothing(t), nothing(t), nothing(t)}
			t.Expressions = []ast.Expression{&left, &right}
		}
		return false // the parts of the new templates follow
	})
}

// nothing is the empty text before, between or after insertions.
func nothing(t *ast.TemplateLiteral) *ast.TemplateElement {
	return &ast.TemplateElement{Idx: t.OpenQuote, Valid: true}
}
