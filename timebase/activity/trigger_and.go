package activity

import (
	"fmt"
	"strings"

	"gosmp/timebase"
)

// DefaultHistory is how long an And keeps the spans of a part while it waits for another, see
// [NodeSpec].
const DefaultHistory = 10 * timebase.Second

// andMerge is the number of spans from which an And merges connected ones while only events are
// missing: the cuts are irrelevant to events.
const andMerge = 64

// andTrigger emits the intersection of the time that its sources cover, cut at every boundary of
// any source.
type andTrigger struct {
	triggerCore
	sources []andSource
	warned  bool // a drop has been reported since it last emitted anything
}

// andSource holds the spans emitted by one source that And has not used yet.
type andSource struct {
	reader  *readerCore // the source itself, when it is a reader
	history ring[timebase.Span]
	end     timebase.Time // end of the newest span: covered time is not covered twice
	began   bool          // a span has come
	events  bool          // an event has come
}

// And returns a trigger for the time that all its parts cover. It cuts the spans it emits at every
// boundary of any part, so that each has one datum of every stream. Spans are never empty, and gaps
// yield nothing. It emits the stamps of event sources that lie in the time covered by all the
// streams, each as often as it occurs in the event source that has it least often.
//
// A late part holds the others back; their history is kept, and spans that become complete are all
// emitted at once, oldest first. A span that is older than the newest of its part by more than
// [NodeSpec].History, or by more than the retention of the parts' channels if that is longer, is
// dropped, which is reported as [TriggerBacklog] once for each wait. Spans for which a stream is
// declared to have nothing ([StreamWriter.Skip]) stop waiting for it. The data for late spans must
// still exist when the spans are emitted, so [Channel.Keep] must cover the longest delay.
func And(parts ...Trigger) Trigger {
	a := &andTrigger{}
	a.triggerCore = combine("And", parts)
	a.sources = make([]andSource, len(a.inputs))
	for i, p := range a.inputs {
		a.sources[i].reader, _ = p.(*readerCore)
	}
	return a
}

func (a *andTrigger) part() part { return a }

func (a *andTrigger) accept(input int, s timebase.Span) {
	src := &a.sources[input]
	if s.IsStamp() {
		src.events = true
	} else {
		if src.began {
			s.Start = max(s.Start, src.end)
		}
		if s.Empty() {
			return
		}
		src.end, src.began = s.End, true
	}
	if src.history.len() > 0 { // then another source was missing, and still is
		if a.replaceSkipped(input, s) {
			return
		}
		src.insert(s)
		a.skipUnreachable()
		a.shorten(src)
		return
	}
	for i := range a.sources {
		if other := &a.sources[i]; other != src && other.history.len() == 0 {
			src.history.push(s)
			return
		}
	}
	if a.takeAligned(input, s) {
		a.emit(s)
		return
	}
	src.history.push(s)
	a.combine()
}

// takeAligned uses up the oldest spans of the other sources if they all equal s, as in a program
// with fixed steps. The result is the same as with combine, without the detour through the history.
func (a *andTrigger) takeAligned(input int, s timebase.Span) bool {
	if len(a.sources) == 2 {
		h := &a.sources[1-input].history
		equal := *h.first() == s
		if equal {
			h.drop()
		}
		return equal
	}
	for i := range a.sources {
		if i != input && *a.sources[i].history.first() != s {
			return false
		}
	}
	for i := range a.sources {
		if i != input {
			a.sources[i].history.drop()
		}
	}
	return true
}

// skipUnreachable drops spans that wait for a stream that is declared to have nothing for that
// time, see StreamWriter.Skip.
func (a *andTrigger) skipUnreachable() {
	reach := -timebase.EndOfTime
	for i := range a.sources {
		if src := &a.sources[i]; src.reader != nil && src.history.len() == 0 {
			reach = max(reach, src.reader.reach())
		}
	}
	a.dropBefore(reach)
}

// dropBefore drops the spans and stamps that lie entirely before t and reports whether there were
// any.
func (a *andTrigger) dropBefore(t timebase.Time) (dropped bool) {
	for i := range a.sources {
		for h := &a.sources[i].history; h.len() > 0; h.drop() {
			if s := h.first(); s.Start >= t || s.End > t {
				break
			}
			dropped = true
		}
	}
	return dropped
}

// replaceSkipped puts s in the place of the only span of a source if the other one is a stream that
// is declared to have nothing for that span, as in a program with fixed steps whose input is
// missing. The result is the same as with insert, skipUnreachable and shorten.
func (a *andTrigger) replaceSkipped(input int, s timebase.Span) bool {
	h := &a.sources[input].history
	if len(a.sources) != 2 || h.len() != 1 {
		return false
	}
	other, oldest := &a.sources[1-input], h.first()
	if other.reader == nil {
		return false
	}
	if reach := other.reader.reach(); oldest.Start >= reach || oldest.End > reach ||
		s.Start < reach {
		return false
	}
	*oldest = s
	return true
}

// insert inserts s after everything that does not start later, which is almost always at the end.
func (src *andSource) insert(s timebase.Span) {
	h := &src.history
	h.push(s)
	for i := h.tail - 1; i > h.head && h.at(i-1).Start > s.Start; i-- {
		*h.at(i), *h.at(i - 1) = *h.at(i - 1), *h.at(i)
	}
}

// combine emits everything that is complete.
func (a *andTrigger) combine() {
	for {
		common, ready := a.heads()
		if !ready {
			return
		}
		if a.dropBefore(common.Start) {
			continue
		}
		if stamp := timebase.Stamp(common.Start); a.takeStamps() {
			a.emit(stamp)
			continue
		}
		for i := range a.sources {
			h := &a.sources[i].history
			if h.first().Start = common.End; h.first().Empty() {
				h.drop()
			}
		}
		a.warned = false
		a.emit(common)
	}
}

// heads returns the latest start and the earliest end of the sources' oldest spans; ready is false
// if a source has none.
func (a *andTrigger) heads() (common timebase.Span, ready bool) {
	common = timebase.Span{Start: -timebase.EndOfTime - 1, End: timebase.EndOfTime}
	for i := range a.sources {
		h := &a.sources[i].history
		if h.len() == 0 {
			return timebase.Span{}, false
		}
		common = common.Intersect(*h.first())
	}
	return common, len(a.sources) > 0
}

// takeStamps uses up one event of each source whose oldest item is an event, and reports whether
// there was any.
func (a *andTrigger) takeStamps() (taken bool) {
	for i := range a.sources {
		if h := &a.sources[i].history; h.first().IsStamp() {
			h.drop()
			taken = true
		}
	}
	return taken
}

// shorten bounds the history of a source that waits for another.
func (a *andTrigger) shorten(src *andSource) {
	h := &src.history
	if h.len() > andMerge && a.awaitsEvents() {
		if oldest, next := h.first(), h.at(h.head+1); oldest.End == next.Start &&
			!oldest.IsStamp() &&
			!next.IsStamp() {
			next.Start = oldest.Start
			h.drop()
		}
	}
	if h.len() == 0 || h.first().End >= h.last().End-a.node.spec.History {
		return
	}
	limit, from := historyLimit(a), h.first().Start
	old := h.last().End - limit
	if old > h.last().End { // the subtraction wrapped around
		return
	}
	for h.first().End < old {
		h.drop()
	}
	if h.first().Start != from && !a.warned {
		a.warned = true
		a.node.report(
			TriggerBacklog,
			a.String(),
			"what is older than %v is dropped, from %v on; %s; a longer NodeSpec.History keeps it",
			limit,
			from,
			a.waiting(-timebase.EndOfTime),
		)
	}
}

// historyLimit returns the maximum age of a span that waits in a trigger, relative to the newest
// span of its part.
func historyLimit(t part) timebase.Duration {
	core := t.trigger()
	limit := core.node.spec.History
	if r, ok := t.(*readerCore); ok {
		limit = max(limit, r.channel.keep)
	}
	for _, in := range core.inputs {
		limit = max(limit, historyLimit(in))
	}
	return limit
}

// awaitsEvents reports whether all sources without history have so far emitted only events.
func (a *andTrigger) awaitsEvents() bool {
	for i := range a.sources {
		if src := &a.sources[i]; src.history.len() == 0 && (!src.events || src.began) {
			return false
		}
	}
	return true
}

func (a *andTrigger) reset() {
	for i := range a.sources {
		src := &a.sources[i]
		src.history.restart(0)
		src.began, src.events = false, false
	}
	a.warned = false
}

// forget drops everything before t.
func (a *andTrigger) forget(t timebase.Time) {
	a.dropBefore(t)
	for i := range a.sources {
		if h := &a.sources[i].history; h.len() > 0 {
			s := h.first()
			s.Start = max(s.Start, t)
		}
	}
	a.warned = false
}

func (a *andTrigger) String() string { return "And(" + names(a.inputs) + ")" }

func (a *andTrigger) waiting(from timebase.Time) string {
	var missing, kept []string
	for i := range a.sources {
		if h := &a.sources[i].history; h.len() == 0 {
			missing = append(missing, a.inputs[i].waiting(from))
		} else {
			kept = append(kept, fmt.Sprintf("%v from %v on", a.inputs[i], h.first().Start))
		}
	}
	text := "And waits until " + strings.Join(missing, ", and until ")
	if len(kept) > 0 {
		text += "; it holds " + strings.Join(kept, ", ")
	}
	return text
}

func names(parts []part) string {
	all := make([]string, len(parts))
	for i, p := range parts {
		all[i] = p.String()
	}
	return strings.Join(all, ", ")
}
