package compare

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// unused returns the fields of tolerances that do not exist in any message type of the compared
// channels.
func (c *comparison) unused() (fields []string) {
	types := map[protoreflect.MessageDescriptor]bool{}
	for channel, p := range c.sides[0].pairs {
		if p == nil {
			continue
		}
		if t, err := c.decoder.Type(channel); err == nil { // other messages are compared as bytes
			gather(types, t.Descriptor())
		}
	}
	for _, t := range c.tolerances.list {
		if t.Field != "" && !occurs(types, strings.Split(t.Field, ".")) {
			fields = append(fields, t.Field)
		}
	}
	return fields
}

// gather adds a type and the types of its fields to types.
func gather(types map[protoreflect.MessageDescriptor]bool, d protoreflect.MessageDescriptor) {
	if types[d] {
		return
	}
	types[d] = true
	for k := range d.Fields().Len() {
		if inner := d.Fields().Get(k).Message(); inner != nil {
			gather(types, inner)
		}
	}
}

// occurs reports whether the names form a path that begins in one of the types.
func occurs(types map[protoreflect.MessageDescriptor]bool, names []string) bool {
	for d := range types {
		for k, name := range names {
			f := d.Fields().ByName(protoreflect.Name(name))
			if f == nil {
				break
			}
			if k == len(names)-1 {
				return true
			}
			if d = f.Message(); d == nil {
				break
			}
		}
	}
	return false
}
