package expect

import (
	"gosmp/timebase"
	"gosmp/trace"
)

// reaching is a source that remembers the times of the earliest and the latest message, so that a
// condition that begins after the end of a trace, or that ends before its beginning, is not taken
// as kept.
type reaching struct {
	trace.Source
	first, last timebase.Time
	any         bool
	// the times of a condition, and whether a message of any channel has one of them
	during *Condition
	within bool
}

func reach(open func() (trace.Source, error)) (*reaching, error) {
	s, err := open()
	return &reaching{Source: s}, err
}

// Next returns the next message.
func (r *reaching) Next() (*trace.Message, error) {
	m, err := r.Source.Next()
	if err == nil && !r.any {
		r.first, r.last, r.any = m.Time, m.Time, true
	} else if err == nil {
		r.first, r.last = min(r.first, m.Time), max(r.last, m.Time)
	}
	if err == nil && r.during != nil && r.during.counts(m.Time) {
		r.within = true
	}
	return m, err
}

// reached fails a condition whose time has no part in common with the time from the first to the
// last message of the trace, of any channel.
func (c *Condition) reached(r *reaching, v *Verdict) {
	switch {
	case c.From == nil && c.Until == nil:
	case !r.any && c.From != nil:
		v.fail("found no message of any channel, expected some from %v s on", *c.From)
	case !r.any:
		v.fail("found no message of any channel, expected some before %v s", *c.Until)
	case c.From != nil && r.last.Seconds() < *c.From:
		v.fail("found the last message of all channels at %s s, expected some from %v s on",
			trace.Seconds(r.last), *c.From)
	case c.Until != nil && r.first.Seconds() >= *c.Until:
		v.fail("found the first message of all channels at %s s, expected some before %v s",
			trace.Seconds(r.first), *c.Until)
	}
}

// measured fails a metric that counts values at times without a message of any channel: nothing
// was measured there.
func (c *Condition) measured(r *reaching, v *Verdict) {
	if !r.within && v.Failures == 0 {
		v.fail("%s: found no message of any channel at this time, expected at least one", c.Metric)
	}
}

// silent fails a condition on gaps if the first message comes too late after a stated time, or if
// the next one is overdue when the trace or the time of the condition ends. Without two messages,
// the condition has already failed.
func (j *judge) silent(r *reaching) {
	if j.Gap == nil || j.Gap.Max == nil || j.verdict.Messages < 2 {
		return
	}
	if j.From != nil {
		begin := r.first
		if *j.From > begin.Seconds() {
			begin, _ = timebase.FromSeconds(*j.From) // in range, as the first message is
		}
		if gap := (j.first - begin).Seconds(); gap > *j.Gap.Max {
			j.verdict.fail("%s s, %s: found no message before, from %s s on, expected a gap of "+
				"%v s", trace.Seconds(j.first), j.channel.Topic, trace.Seconds(begin), j.Gap)
		}
	}
	end := r.last
	if j.Until != nil && *j.Until < end.Seconds() {
		end, _ = timebase.FromSeconds(*j.Until) // in range, as the last message is
	}
	if gap := (end - j.last).Seconds(); gap > *j.Gap.Max {
		j.verdict.fail("%s s, %s: found no further message until the end at %s s, expected a gap "+
			"of %v s", trace.Seconds(j.last), j.channel.Topic, trace.Seconds(end), j.Gap)
	}
}
