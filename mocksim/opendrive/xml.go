package opendrive

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/xmltext"
)

// reader walks through an XML document element by element, without keeping earlier elements. The
// first error ends the walk: after that, no element is found and every number is 0.
type reader struct {
	file  string
	xml   *xmltext.Scanner
	open  []*element // elements that have started but not ended, followed by elements for reuse
	depth int        // number of elements that have not ended
	err   error
	notes notes
	walk  schemaWalk
	tiny  []Geometry // of the road, which are too short to be kept
}

// element is the start tag of an XML element.
type element struct {
	r     *reader
	name  string // without its namespace
	space string // its namespace
	attrs []xml.Attr
	line  int
}

// maxDepth limits the nesting of elements: OpenDRIVE needs ten levels, and vendors' userData needs
// a few more.
const maxDepth = 200

// fail keeps the first error. rule is the id of the rule in the list of [Map.Check].
func (r *reader) fail(line int, rule, found, expected string) {
	if r.err == nil {
		r.err = fault.New(ErrMap, fault.Line(r.file, line), found, expected).
			WithHint("rule " + rule + " of gosmp check")
	}
}

// maxBytes limits the size of a map, because a map is read as a whole.
const maxBytes = 1 << 30

// begin reads a document into memory.
func (r *reader) begin(from io.Reader) {
	var text strings.Builder
	if f, is := from.(interface{ Stat() (fs.FileInfo, error) }); is {
		if info, err := f.Stat(); err == nil {
			text.Grow(int(min(max(info.Size(), 0), maxBytes) + 1))
		}
	}
	n, err := io.Copy(&text, io.LimitReader(from, maxBytes+1))
	if err != nil {
		r.err = fault.Wrap(ErrMap, fault.In(r.file), err)
	} else if n > maxBytes {
		r.fail(1, "X-XML", fmt.Sprintf("more than %d MiB", maxBytes>>20), "a smaller map")
	}
	r.xml = xmltext.NewScanner(text.String())
}

// next finds the next token; ok is false at the end of the file and after an error.
func (r *reader) next() (kind xmltext.Kind, ok bool) {
	if r.err != nil {
		return 0, false
	}
	kind, err := r.xml.Next()
	if err != nil {
		r.stop(err)
		return 0, false
	}
	switch kind {
	case xmltext.Start:
		if r.depth++; r.depth > maxDepth {
			r.fail(r.line(), "X-XML", "elements nested more than "+strconv.Itoa(maxDepth)+" deep",
				"an OpenDRIVE map")
			return 0, false
		}
		r.walk.begin(r.enter(), r.line())
	case xmltext.End:
		r.walk.end()
		r.depth--
	case xmltext.Text:
		r.walk.text(r.xml.Text, r.line())
	}
	return kind, true
}

// line returns the line on which the start tag ends.
func (r *reader) line() int {
	line, _ := r.xml.InputPos()
	return line
}

// enter returns the element that just started. It is valid until the next one at the same depth.
func (r *reader) enter() *element {
	for len(r.open) < r.depth {
		r.open = append(r.open, &element{r: r})
	}
	e := r.open[r.depth-1]
	e.name, e.space, e.line = r.xml.Name.Local, r.xml.Name.Space, r.line()
	e.attrs = append(e.attrs[:0], r.xml.Attributes...)
	return e
}

func (r *reader) stop(err error) {
	var (
		syntax   *xml.SyntaxError
		encoding *xmltext.Error
	)
	line, _ := r.xml.InputPos()
	switch {
	case errors.Is(err, io.EOF):
	case errors.As(err, &syntax):
		r.fail(syntax.Line, "X-XML", syntax.Msg, "well-formed XML")
	case errors.As(err, &encoding):
		r.fail(line, "X-XML", encoding.Found(), encoding.Expected())
	default:
		r.err = fault.Wrap(ErrMap, fault.Line(r.file, line), err)
	}
}

// each calls do for every child of the element found last. It skips any part of a child that do
// does not read.
func (r *reader) each(do func(e *element)) {
	for {
		kind, ok := r.next()
		if !ok || kind == xmltext.End {
			return
		}
		if kind != xmltext.Start {
			continue
		}
		inside := r.depth
		do(r.open[inside-1])
		for r.depth >= inside {
			if _, ok := r.next(); !ok {
				return
			}
		}
	}
}

// text returns the text of the element that was found last.
func (r *reader) text() string {
	var b strings.Builder
	for inside := r.depth; r.depth >= inside; {
		kind, ok := r.next()
		if !ok {
			break
		}
		if kind == xmltext.Text {
			b.WriteString(r.xml.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

// lookup returns the value of an attribute; ok is false if it is absent.
func (e *element) lookup(name string) (value string, ok bool) {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// string returns the value of an attribute, or "" if it is absent. The string does not keep the
// document in memory.
func (e *element) string(name string) string {
	value, _ := e.lookup(name)
	return strings.Clone(value)
}

// number returns the number in an attribute, or 0 if it is absent.
func (e *element) number(name string) float64 {
	text, ok := e.lookup(name)
	if !ok {
		return 0
	}
	x, err := decimal.Float(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		e.r.fail(e.line, "X-NUMBER", e.name+" with "+name+`="`+clipText(text)+`"`,
			"a finite number")
		return 0
	}
	return x
}

// needed returns the number in an attribute without which the element has no meaning.
func (e *element) needed(name string) float64 {
	if _, ok := e.lookup(name); !ok {
		e.r.fail(e.line, "X-NUMBER", e.name+" without "+name, "a number")
	}
	return e.number(name)
}

// parseWhole reads a whole number as [element.integer] does.
func parseWhole(text string) (int, error) {
	x, err := decimal.Float(strings.TrimSpace(text), 64)
	if err == nil && (x != math.Trunc(x) || math.Abs(x) > 1e9) {
		err = strconv.ErrRange
	}
	return int(x), err
}

// Limits on the numbers that determine the amount of work for a map. They are far beyond any road
// on earth.
const (
	maxPlace     = 1e9 // m from the origin
	maxLength    = 1e6 // m of a road or geometry
	maxCurvature = 1e3 // 1/m
	maxHeight    = 1e5 // m, for values that vary along a road
	maxLanes     = 256 // of a section; its lanes are compared with each other
	maxTurn      = 200 // rad of an arc or a spiral, which is integrated turn by turn
)

// within returns the number in an attribute, whose absolute value must not exceed most.
func (e *element) within(name string, most float64) float64 {
	x := e.number(name)
	if math.Abs(x) > most {
		e.r.fail(e.line, "X-NUMBER", e.name+" with "+name+`="`+clipText(e.string(name))+`"`,
			"at most "+strconv.FormatFloat(most, 'f', -1, 64))
		return 0
	}
	return x
}

// neededWithin returns a number as needed does; its absolute value must not exceed most.
func (e *element) neededWithin(name string, most float64) float64 {
	_ = e.needed(name) // reports that it is missing
	return e.within(name, most)
}

// integer returns the whole number in an attribute, or 0 if it is absent.
func (e *element) integer(name string) int {
	x := e.number(name)
	if x != math.Trunc(x) || math.Abs(x) > 1e9 {
		e.r.fail(e.line, "X-NUMBER", e.name+" with "+name+`="`+clipText(e.string(name))+`"`,
			"a whole number")
		return 0
	}
	return int(x)
}

// flag returns true for "true" and "1".
func (e *element) flag(name string) bool {
	value := e.string(name)
	return value == "true" || value == "1"
}

// contact reads the attribute contactPoint; the default is the start.
func (e *element) contact() ContactPoint {
	if e.string("contactPoint") == "end" {
		return AtEnd
	}
	return AtStart
}

// clipText keeps messages short, whatever a file contains.
func clipText(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}
