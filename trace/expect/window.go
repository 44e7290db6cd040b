package expect

import (
	"gosmp/timebase"
	"gosmp/trace"
)

// reaching is a source that remembers the time of the latest message, so that a condition that
// begins after the end of a trace is not taken as kept.
type reaching struct {
	trace.Source
	last timebase.Time
	any  bool
}

func reach(open func() (trace.Source, error)) (*reaching, error) {
	s, err := open()
	return &reaching{Source: s}, err
}

// Next returns the next message.
func (r *reaching) Next() (*trace.Message, error) {
	m, err := r.Source.Next()
	if err == nil && (!r.any || m.Time > r.last) {
		r.last, r.any = m.Time, true
	}
	return m, err
}

// reached fails a condition that begins later than the last message of the trace, of any channel.
func (c *Condition) reached(r *reaching, v *Verdict) {
	switch {
	case c.From == nil || r.any && r.last.Seconds() >= *c.From:
	case !r.any:
		v.fail("found no message of any channel, expected some from %v s on", *c.From)
	default:
		v.fail("found the last message of all channels at %s s, expected some from %v s on",
			trace.Seconds(r.last), *c.From)
	}
}
