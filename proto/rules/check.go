package rules

import (
	"fmt"
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
	root := m.ProtoReflect()
	c.visit(root, string(root.Descriptor().Name()), map[uint64]string{})
	contents := map[protoreflect.FullName]bool{}
	if _, partial := m.(*osi3.StreamingUpdate); len(c.references) > 0 && !partial {
		collect(root.Descriptor(), contents)
	}
	for _, r := range c.references {
		known := c.ids[r.rule.argument][r.id]
		if !known && contents[protoreflect.FullName("osi3."+r.rule.argument)] { // see [forget]
			c.report(r.rule, r.place, fmt.Sprintf("id %d", r.id), "the id of a "+r.rule.argument+
				" in the message")
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
}

type reference struct {
	rule  *rule
	place string
	id    uint64
}

// report adds a finding unless its rule has reached the limit.
func (c *checker) report(r *rule, place, found, expected string) (added bool) {
	if c.counts[r]++; c.counts[r] > mostFindings {
		return false
	}
	c.findings = append(c.findings, finding.Finding{
		ID: "OSI " + r.name() + " " + r.kind, Severity: finding.Error, Place: fault.At(place),
		Message: fmt.Sprintf("found %s, expected %s (rule %q)", found, expected, r),
		Remedy:  "correct the source of the message",
	})
	return true
}

// visit checks a message and all messages inside it. unique holds the ids of the enclosing
// GroundTruth, with their places.
func (c *checker) visit(m protoreflect.Message, path string, unique map[uint64]string) {
	name := strings.TrimPrefix(string(m.Descriptor().FullName()), "osi3.")
	if name == "GroundTruth" {
		unique = map[uint64]string{}
	}
	for _, r := range byMessage()[name] {
		f := m.Descriptor().Fields().ByName(protoreflect.Name(r.field))
		if f == nil {
			panic(r.name() + " is not a field of OSI")
		}
		if applies(r, m) {
			c.apply(r, m, f, path+"."+r.field, unique)
		}
	}
	fields := m.Descriptor().Fields()
	for k := range fields.Len() {
		if f := fields.Get(k); f.Message() != nil {
			for i, v := range values(m, f) {
				c.visit(v.Message(), element(path+"."+string(f.Name()), f, i), unique)
			}
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
	path string, unique map[uint64]string) {
	list := values(m, f)
	if r.kind == isSet && len(list) == 0 {
		added := c.report(r, path, "nothing", "the field to be set")
		if added && f.IsList() { // see [Rule.Information]: a lane need not have an adjacent lane
			c.findings[len(c.findings)-1].Severity = finding.Note
		}
	}
	for i, v := range list {
		place := element(path, f, i)
		switch r.kind {
		case isGloballyUnique:
			c.own(r, place, identifier(v), unique)
		case isISOCountryCode:
			if x := numeric(v, f); !isCountry(x) {
				c.report(r, place, fmt.Sprint(x),
					"a numeric country code of ISO 3166-1, such as 276")
			}
		case refersTo:
			c.references = append(c.references, reference{r, place, identifier(v)})
		default:
			c.compare(r, place, v, f)
		}
	}
}

// own records an id that must be unique.
func (c *checker) own(r *rule, place string, id uint64, unique map[uint64]string) {
	if before, taken := unique[id]; taken {
		c.report(r, place, fmt.Sprintf("id %d", id), "another one, because "+before+" has it")
	}
	unique[id] = place
	if c.ids[r.message] == nil {
		c.ids[r.message] = map[uint64]bool{}
	}
	c.ids[r.message][id] = true
}

// compare checks the range of a number or of the components of a vector.
func (c *checker) compare(r *rule, place string, v protoreflect.Value,
	f protoreflect.FieldDescriptor) {
	good, ranged := comparisons[r.kind]
	if !ranged {
		return
	}
	if f.Message() != nil {
		v.Message().Range(func(part protoreflect.FieldDescriptor, x protoreflect.Value) bool {
			c.compare(r, place+"."+string(part.Name()), x, part)
			return true
		})
		return
	}
	if x := numeric(v, f); !good(x, r.limit) {
		c.report(r, place, fmt.Sprint(x), strings.TrimPrefix(r.kind, "is_")+" "+r.argument)
	}
}

// values returns the values that are set in a field: at most one, or all elements of a repeated
// field.
func values(m protoreflect.Message, f protoreflect.FieldDescriptor) (all []protoreflect.Value) {
	switch {
	case !m.Has(f):
		return nil
	case f.IsList():
		list := m.Get(f).List()
		for i := range list.Len() {
			all = append(all, list.Get(i))
		}
		return all
	}
	return []protoreflect.Value{m.Get(f)}
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
