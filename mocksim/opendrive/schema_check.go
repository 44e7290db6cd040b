package opendrive

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/finding"
	"gosmp/internal/similar"
)

// schemaWalk compares a document with the schema of its version, element by element as it is read.
type schemaWalk struct {
	notes   *notes
	version versions // 0 until the header was read; nothing is compared before
	minor   int
	open    []schemaFrame
	inside  string         // such as "road 5": the current position
	known   map[string]int // the index of the note, by finding
}

// schemaFrame is an element that has started but not ended.
type schemaFrame struct {
	name     string
	element  *schemaElement // nil: not in the schema, like everything in it
	line     int
	position int   // the position of the last child
	added    bool  // additional data was found
	counts   []int // the number of children of each kind
	last     int   // 1 + the kind of the last child that is a record, or 0
	at       float64
}

// additional lists the elements that may occur anywhere with any content.
var additional = [...]string{"userData", "include", "dataQuality"}

// begin compares an element with the content that its parent allows. It takes a few hundred
// nanoseconds.
func (w *schemaWalk) begin(e *element, line int) {
	name := e.name
	if len(w.open) == 0 {
		if e.space != "" {
			w.report(line, "X-SCHEMA-NAMESPACE", finding.Note,
				fmt.Sprintf("elements in the namespace %s; the standard defines none",
					clipText(e.space)), "remove xmlns: strict readers refuse the file")
		}
		w.push(name, schema(), line)
		return
	}
	parent := &w.open[len(w.open)-1]
	if parent.element == nil || slices.Contains(additional[:], name) {
		parent.added = true
		w.push(name, nil, line)
		return
	}
	child, index := parent.element.child(name)
	if child == nil {
		w.unknown(parent, name, line)
		w.push(name, nil, line)
		return
	}
	if len(w.open) == 1 {
		w.enter(e)
	}
	if w.version != 0 && !w.place(parent, child, index, line) {
		w.push(name, nil, line)
		return
	}
	if w.version != 0 {
		w.attributes(child, e, line)
		w.ascending(parent, index, e, line)
	}
	if slices.Contains(unevaluated, name) || parent.name == "junction" &&
		slices.Contains(unevaluatedInJunctions, name) {
		w.leaveOut(line, name, parent.name)
	}
	w.push(name, child.element, line)
}

// text reports text in an element that contains only elements. It would be ignored, even if it
// hides elements, as in a CDATA section.
func (w *schemaWalk) text(text string, line int) {
	if len(w.open) == 0 {
		return
	}
	in := &w.open[len(w.open)-1]
	if in.element == nil || in.name == "geoReference" {
		return
	}
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	w.report(line, "X-SCHEMA-ELEMENT", finding.Warning,
		fmt.Sprintf("the text %.40q in %s is ignored", text, in.name),
		"remove it; elements must not be in a CDATA section")
}

func (w *schemaWalk) push(name string, e *schemaElement, line int) {
	f := schemaFrame{name: name, element: e, line: line}
	if n := len(w.open); n < cap(w.open) { // reuse memory allocated by an earlier element
		f.counts = w.open[:n+1][n].counts[:0]
	}
	if e != nil {
		f.counts = slices.Grow(f.counts, len(e.children))[:len(e.children)]
		clear(f.counts)
	}
	w.open = append(w.open, f)
}

// enter records the current road, junction or other child of the root.
func (w *schemaWalk) enter(e *element) {
	w.inside = e.name
	for _, a := range e.attrs {
		if a.Name.Local == "id" {
			w.inside += " " + clipText(a.Value)
		}
	}
	if e.name == "header" {
		w.choose(e)
	}
}

// choose sets the version from the attributes of the header.
func (w *schemaWalk) choose(e *element) {
	w.minor = lastMinor
	for _, a := range e.attrs {
		if minor, err := strconv.Atoi(strings.TrimSpace(a.Value)); a.Name.Local == "revMinor" &&
			err == nil {
			w.minor = minor
		}
	}
	w.version = version(w.minor)
}

// end reports what is missing in an element.
func (w *schemaWalk) end() {
	f := &w.open[len(w.open)-1]
	if f.element != nil && w.version != 0 {
		for k := range f.element.children {
			c := &f.element.children[k]
			if c.needed&c.in&w.version != 0 && f.counts[k] == 0 {
				severity := finding.Warning
				if c.name == "road" { // nothing else in this map can be checked
					severity = finding.Error
				}
				w.report(f.line, "X-SCHEMA-CHILD", severity,
					fmt.Sprintf("%s without %s, which OpenDRIVE %s requires",
						f.name, c.name, w.version), "add it")
			}
		}
	}
	w.open = w.open[:len(w.open)-1]
}

// place compares the position and the number of an element with what its parent allows; ok is false
// for an element from another version.
func (w *schemaWalk) place(parent *schemaFrame, c *schemaChild, index, line int) (ok bool) {
	name := c.name
	switch {
	case c.in&w.version == 0:
		w.report(line, "X-SCHEMA-ELEMENT", finding.Warning,
			fmt.Sprintf("%s in %s belongs to OpenDRIVE %s, the map has version 1.%d",
				name, parent.name, c.in, w.minor), "correct revMinor or remove it")
		return false
	case c.position < parent.position, parent.added && !c.late:
		w.report(line, "X-SCHEMA-ORDER", finding.Warning,
			fmt.Sprintf("%s in %s is after elements that have to follow it", name, parent.name),
			"put the elements into the standard order")
	default:
		parent.position = c.position
	}
	if parent.counts[index]++; parent.counts[index] == 2 && c.single&w.version != 0 {
		w.report(line, "X-SCHEMA-CHILD", finding.Warning, fmt.Sprintf("a second %s in %s", name,
			parent.name), "keep one of them")
	}
	w.choice(parent, c, index, line)
	return true
}

// choice reports an element next to one that it excludes.
func (w *schemaWalk) choice(parent *schemaFrame, c *schemaChild, index, line int) {
	for k := range parent.element.children {
		other := &parent.element.children[k]
		if k != index && other.position == c.position && (c.instead || other.instead) &&
			parent.counts[k] > 0 {
			w.report(line, "X-SCHEMA-CHILD", finding.Error,
				fmt.Sprintf("%s next to %s in one %s", c.name, other.name, parent.name),
				"keep one of them")
		}
	}
}

func (w *schemaWalk) unknown(parent *schemaFrame, name string, line int) {
	var names []string
	for k := range parent.element.children {
		names = append(names, parent.element.children[k].name)
	}
	w.report(line, "X-SCHEMA-ELEMENT", finding.Warning,
		fmt.Sprintf("%s in %s is unknown and ignored", clipText(name), parent.name),
		remedy(name, names, "put it into userData"))
}

// remedy suggests a similar name, if there is one.
func remedy(name string, names []string, otherwise string) string {
	if hint := similar.Hint(name, names); hint != "" {
		return hint
	}
	return otherwise
}

// attributes compares the attributes of an element with the allowed attributes.
func (w *schemaWalk) attributes(c *schemaChild, start *element, line int) {
	for _, a := range start.attrs {
		if a.Name.Space != "" || a.Name.Local == "xmlns" {
			continue
		}
		if known := c.element.attribute(a.Name.Local, w.version); known == nil {
			w.strange(c, a.Name.Local, line)
		} else if !known.fits(a.Value, w.version) {
			w.value(c, known, a.Value, line)
		}
	}
	w.missing(c, start, line)
}

// essential lists the attributes without which the meaning of an element is unclear. Other
// attributes that a schema requires have an obvious value if they are missing, such as 0 for the
// higher coefficients.
var essential = strings.Fields("id type s x y hdg length a curvature curvStart curvEnd pRange " +
	"aU bU cU dU aV bV cV dV from to fromLane toLane elementId signalId roadId max restriction " +
	"junction high low")

// missing reports the required attributes that an element lacks: as a warning if their value is
// obvious, or if later versions do not require them.
func (w *schemaWalk) missing(c *schemaChild, start *element, line int) {
	var names []string
	severity := finding.Warning
	attributes := c.element.attributes()
	for k := range attributes {
		a := &attributes[k]
		if a.required&w.version == 0 || slices.ContainsFunc(start.attrs,
			func(x xml.Attr) bool { return x.Name.Local == a.name }) {
			continue
		}
		names = append(names, a.name)
		if !slices.Contains(essential, a.name) {
			continue
		}
		if later := c.element.attribute(a.name, version(lastMinor)); later == nil ||
			later.required&version(lastMinor) != 0 {
			severity = finding.Error
		}
	}
	if len(names) > 0 {
		w.report(line, "X-SCHEMA-REQUIRED", severity,
			fmt.Sprintf("%s without %s, which OpenDRIVE %s requires",
				c.name, strings.Join(names, ", "), w.version), "add it")
	}
}

// attribute returns the attribute with that name in a version, or nil if there is none.
func (e *schemaElement) attribute(name string, in versions) *schemaAttribute {
	attributes := e.attributes()
	for k := range attributes {
		if a := &attributes[k]; a.name == name && a.in&in != 0 {
			return a
		}
	}
	return nil
}

// strange reports an attribute that the version does not have.
func (w *schemaWalk) strange(c *schemaChild, name string, line int) {
	e := c.element
	if e.attribute(name, allVersions) != nil {
		w.report(line, "X-SCHEMA-ATTRIBUTE", finding.Warning,
			fmt.Sprintf("%s of %s belongs to OpenDRIVE %s, the map has version 1.%d",
				name, c.name, e.having(name), w.minor), "correct revMinor or remove it")
		return
	}
	var names []string
	attributes := e.attributes()
	for k := range attributes {
		names = append(names, attributes[k].name)
	}
	w.report(line, "X-SCHEMA-ATTRIBUTE", finding.Warning,
		fmt.Sprintf("%s of %s is unknown and ignored", clipText(name), c.name),
		remedy(name, names, "put it into userData"))
}

// having returns the versions in which an element has an attribute.
func (e *schemaElement) having(name string) (in versions) {
	attributes := e.attributes()
	for k := range attributes {
		if attributes[k].name == name {
			in |= attributes[k].in
		}
	}
	return in
}

// value reports a value that does not have the type of its attribute: as a warning if another
// version knows the value, if it is another word for a Boolean, or if a code is empty.
func (w *schemaWalk) value(c *schemaChild, a *schemaAttribute, value string, line int) {
	var expected, values []string
	other, coded := c.element.coding(a.name, value), false
	for k := range a.kinds {
		t := &a.kinds[k]
		coded = coded || t.letters > 0
		expected = append(expected, t.describe(w.version)...)
		if t.list != nil {
			other |= t.list[value]
			values = append(values, t.describe(w.version)...)
		}
	}
	slices.Sort(expected)
	message := fmt.Sprintf("%s of %s is %q, expected %s", a.name, c.name, clipText(value),
		strings.Join(expected, ", "))
	severity, cure := finding.Error, remedy(value, values, "correct it")
	switch {
	case other != 0:
		severity, cure = finding.Warning, fmt.Sprintf("this value belongs to OpenDRIVE %s", other)
	case coded && value == "":
		severity, cure = finding.Warning, "remove the attribute, or write a code"
	case slices.Equal(expected, []string{"false", "true"}) && (value == "0" || value == "1"):
		severity, cure = finding.Warning, fmt.Sprintf("write %q", expected[value[0]-'0'])
	}
	w.report(line, "X-SCHEMA-VALUE", severity, message, cure)
}

// coding returns the versions in which a value is a code that an attribute may have.
func (e *schemaElement) coding(name, value string) (in versions) {
	attributes := e.attributes()
	for k := range attributes {
		a := &attributes[k]
		for i := range a.kinds {
			if t := &a.kinds[i]; a.name == name && t.letters > 0 && t.fits(value, a.in) {
				in |= a.in
			}
		}
	}
	return in
}

// unevaluated lists the elements that the simulator ignores, apart from elements with their own
// rules: X-SURFACE, X-INCLUDE, X-VIRTUAL.
var unevaluated = []string{"tunnel", "bridge", "switch", "CRG", "objectReference", "staticBoard",
	"vmsBoard",
	"positionInertial", "positionRoad", "crossPath", "elevationGrid", "station", "sway",
	"semantics", "markings", "borders", "skeleton"}

// unevaluatedInJunctions lists the elements that the simulator ignores in junctions only.
var unevaluatedInJunctions = []string{"objects", "planView", "boundary", "roadSection"}

// leaveOut records an element that is not evaluated.
func (w *schemaWalk) leaveOut(line int, name, parent string) {
	n := len(*w.notes)
	w.report(line, "X-NOT-EVALUATED", finding.Note, name+" in "+parent+" is not evaluated", "")
	if len(*w.notes) > n {
		(*w.notes)[n].out = true
	}
}

// report records a finding; repeated findings at other places are only counted.
func (w *schemaWalk) report(line int, rule string, severity finding.Severity, message,
	remedy string) {
	if w.known == nil {
		w.known = map[string]int{}
	}
	if k, ok := w.known[message]; ok {
		(*w.notes)[k].again++
		return
	}
	if len(*w.notes) < maxNotes {
		w.known[message] = len(*w.notes)
		*w.notes = append(*w.notes, note{line: line, object: w.inside, rule: rule,
			severity: severity, message: message, remedy: remedy})
	}
}
