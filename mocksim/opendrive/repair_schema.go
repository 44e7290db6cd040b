package opendrive

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/similar"
	"gosmp/internal/xmledit"
)

// schemaRepair compares a document with the schema of its version and corrects it.
type schemaRepair struct {
	*repair
	version versions
	inside  string // the road, junction or other child of the root
}

// schema corrects words, missing zeros, the order of elements, and elements without content.
func (r *repair) schema() {
	s := &schemaRepair{repair: r, version: version(r.m.Header.Minor)}
	for _, e := range slices.Clone(r.doc.Root.Children()) {
		if c, _ := schema().child(e.Name); c != nil {
			s.inside = e.Name
			if id := e.Get("id"); id != "" {
				s.inside += " " + clipText(id)
			}
			s.element(e, c)
		}
	}
	s.inside = "OpenDRIVE"
	s.sort(r.doc.Root, schema())
}

func (s *schemaRepair) element(e *xmledit.Element, c *schemaChild) {
	if c.in&s.version == 0 {
		return
	}
	s.attributes(e, c)
	for _, child := range slices.Clone(e.Children()) {
		if known, _ := c.element.child(child.Name); known != nil &&
			!slices.Contains(additional[:], child.Name) {
			s.element(child, known)
		}
	}
	s.sort(e, c.element)
	s.content(e, c)
}

// sort puts the children of an element into the order of the schema, with additional data at the
// end, where it is allowed.
func (s *schemaRepair) sort(e *xmledit.Element, of *schemaElement) {
	position := func(e *xmledit.Element) float64 {
		if slices.Contains(additional[:], e.Name) {
			return 1e6
		}
		c, _ := of.child(e.Name)
		switch {
		case c == nil:
			return math.Inf(1)
		case c.late:
			return 1e6 + float64(c.position)
		}
		return float64(c.position)
	}
	if slices.ContainsFunc(e.Children(), func(c *xmledit.Element) bool {
		return math.IsInf(position(c), 1)
	}) {
		return // the position of an unknown element is unknown
	}
	for _, c := range e.Sort(position) {
		s.change("X-SCHEMA-ORDER", s.inside, "moved "+c.Name+" of "+e.Name+
			" to its place in the order of the standard", c)
	}
}

// content adds the lane 0 that a section needs, and removes optional elements that state nothing
// and lack their required content.
func (s *schemaRepair) content(e *xmledit.Element, c *schemaChild) {
	for k := range c.element.children {
		need := &c.element.children[k]
		if need.needed&need.in&s.version == 0 || e.Child(need.name) != nil {
			continue
		}
		switch {
		case e.Name == "laneSection" && need.name == "center":
			at := slices.IndexFunc(e.Children(), func(x *xmledit.Element) bool {
				return x.Name != "left"
			})
			if at < 0 {
				at = len(e.Children())
			}
			e.Insert(at, "center").Append("lane", "id", "0", "type", "none")
			s.change("X-LANE-IDS", s.inside, "added lane 0", e)
		case c.needed&s.version == 0 && len(e.Children())+len(e.Attributes()) == 0:
			s.change("X-SCHEMA-CHILD", s.inside, "removed "+e.Name+", which has no "+need.name, e)
			e.Remove()
			return
		}
	}
}

func (s *schemaRepair) attributes(e *xmledit.Element, c *schemaChild) {
	for _, a := range slices.Clone(e.Attributes()) {
		if a.Name.Space != "" || a.Name.Local == "xmlns" {
			continue
		}
		if known := c.element.attribute(a.Name.Local, s.version); known == nil {
			s.rename(e, c, a.Name.Local, a.Value)
		} else if !known.fits(a.Value, s.version) {
			s.value(e, known, a.Value)
		}
	}
	s.zeros(e, c)
}

// rename corrects the name of an attribute that does not exist in any version of the standard.
func (s *schemaRepair) rename(e *xmledit.Element, c *schemaChild, name, value string) {
	if c.element.attribute(name, allVersions) != nil {
		return
	}
	var names []string
	attributes := c.element.attributes()
	for k := range attributes {
		if a := &attributes[k]; a.in&s.version != 0 {
			names = append(names, a.name)
		}
	}
	meant, ok := meantBy(name, names)
	if _, taken := e.Attribute(meant); !ok || taken ||
		!c.element.attribute(meant, s.version).fits(value, s.version) {
		return
	}
	e.Rename(name, meant)
	s.change("X-SCHEMA-ATTRIBUTE", s.inside, "renamed "+name+" of "+e.Name+" to "+meant, e)
}

// value corrects a word that the attribute does not allow.
func (s *schemaRepair) value(e *xmledit.Element, a *schemaAttribute, value string) {
	var words []string
	for k := range a.kinds {
		if a.kinds[k].list != nil {
			words = append(words, a.kinds[k].describe(s.version)...)
			if a.kinds[k].list[value] != 0 {
				return // a word of another version
			}
		}
	}
	slices.Sort(words)
	meant, ok := meantBy(value, words)
	if k, err := strconv.Atoi(value); err == nil && (k == 0 || k == 1) &&
		slices.Equal(words, []string{"false", "true"}) {
		meant, ok = words[k], true
	}
	if !ok {
		return
	}
	e.Set(a.name, meant)
	s.change("X-SCHEMA-VALUE", s.inside, "changed "+a.name+" of "+e.Name+" from "+
		strconv.Quote(clipText(value))+" to "+strconv.Quote(meant), e)
}

// leastWord is the minimum length of a word that is recognized with one wrong letter.
const leastWord = 5

// meantBy returns the only word in a list that differs from a word only in case, spaces and
// underscores, or one letter.
func meantBy(word string, words []string) (meant string, ok bool) {
	plain := func(word string) string {
		return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(word))
	}
	for _, distance := range []int{0, 1} {
		for _, w := range words {
			if distance == 0 && plain(w) != plain(word) || similar.Edits(plain(w),
				plain(word)) > distance || distance > 0 && min(len(w), len(word)) < leastWord {
				continue
			}
			if ok {
				return "", false
			}
			meant, ok = w, true
		}
		if ok {
			return meant, true
		}
	}
	return "", false
}

// zeroes lists the attributes that are 0 if they are missing.
var zeroes = strings.Fields("b c d sOffset tOffset zOffset hOffset pitch roll")

// zeros writes the zeros that the schema requires.
func (s *schemaRepair) zeros(e *xmledit.Element, c *schemaChild) {
	var names []string
	attributes := c.element.attributes()
	for k := range attributes {
		a := &attributes[k]
		if _, given := e.Attribute(a.name); given || a.required&s.version == 0 ||
			!slices.Contains(zeroes, a.name) || e.Name == "poly3" {
			continue
		}
		e.Set(a.name, "0")
		names = append(names, a.name)
	}
	if len(names) > 0 {
		s.change("X-SCHEMA-REQUIRED", s.inside, "wrote 0 for "+strings.Join(names, ", ")+" of "+
			e.Name, e)
	}
}
