package rules

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/proto/wire"
)

// compile creates the node of a message type and of all types inside it. Types may contain each
// other.
func (c *Counter) compile(d protoreflect.MessageDescriptor,
	done map[protoreflect.FullName]*node) *node {
	if n := done[d.FullName()]; n != nil {
		return n
	}
	n := &node{scoped: d.Name() == "GroundTruth", low: make([]item, lowNumbers),
		high: map[wire.Number]*item{}}
	done[d.FullName()] = n
	for k := range d.Fields().Len() {
		f := d.Fields().Get(k)
		it := item{known: true, bit: 1 << k, kind: f.Kind(), list: f.IsList(), condition: -1,
			unique: -1, refers: -1}
		if k >= lowNumbers {
			panic(string(d.FullName()) + " has more fields than bits")
		}
		if f.Kind() == protoreflect.DoubleKind || f.Kind() == protoreflect.FloatKind {
			it.bound = boundOf(d)
		}
		if f.Message() != nil {
			it.child = c.compile(f.Message(), done)
		}
		if number := wire.Number(f.Number()); number < lowNumbers {
			n.low[number] = it
		} else {
			n.high[number] = &it
		}
	}
	name := strings.TrimPrefix(string(d.FullName()), "osi3.")
	for _, r := range byMessage()[name] {
		c.bind(n, d, r)
	}
	return n
}

// forget drops the references to types that a message cannot contain. A StreamingUpdate or a
// TrafficUpdate refers to lanes that its receiver knows from a GroundTruth.
func forget(nodes map[protoreflect.FullName]*node) {
	drop := func(it *item) {
		if it.refers >= 0 && nodes[protoreflect.FullName("osi3."+it.target)] == nil {
			it.refers = -1
		}
	}
	for _, n := range nodes {
		for k := range n.low {
			drop(&n.low[k])
		}
		for _, it := range n.high {
			drop(it)
		}
	}
}

// bind adds a rule to the node of the message that it applies to.
func (c *Counter) bind(n *node, d protoreflect.MessageDescriptor, r *rule) {
	if r.remark == "self" || r.remark == "always" { // such rules cannot be broken
		return
	}
	f := d.Fields().ByName(protoreflect.Name(r.field))
	if f == nil {
		panic(r.name() + " is not a field of OSI")
	}
	number, it := c.number(r), n.item(wire.Number(f.Number()))
	switch r.kind {
	case isSet:
		n.required = append(n.required, required{number, it.bit, n.conditionsOf(d, r)})
		return
	case isGloballyUnique:
		it.unique, it.owner = number, r.message
		return
	case refersTo:
		it.refers, it.target = number, r.argument
		return
	}
	if len(r.conditions) > 0 {
		panic(r.name() + ": a condition of a range is not known")
	}
	l := limit{number, comparisons[r.kind], r.limit}
	if r.kind == isISOCountryCode {
		l.good = func(value, _ float64) bool { return isCountry(value) }
	}
	if it.child == nil {
		it.ranges = append(it.ranges, l)
		return
	}
	c.bindComponents(it, f.Message(), l)
}

// bindComponents adds a range to all numbers of a vector. It changes a copy of the node, because
// other vectors are not affected.
func (c *Counter) bindComponents(it *item, d protoreflect.MessageDescriptor, l limit) {
	copied := *it.child
	copied.low = slices.Clone(copied.low)
	it.child = &copied
	for k := range d.Fields().Len() {
		part := copied.item(wire.Number(d.Fields().Get(k).Number()))
		part.ranges = append(slices.Clone(part.ranges), l)
	}
}

// conditionsOf returns the comparisons of a rule, and reserves a slot for the value of each field.
func (n *node) conditionsOf(d protoreflect.MessageDescriptor, r *rule) (list []comparison) {
	for _, condition := range r.conditions {
		f := d.Fields().ByName(protoreflect.Name(condition.field))
		it := n.item(wire.Number(f.Number()))
		if it.condition < 0 {
			it.condition = n.conditions
			n.conditions++
		}
		list = append(list, comparison{it.condition, it.bit, comparisons[condition.kind],
			condition.limit})
	}
	return list
}

// number returns the index of a rule in Rules.
func (c *Counter) number(r *rule) int {
	id := r.id()
	k := slices.IndexFunc(c.rules, func(known Rule) bool { return known.ID == id })
	if k >= 0 {
		return k
	}
	c.rules = append(c.rules, Rule{id, "osirules." + strings.ToLower(r.name()) + "." + r.kind,
		r.remark == "repeated"})
	return len(c.rules) - 1
}
