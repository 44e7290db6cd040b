package ecmascript

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

// Bounds on patterns, which the engine compiles in one instruction: it repeats what is counted, and
// lists both cases of each letter in a class.
const (
	maxPattern  = 16 << 10 // bytes
	maxRepeated = 100_000  // parts of a pattern in which each part is repeated as often as counted
)

// bearable refuses a pattern that takes too much memory to compile.
func bearable(pattern string) error {
	if len(pattern) > maxPattern {
		return refuse("a pattern has %d bytes, expected at most %d", len(pattern), maxPattern)
	}
	if n := repeated(pattern); n > maxRepeated {
		return refuse("the counts in the pattern %.40q repeat %.0f parts, expected at most %d",
			pattern, n, maxRepeated)
	}
	return nil
}

var counted = regexp.MustCompile(`^\{(\d{1,9})(?:,(\d{0,9}))?\}`)

// repeated estimates the number of parts of a pattern after repetition.
func repeated(pattern string) float64 {
	if !strings.Contains(pattern, "{") {
		return 0
	}
	groups := []float64{0} // their sizes so far, the current one last
	last := 0.0            // size of the part before the current character
	add := func(n float64) { groups[len(groups)-1] += n; last = n }
	for i := 0; i < len(pattern); i++ {
		top := len(groups) - 1
		switch c := pattern[i]; {
		case c == '\\':
			i++
			add(1)
		case c == '[':
			i += max(strings.IndexByte(pattern[i+1:], ']'), 0)
			add(1)
		case c == '(':
			groups = append(groups, 0)
		case c == ')' && top > 0:
			n := groups[top] + 1
			groups = groups[:top]
			add(n)
		case c == '{':
			if m := counted.FindStringSubmatch(pattern[i:]); m != nil {
				add(float64(last * float64(times(m))))
				i += len(m[0]) - 1
				continue
			}
			add(1)
		default:
			add(1)
		}
	}
	all := 0.0
	for _, n := range groups {
		all += n
	}
	return all
}

// times returns the larger one of the numbers of a count.
func times(match []string) int {
	low, _ := strconv.Atoi(match[1])
	high, _ := strconv.Atoi(match[2])
	return max(low, high)
}

// bearableIn refuses code with such a pattern.
func bearableIn(tree *ast.Program) (err error) {
	visit(reflect.ValueOf(tree.Body), func(node ast.Node) bool {
		if p, ok := node.(*ast.RegExpLiteral); ok && err == nil {
			err = bearable(p.Pattern)
		}
		return err != nil
	})
	return err
}

// withPattern replaces a method whose first argument may be the text of a pattern, unless it is an
// object that has a method of its own for it.
func (m *model) withPattern(own *goja.Symbol) substitute {
	return func(call native, this goja.Value, arguments []goja.Value) goja.Value {
		if len(arguments) > 0 && isObject(arguments[0]) && !isPattern(arguments[0]) {
			o := arguments[0].ToObject(m.vm)
			if f, ok := goja.AssertFunction(o.GetSymbol(own)); ok {
				v, err := f(o, this)
				must(err)
				return v
			}
		}
		m.bearable(arguments)
		return call(this, arguments)
	}
}

func isPattern(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && o.ClassName() == "RegExp"
}

// bearable throws for the text of a pattern that takes too much memory to compile. It converts the
// text, so that the engine sees the same one.
func (m *model) bearable(arguments []goja.Value) {
	if len(arguments) == 0 || goja.IsUndefined(arguments[0]) {
		return
	}
	if isPattern(arguments[0]) {
		return // its own text was examined
	}
	arguments[0] = arguments[0].ToString() // null and symbols stay as they are
	if err := bearable(arguments[0].String()); err != nil {
		panic(m.refused(err))
	}
}
