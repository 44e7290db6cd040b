package compare

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/internal/portable"
)

// renaming maps the tracking ids of a channel between the found and the expected trace.
type renaming struct {
	found, expected map[uint64]uint64
	renamed         bool // an id has different names in the traces
}

func newRenaming() renaming {
	return renaming{found: map[uint64]uint64{}, expected: map[uint64]uint64{}}
}

// identity reports whether every id so far has the same name in both traces.
func (r *renaming) identity() bool { return !r.renamed }

func (r *renaming) add(expected, found uint64) {
	_, known := r.found[expected]
	_, taken := r.expected[found]
	if !known && !taken {
		r.found[expected], r.expected[found] = found, expected
		r.renamed = r.renamed || expected != found
	}
}

// element is an element of a list, with its id.
type element struct {
	index   int
	message protoreflect.Message
	id      uint64
	has     bool
}

// keyOf returns the names that lead from a list element to its id: "header.tracking_id" for
// detected objects, "id" for true objects. Without a path, elements are matched by their index.
func keyOf(d protoreflect.MessageDescriptor) (path []protoreflect.FieldDescriptor, tracked bool) {
	if header := d.Fields().ByName("header"); header != nil && header.Message() != nil &&
		!header.IsList() {
		if id := header.Message().Fields().ByName("tracking_id"); isIdentifier(id) {
			return []protoreflect.FieldDescriptor{header, id}, true
		}
	}
	if id := d.Fields().ByName("id"); isIdentifier(id) {
		return []protoreflect.FieldDescriptor{id}, false
	}
	return nil, false
}

// isIdentifier reports whether a field is an OSI identifier. A schema may define a type of the same
// name with different fields.
func isIdentifier(f protoreflect.FieldDescriptor) bool {
	if f == nil || f.Message() == nil || f.IsList() || f.Message().FullName() != "osi3.Identifier" {
		return false
	}
	value := f.Message().Fields().ByName("value")
	return value != nil && value.Kind() == protoreflect.Uint64Kind && !value.IsList()
}

// elements returns the elements of a list with their ids.
func elements(l protoreflect.List) []element {
	list := make([]element, l.Len())
	for k := range list {
		m := l.Get(k).Message()
		list[k] = element{index: k, message: m}
		path, _ := keyOf(m.Descriptor())
		for _, f := range path {
			list[k].has = m.Has(f)
			m = m.Get(f).Message()
		}
		if len(path) > 0 && list[k].has {
			value := m.Descriptor().Fields().ByName("value")
			list[k].id = m.Get(value).Uint()
		}
	}
	return list
}

// couple is an expected element and a found one, either of which may be missing.
type couple struct{ expected, found *element }

// couples matches elements by their ids.
func (d *differ) couples(expected, found []element, tracked bool) (list []couple) {
	taken := make([]bool, len(found))
	byID := map[uint64][]int{} // found elements, in their order
	for i := range found {
		if found[i].has {
			byID[found[i].id] = append(byID[found[i].id], i)
		}
	}
	var open []int // expected elements still without a partner
	list = make([]couple, len(expected))
	for k := range expected {
		e := &expected[k]
		list[k].expected = e
		id, known := e.id, e.has
		if renamed := tracked && !d.exact; renamed && e.has {
			id, known = d.ids.found[e.id]
		}
		if !known {
			open = append(open, k)
			continue
		}
		if same := byID[id]; len(same) > 0 {
			list[k].found, taken[same[0]], byID[id] = &found[same[0]], true, same[1:]
		}
	}
	d.choose(list, open, found, taken)
	for i := range found {
		if !taken[i] {
			list = append(list, couple{found: &found[i]})
		}
	}
	return list
}

// mostCandidates bounds the pairs of elements whose contents are compared.
const mostCandidates = 4096

// offer is a pair that may become a couple.
type offer struct {
	k, i        int
	differences int
	distance    float64
}

// choose pairs each expected element without a known partner with the found element most similar to
// it. From then on, their ids belong together.
func (d *differ) choose(list []couple, open []int, found []element, taken []bool) {
	free := map[bool][]int{} // found elements that may be chosen, without an id and with one
	for i := range found {
		if _, is := d.ids.expected[found[i].id]; !taken[i] && (!is || !found[i].has) {
			free[found[i].has] = append(free[found[i].has], i)
		}
	}
	join := func(k, i int) {
		list[k].found, taken[i] = &found[i], true
		if e := list[k].expected; e.has {
			d.ids.add(e.id, found[i].id)
		}
	}
	if len(open)*len(found) > mostCandidates { // in their order
		for _, k := range open {
			if has := list[k].expected.has; len(free[has]) > 0 {
				join(k, free[has][0])
				free[has] = free[has][1:]
			}
		}
		return
	}
	var offers []offer
	for _, k := range open {
		e := list[k].expected
		for _, i := range free[e.has] {
			offers = append(offers, offer{k, i, d.count(e.message, found[i].message),
				distance(e.message, found[i].message)})
		}
	}
	slices.SortStableFunc(offers, func(a, b offer) int {
		return cmp.Or(cmp.Compare(a.differences, b.differences), cmp.Compare(a.distance,
			b.distance), cmp.Compare(a.k, b.k), cmp.Compare(a.i, b.i))
	})
	for _, o := range offers {
		if list[o.k].found == nil && !taken[o.i] {
			join(o.k, o.i)
		}
	}
}

// count returns the number of differences between two elements.
func (d *differ) count(e, f protoreflect.Message) (n int) {
	counter := *d
	counter.report = func(string, string, string, string) { n++ }
	counter.message(e, f)
	return n
}

// distance returns the distance between the positions of two elements in meters, or 0 if they have
// no positions.
func distance(e, f protoreflect.Message) float64 {
	a, b := position(e), position(f)
	return portable.Hypot(portable.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

func position(m protoreflect.Message) (p [3]float64) {
	for _, name := range []protoreflect.Name{"base", "position"} {
		f := m.Descriptor().Fields().ByName(name)
		if f == nil || f.Message() == nil || f.IsList() {
			return p
		}
		m = m.Get(f).Message()
	}
	for k, name := range []protoreflect.Name{"x", "y", "z"} {
		if f := m.Descriptor().Fields().ByName(name); f != nil &&
			f.Kind() == protoreflect.DoubleKind && !f.IsList() {
			p[k] = m.Get(f).Float()
		}
	}
	return p
}

// label returns the name by which reports refer to an element.
func (c couple) label(name string, tracked bool) string {
	e := c.expected
	if e == nil {
		e = c.found
	}
	word := "id"
	if tracked {
		word = "tracking id"
	}
	switch {
	case !e.has:
		return fmt.Sprintf("%s.%d", name, e.index)
	case c.expected != nil && c.found != nil && c.found.has && c.found.id != e.id:
		return fmt.Sprintf("%s with %s %d (found as %d)", name, word, e.id, c.found.id)
	}
	return fmt.Sprintf("%s with %s %d", name, word, e.id)
}
