package activity

import (
	"errors"
	"fmt"
	"strings"

	"gosmp/timebase"
)

// notify receives the span of a datum that became readable if the reader triggers anything.
func (r *readerCore) notify(s timebase.Span) {
	if !r.spec.All {
		r.emit(s)
		return
	}
	if len(r.pending) == 0 {
		r.node.joined = append(r.node.joined, r)
	}
	r.pending = append(r.pending, s)
}

// passOn emits the spans that arrived through several entries, in chronological order and without
// repeating any time.
func (r *readerCore) passOn() {
	sortSpans(r.pending)
	for _, s := range r.pending {
		if !s.IsStamp() {
			if r.began {
				s.Start = max(s.Start, r.end)
			}
			if s.Empty() {
				continue
			}
			r.end, r.began = s.End, true
		}
		r.emit(s)
	}
	r.pending = r.pending[:0]
}

// sortSpans sorts by start and end, with Shell sort. Lists are short, and spans that compare as
// equal are identical. Package slices would add another instantiation, which is large for the core
// of an FMU.
func sortSpans(list []timebase.Span) {
	gap := 1
	for gap < len(list)/3 {
		gap = 3*gap + 1
	}
	for ; gap > 0; gap /= 3 {
		for i := gap; i < len(list); i++ {
			s, k := list[i], i
			for ; k >= gap && earlier(s, list[k-gap]); k -= gap {
				list[k] = list[k-gap]
			}
			list[k] = s
		}
	}
}

func earlier(s, o timebase.Span) bool {
	return s.Start < o.Start || s.Start == o.Start && s.End < o.End
}

// reach returns the time before which the reader emits nothing more. Over several entries there is
// no such time, because each may be late, and new ones may join.
func (r *readerCore) reach() timebase.Time {
	if r.spec.All {
		return -timebase.EndOfTime
	}
	for _, b := range r.binds {
		if !b.entry.closed {
			return b.entry.reach
		}
	}
	return -timebase.EndOfTime
}

// choice describes which entries are read.
func (r *readerCore) choice() string {
	switch {
	case r.spec.All:
		return "all entries"
	case r.spec.Label != "":
		return fmt.Sprintf("entry %q", r.spec.Label)
	}
	return fmt.Sprintf("entry %d", r.spec.Index)
}

func (r *readerCore) String() string {
	return fmt.Sprintf("channel %q, %s read by %s", r.channel.name, r.choice(), r.module)
}

func (r *readerCore) waiting(from timebase.Time) string {
	if errors.Is(r.err, ErrClosed) {
		return "never, because the reader of channel \"" + r.channel.name + "\" has been closed"
	}
	var states []string
	for _, b := range r.binds {
		if !b.entry.closed {
			states = append(states, b.entry.state(from))
		}
	}
	if len(states) == 0 {
		return fmt.Sprintf(
			"a module makes a writer for %s of channel %q (there is none)",
			r.choice(),
			r.channel.name,
		)
	}
	return strings.Join(states, ", or ")
}

// state describes what is missing in an entry for a span that extends beyond from.
func (e *entry) state(from timebase.Time) string {
	what := fmt.Sprintf("%s writes to channel %q", e.module, e.channel.name)
	if e.label != "" {
		what += fmt.Sprintf(" (entry %q)", e.label)
	}
	switch {
	case e.tail == 0:
		return what + ", which it has never done"
	case e.stopped:
		return fmt.Sprintf("%s again, which it stopped at %v", what, e.end)
	}
	return fmt.Sprintf("%s again after %v", what, max(e.end, from))
}
