package timebase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func (r *readerCore) inputs() []Trigger { return nil }

// notify takes the span of a datum that has become readable, when the reader triggers anything.
func (r *readerCore) notify(s Span) {
	if !r.spec.All {
		r.emit(s)
		return
	}
	if len(r.pending) == 0 {
		r.node.joined = append(r.node.joined, r)
	}
	r.pending = append(r.pending, s)
}

// passOn gives off what came in by several entries, in the order of time and no span twice.
func (r *readerCore) passOn() {
	if len(r.pending) > 1 {
		slices.SortStableFunc(r.pending, func(a, b Span) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
	}
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

// choice says which entries are read.
func (r *readerCore) choice() string {
	switch {
	case r.spec.All:
		return "all entries"
	case r.spec.Label != "":
		return fmt.Sprintf("entry %q", r.spec.Label)
	}
	return fmt.Sprintf("entry %d", r.spec.Index)
}

// String names the channel, the choice of entries and the reading module.
func (r *readerCore) String() string {
	return fmt.Sprintf("channel %q, %s read by %s", r.channel.name, r.choice(), r.module)
}

func (r *readerCore) waiting() string {
	if len(r.bound) == 0 {
		return fmt.Sprintf("somebody makes a writer for %s of channel %q (nobody has)", r.choice(), r.channel.name)
	}
	states := make([]string, len(r.bound))
	for i, e := range r.bound {
		states[i] = e.state()
	}
	return strings.Join(states, ", or ")
}

// state says what is missing from an entry.
func (e *entryCore) state() string {
	what := fmt.Sprintf("%s writes to channel %q", e.module, e.channel.name)
	if e.label != "" {
		what += fmt.Sprintf(" (entry %q)", e.label)
	}
	switch {
	case !e.began:
		return what + ", which it never did"
	case e.stopped:
		return fmt.Sprintf("%s again, which it stopped at %v", what, e.end)
	}
	return fmt.Sprintf("%s again after %v", what, e.end)
}
