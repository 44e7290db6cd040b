package rules

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/proto/osi3"
)

const mostFindings = 100 // of one rule

// Check returns the findings about m, a message of package osi3, and all messages inside it. Every
// finding is an error with the field's path as its place, such as
// "SensorData.moving_object[3].candidate[0].head_pose", and the name of the rule as its id. The
// number of findings of a rule is limited to 100.
func Check(m proto.Message) finding.List {
	c := checker{ids: map[string]map[uint64]bool{}, counts: map[*rule]int{}}
	return c.check(m)
}

// First returns the first finding about m for each of the rules with the given [Rule.ID]s, as far
// as m breaks them. It ends as soon as it has found all of them, which makes it much faster than
// [Check] for large messages that break them. It reads the whole message if m does not break one of
// the rules, or if one is refers_to, which is judged at the end.
func First(m proto.Message, ids []string) finding.List {
	c := checker{ids: map[string]map[uint64]bool{}, wanted: map[*rule]string{},
		missing: map[string]bool{}}
	for _, id := range ids {
		c.missing[id] = true
	}
	for _, list := range byMessage() {
		for _, r := range list {
			if id := r.id(); c.missing[id] {
				c.wanted[r] = id
			}
		}
	}
	return c.check(m)
}

func (c *checker) check(m proto.Message) finding.List {
	root := m.ProtoReflect()
	c.visit(root, &place{name: string(root.Descriptor().Name()), index: -1}, map[uint64]*place{})
	contents := map[protoreflect.FullName]bool{}
	if _, partial := m.(*osi3.StreamingUpdate); len(c.references) > 0 && !partial {
		collect(root.Descriptor(), contents)
	}
	for _, r := range c.references {
		known := c.ids[r.rule.argument][r.id]
		if !known && contents[protoreflect.FullName("osi3."+r.rule.argument)] { // see [forget]
			c.report(r.rule, r.place, func() (found, expected string) {
				return fmt.Sprintf("id %d", r.id), "the id of a " + r.rule.argument +
					" in the message"
			})
		}
	}
	return c.findings
}

// collect adds a type and all types inside it to a set.
func collect(d protoreflect.MessageDescriptor, set map[protoreflect.FullName]bool) {
	if set[d.FullName()] {
		return
	}
	set[d.FullName()] = true
	for k := range d.Fields().Len() {
		if f := d.Fields().Get(k); f.Message() != nil {
			collect(f.Message(), set)
		}
	}
}

type checker struct {
	findings   finding.List
	counts     map[*rule]int
	ids        map[string]map[uint64]bool // by the type of message that has the id
	references []reference
	// of [First], nil otherwise: the ids of the wanted rules, and the ids without a finding yet
	wanted  map[*rule]string
	missing map[string]bool
}

type reference struct {
	rule  *rule
	place *place
	id    uint64
}

// place is a field of a message. A message can have millions of fields without any finding, so that
// paths become text only in findings.
type place struct {
	within *place
	name   string
	index  int // in a list; -1: the field is not a list
}

// element returns the place of an element of a field.
func (p *place) element(f protoreflect.FieldDescriptor, i int) *place {
	if !f.IsList() {
		i = -1
	}
	return &place{p, string(f.Name()), i}
}

// String returns a path such as "SensorData.moving_object[3].base".
func (p *place) String() string {
	text := p.name
	if p.index >= 0 {
		text = fmt.Sprintf("%s[%d]", text, p.index)
	}
	if p.within == nil {
		return text
	}
	return p.within.String() + "." + text
}

// complete reports whether no further finding is wanted.
func (c *checker) complete() bool { return c.wanted != nil && len(c.missing) == 0 }

// wants reports whether another finding of a rule is wanted.
func (c *checker) wants(r *rule) bool {
	if c.wanted != nil {
		return c.missing[c.wanted[r]]
	}
	return c.counts[r] < mostFindings
}

// report adds a finding if another one of its rule is wanted.
func (c *checker) report(r *rule, at *place, texts func() (found, expected string)) (added bool) {
	if !c.wants(r) {
		return false
	}
	if c.wanted != nil {
		delete(c.missing, c.wanted[r])
	} else {
		c.counts[r]++
	}
	found, expected := texts()
	c.findings = append(c.findings, finding.Finding{
		ID: r.id(), Severity: finding.Error, Place: fault.At(at.String()),
		Message: fmt.Sprintf("found %s, expected %s (rule %q)", found, expected, r),
		Remedy:  "correct the source of the message",
	})
	return true
}

// visit checks a message and all messages inside it. unique holds the ids of the enclosing
// GroundTruth, with their places.
func (c *checker) visit(m protoreflect.Message, at *place, unique map[uint64]*place) {
	name := strings.TrimPrefix(string(m.Descriptor().FullName()), "osi3.")
	if name == "GroundTruth" {
		unique = map[uint64]*place{}
	}
	for _, r := range byMessage()[name] {
		f := m.Descriptor().Fields().ByName(protoreflect.Name(r.field))
		if f == nil {
			panic(r.name() + " is not a field of OSI")
		}
		if applies(r, m) {
			c.apply(r, m, f, at, unique)
		}
	}
	fields := m.Descriptor().Fields()
	for k := range fields.Len() {
		f := fields.Get(k)
		if f.Message() == nil {
			continue
		}
		for i, v := range values(m, f) {
			if c.complete() {
				return
			}
			c.visit(v.Message(), at.element(f, i), unique)
		}
	}
}

// applies reports whether all conditions of a rule hold in m.
func applies(r *rule, m protoreflect.Message) bool {
	return !slices.ContainsFunc(r.conditions, func(c condition) bool {
		f := m.Descriptor().Fields().ByName(protoreflect.Name(c.field))
		return !m.Has(f) || !comparisons[c.kind](numeric(m.Get(f), f), c.limit)
	})
}

func (c *checker) apply(r *rule, m protoreflect.Message, f protoreflect.FieldDescriptor,
	at *place, unique map[uint64]*place) {
	if r.kind == isSet {
		if m.Has(f) {
			return
		}
		added := c.report(r, &place{at, r.field, -1}, func() (found, expected string) {
			return "nothing", "the field to be set"
		})
		if added && f.IsList() { // see [Rule.Information]: a lane need not have an adjacent lane
			c.findings[len(c.findings)-1].Severity = finding.Note
		}
		return
	}
	for i, v := range values(m, f) {
		switch at := at.element(f, i); r.kind {
		case isGloballyUnique:
			c.own(r, at, identifier(v), unique)
		case isISOCountryCode:
			if x := numeric(v, f); !isCountry(x) {
				c.report(r, at, func() (found, expected string) {
					return fmt.Sprint(x), "a numeric country code of ISO 3166-1, such as 276"
				})
			}
		case refersTo:
			if c.wants(r) {
				c.references = append(c.references, reference{r, at, identifier(v)})
			}
		default:
			c.compare(r, at, v, f)
		}
	}
}

// own records an id that must be unique.
func (c *checker) own(r *rule, at *place, id uint64, unique map[uint64]*place) {
	if before, taken := unique[id]; taken {
		c.report(r, at, func() (found, expected string) {
			return fmt.Sprintf("id %d", id), "another one, because " + before.String() + " has it"
		})
	}
	unique[id] = at
	if c.ids[r.message] == nil {
		c.ids[r.message] = map[uint64]bool{}
	}
	c.ids[r.message][id] = true
}

// compare checks the range of a number or of the components of a vector.
func (c *checker) compare(r *rule, at *place, v protoreflect.Value,
	f protoreflect.FieldDescriptor) {
	good, ranged := comparisons[r.kind]
	if !ranged {
		return
	}
	if f.Message() != nil {
		v.Message().Range(func(part protoreflect.FieldDescriptor, x protoreflect.Value) bool {
			c.compare(r, &place{at, string(part.Name()), -1}, x, part)
			return true
		})
		return
	}
	if x := numeric(v, f); !good(x, r.limit) {
		c.report(r, at, func() (found, expected string) {
			return fmt.Sprint(x), strings.TrimPrefix(r.kind, "is_") + " " + r.argument
		})
	}
}

// values yields the values that are set in a field: at most one, or all elements of a repeated
// field.
func values(m protoreflect.Message, f protoreflect.FieldDescriptor) iter.Seq2[int,
	protoreflect.Value] {
	return func(yield func(int, protoreflect.Value) bool) {
		switch {
		case !m.Has(f):
			return
		case !f.IsList():
			yield(0, m.Get(f))
			return
		}
		list := m.Get(f).List()
		for i := range list.Len() {
			if !yield(i, list.Get(i)) {
				return
			}
		}
	}
}

// element returns the path of an element, with its index in a repeated field.
func element(path string, f protoreflect.FieldDescriptor, i int) string {
	if f.IsList() {
		return fmt.Sprintf("%s[%d]", path, i)
	}
	return path
}

// numeric converts a scalar to a number; true becomes 1.
func numeric(v protoreflect.Value, f protoreflect.FieldDescriptor) float64 {
	switch f.Kind() {
	case protoreflect.EnumKind:
		return float64(v.Enum())
	case protoreflect.BoolKind:
		if v.Bool() {
			return 1
		}
		return 0
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return v.Float()
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind:
		return float64(v.Uint())
	default:
		return float64(v.Int())
	}
}

// identifier returns the value of an osi3.Identifier.
func identifier(v protoreflect.Value) uint64 {
	m := v.Message()
	return m.Get(m.Descriptor().Fields().ByName("value")).Uint()
}
