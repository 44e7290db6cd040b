package bridge

import (
	"fmt"

	"gosmp/internal/fault"
)

// measure computes the minimum size of messages, without alignment, and the number of their fields:
// messages without fields have no size, but take time to read.
type measure struct {
	of    *Definitions
	sizes map[*Message]int
	parts map[*Message]int
	open  map[*Message]bool // enclosing messages of the current one
}

// size returns the size of a message. It refuses cycles and types that cannot be resolved.
func (z *measure) size(m *Message, route string) (total int, err error) {
	if known, done := z.sizes[m]; done {
		return known, nil
	}
	if z.open[m] || len(z.open) > deepest {
		return 0, fault.New(ErrDefinition, fault.At(route), m.Name+
			" within itself, or messages nested too deeply",
			fmt.Sprintf("messages without recursion, nested at most %d deep", deepest))
	}
	z.open[m] = true
	defer delete(z.open, m)
	parts := 0
	if len(m.Fields) == 0 && z.of.System != ROS1 {
		total = 1 // see cdr.AppendEmpty
	}
	if m.Union != nil {
		total = kindFacts[m.Union.Discriminator.Kind].size
	}
	for _, f := range m.Fields {
		one, fields := kindFacts[f.Type.Kind].size, 1
		if f.Type.Kind == Nested {
			inner := z.of.messages[f.Type.Name]
			if err := z.of.missing(f.Type.Name); err != nil {
				return 0, err
			}
			if inner == nil {
				return 0, fault.New(ErrDefinition, fault.Place{File: m.File, Line: f.line,
					Column: f.column, Object: route + "." + f.Name}, f.Type.Name,
					"a defined message")
			}
			if one, err = z.size(inner, route+"."+f.Name); err != nil {
				return 0, err
			}
			fields += z.parts[inner]
		}
		switch f.Type.Many {
		case Sequence, Bounded:
			if one == 0 {
				return 0, fault.New(ErrDefinition, fault.Place{File: m.File, Line: f.line,
					Column: f.column, Object: route + "." + f.Name}, "a sequence of "+
					f.Type.Name+", which has no bytes in ROS 1",
					"messages with fields in a sequence")
			}
			one, fields = 4, 1
		case Array:
			one, fields = max(one, 1)*f.Type.Count, fields*f.Type.Count
		}
		if m.Union != nil { // the field may be absent
			one = 0
		}
		if total, parts = total+one, parts+fields; total > largestInline || parts > largestInline {
			return 0, fault.New(ErrDefinition, fault.At(route+"."+f.Name),
				"a message of more than 16 MiB or 16 Mi fields", "shorter arrays")
		}
	}
	z.sizes[m], z.parts[m] = total, parts
	return total, nil
}
