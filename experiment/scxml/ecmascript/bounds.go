package ecmascript

import (
	"fmt"
	"strings"

	"gosmp/experiment/scxml"
)

// nesting is the content of one pair of brackets.
type nesting struct {
	arrows  int // the deepest nesting of arrow functions in parameters inside it
	closed  int // the same, for the brackets that were closed last
	curried int // arrows since the last separator

	operators int // the same for operators
}

// bounded refuses texts for which parsing or compiling would take too long or too much stack. It
// also counts brackets and arrows inside string literals and comments; real expressions stay far
// below the bounds.
func bounded(text string) error {
	if len(text) > maxText {
		return refuse("the text has %d bytes, expected at most %d", len(text), maxText)
	}
	if n := strings.Count(text, "with"); n > maxWith {
		return refuse("the text has the word with %d times, expected at most %d", n, maxWith)
	}
	stack := make([]nesting, 1, maxNesting+2)
	for i, c := range []byte(text) {
		top := &stack[len(stack)-1]
		switch c {
		case '(', '[', '{':
			if len(stack) > maxNesting {
				return refuse("brackets are nested deeper than %d levels", maxNesting)
			}
			stack = append(stack, nesting{})
		case ')', ']', '}':
			stack = closeBracket(stack)
		case ',', ';':
			top.curried, top.operators = 0, 0
		case '+', '-', '*', '/', '%', '!', '~', '&', '|', '^', '<', '>', '=', '?', ':', '`':
			if top.operators++; top.operators > maxOperators {
				return refuse("an expression has more than %d operators", maxOperators)
			}
			if c == '>' && i > 0 && text[i-1] == '=' {
				if err := top.arrow(text[:i-1]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func closeBracket(stack []nesting) []nesting {
	if len(stack) == 1 {
		return stack
	}
	inner, outer := stack[len(stack)-1], &stack[len(stack)-2]
	outer.closed = inner.arrows
	outer.arrows = max(outer.arrows, inner.arrows)
	return stack[:len(stack)-1]
}

// shape is the size of the value that results from reading a JSON text, or a text that may be JSON.
type shape struct {
	depth  int // nesting of lists and objects
	groups int // lists and objects
	values int // commas and colons, approximately the number of names and values
}

func shapeOf(text string) (s shape) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			s.groups++
			s.depth = max(s.depth, depth)
		case c == ']' || c == '}':
			depth--
		case c == ',' || c == ':':
			s.values++
		}
	}
	return s
}

// Bounds on a value that is read from a text: the engine needs up to 500 bytes for a list or an
// object that may have only two bytes in the text.
const (
	maxGroups = 500_000
	maxValues = 4_000_000
)

// readable refuses a value for which the engine would need too much memory.
func readable(v scxml.Value) error {
	if text := v.Text(); len(text) > 2*maxGroups && !v.IsXML() {
		return shapeOf(text).tooLarge()
	}
	return nil
}

// sizeOfGroup is the number of bytes, roughly, that the engine needs for a list or an object.
const sizeOfGroup = 400

// weight estimates the bytes that the engine needs for a value. Small values are so frequent that
// their shape is not examined.
func weight(text string) int {
	const small = 256
	if len(text) <= small {
		return len(text)
	}
	s := shapeOf(text)
	return len(text) + s.groups*sizeOfGroup + s.values*sizeOfValue
}

func (s shape) tooLarge() error {
	if s.groups > maxGroups || s.values > maxValues {
		return fmt.Errorf("the text has %d lists and objects and %d values, expected at most %d "+
			"and %d", s.groups, s.values, maxGroups, maxValues)
	}
	return nil
}

// arrow counts an arrow; before is the preceding text.
func (n *nesting) arrow(before string) error {
	if strings.HasSuffix(strings.TrimRight(before, " \t\r\n"), ")") {
		n.arrows = max(n.arrows, n.closed+1)
	}
	if n.curried++; n.curried > maxCurried {
		return refuse("more than %d arrow functions return each other", maxCurried)
	}
	if n.arrows > maxArrows {
		return refuse("arrow functions are nested deeper than %d levels in parameters", maxArrows)
	}
	return nil
}
