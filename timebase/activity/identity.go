package activity

import (
	"cmp"
	"fmt"
	"strings"

	"gosmp/internal/fault"
)

// Readers usually have no names. In a saved state, and for the order of a run, they are identified
// by their module, by the entries that they read and how they read them, and by the activities that
// they trigger. Two readers that agree in all of these must be given names before a state can be
// saved, because the order of their creation may differ between runs.

// identity returns the arguments with which a reader was created.
func (r *readerCore) identity() string {
	s := &r.spec
	return fmt.Sprintf("%s %q %v %v %v", r.String(), s.Name, s.Mode, s.Match, s.Kind)
}

// usage describes the places of the reader in triggers.
func (r *readerCore) usage() string {
	var places []string
	for _, a := range r.node.acts {
		if path := place(a.trigger, &r.triggerCore); path != "" {
			places = append(places, a.name+path)
		}
		if a.guard != nil {
			if path := place(a.guard.on, &r.triggerCore); path != "" {
				places = append(places, "safe "+a.name+path)
			}
		}
	}
	return strings.Join(places, "\x00")
}

// place returns the path from a trigger down to one of its parts, or "" if it is not a part.
func place(t part, core *triggerCore) string {
	if t == nil {
		return ""
	}
	if t.trigger() == core {
		return "."
	}
	path := ""
	for i, in := range t.trigger().inputs {
		if p := place(in, core); p != "" {
			path += fmt.Sprint("/", i, p)
		}
	}
	return path
}

// compareReaders orders the readers of a channel.
func compareReaders(a, b *readerCore) int {
	if c := cmp.Or(strings.Compare(a.module, b.module), strings.Compare(a.identity(),
		b.identity())); c != 0 {
		return c
	}
	return strings.Compare(a.usage(), b.usage())
}

// ambiguous reports two readers that cannot be distinguished and whose positions may differ.
func (c *channelCore) ambiguous() error {
	for i := 1; i < len(c.readers); i++ {
		a, b := c.readers[i-1], c.readers[i]
		if a.remembers() && compareReaders(a, b) == 0 {
			return fault.New(ErrName, fault.At(a.String()),
				"two readers that are alike in module, specification and use", "different ones").
				WithHint("give each its own ReaderSpec.Name, or a state could not be restored " +
					"to the right one")
		}
	}
	return nil
}

// remembers reports whether a reader has a state of its own.
func (r *readerCore) remembers() bool {
	if r.spec.All && len(r.targets) > 0 {
		return true
	}
	for _, b := range r.binds {
		if b.sequential {
			return true
		}
	}
	return false
}
