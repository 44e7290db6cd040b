package compare

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gosmp/timebase"
	"gosmp/trace"
)

// Options define what counts as equal.
type Options struct {
	Tolerances []Tolerance // the last one that covers a field wins
	// by how much the times of two matching messages may differ
	Time     timebase.Time
	ExactIDs bool     // compare tracking ids as numbers
	Topics   []string // channels of the expected trace to compare; all if empty
	Found    []string // channels of the found trace that may match them; all if empty
	Most     int      // differences to keep; 0: 1000. All are counted.
}

// Report is the result of a comparison.
type Report struct {
	Channels    []*Channel   // of the expected trace
	Differences []Difference // in the order of their times
	Count       int64        // of all differences
	Left        []string     // topics that occur only in the found trace
	// fields of tolerances that the types of the compared channels do not have
	Unused []string
}

// Equal reports whether messages were compared and no difference was found.
func (r *Report) Equal() bool { return r.Count == 0 && r.Compared() > 0 }

// Compared counts the pairs of messages that were compared.
func (r *Report) Compared() (n int64) {
	for _, c := range r.Channels {
		n += c.Messages
	}
	return n
}

// Channel is a pair of channels.
type Channel struct {
	Topic       string
	Found       string // topic in the found trace; "" if there is none
	Type        string
	Messages    int64 // pairs of messages compared
	Differences int64
}

// Difference is a single difference between the traces.
type Difference struct {
	Channel  string        `json:"channel"`
	Time     timebase.Time `json:"time"`             // of the expected message, in nanoseconds
	Object   string        `json:"object,omitempty"` // "moving_object with tracking id 7"
	Field    string        `json:"field,omitempty"`  // dotted path inside the object
	Expected string        `json:"expected"`
	Found    string        `json:"found"`
}

// String returns the difference as one line.
func (d Difference) String() string {
	place := []string{trace.Seconds(d.Time) + " s", d.Channel}
	for _, part := range []string{d.Object, d.Field} {
		if part != "" {
			place = append(place, part)
		}
	}
	return fmt.Sprintf("%s: expected %s, found %s", strings.Join(place, ", "), d.Expected, d.Found)
}

// skew is how far a channel of a file without an index may lag behind other channels.
const skew = 10 * timebase.Second

// Traces compares two traces to their ends. The error reports a failure to read or decode.
func Traces(expected, found trace.Source, o Options) (*Report, error) {
	if o.Most == 0 {
		o.Most = 1000
	}
	for _, t := range o.Tolerances {
		if err := t.Check(); err != nil {
			return nil, err
		}
	}
	c := &comparison{options: o, report: &Report{}, tolerances: tolerances{list: o.Tolerances},
		unclaimed: map[*trace.Channel]unclaimed{}}
	c.sides = [2]side{{source: expected, pairs: map[*trace.Channel]*pair{}}, {source: found,
		pairs: map[*trace.Channel]*pair{}}}
	c.declare()
	for {
		s := c.behind()
		if s == nil {
			break
		}
		if err := c.read(s); err != nil {
			return nil, err
		}
	}
	for _, p := range c.pairs {
		c.expire(p, timebase.EndOfTime, timebase.EndOfTime)
	}
	c.finish()
	return c.report, nil
}

// comparison is the state of [Traces].
type comparison struct {
	options    Options
	report     *Report
	tolerances tolerances
	sides      [2]side // the expected trace, the found trace
	pairs      []*pair
	decoder    trace.Decoder
	unclaimed  map[*trace.Channel]unclaimed
}

// side is one of the traces.
type side struct {
	source trace.Source
	pairs  map[*trace.Channel]*pair
	now    timebase.Time
	done   bool
}

// behind returns the side to read next, or nil at the end of both.
func (c *comparison) behind() *side {
	e, f := &c.sides[0], &c.sides[1]
	switch {
	case e.done && f.done:
		return nil
	case e.done || f.now < e.now: // a side that is done counts as infinitely late
		return f
	}
	return e
}

// read reads one message of a side and compares what can be compared at that point.
func (c *comparison) read(s *side) error {
	m, err := s.source.Next()
	if errors.Is(err, io.EOF) {
		s.done, s.now = true, timebase.EndOfTime
		return nil
	}
	if err != nil {
		return err
	}
	s.now = max(s.now, m.Time)
	kept := *m
	kept.Data = slices.Clone(m.Data)
	var p *pair
	k := 0
	if s == &c.sides[0] {
		p = c.expect(m.Channel)
	} else {
		k, p = 1, c.pairFor(m.Channel)
		if p == nil && (&trace.Selection{Topics: c.options.Found}).Wants(m.Channel) {
			c.keep(&kept)
		}
	}
	if p == nil {
		return nil
	}
	p.waiting[k] = append(p.waiting[k], &kept)
	if err := c.match(p); err != nil {
		return err
	}
	c.expire(p, c.sides[1].now, c.sides[0].now)
	return nil
}

// match compares the messages of a pair that have been read from both sides.
func (c *comparison) match(p *pair) error {
	for len(p.waiting[0]) > 0 && len(p.waiting[1]) > 0 {
		e, f := p.waiting[0][0], p.waiting[1][0]
		switch {
		case e.Time+c.options.Time < f.Time:
			c.alone(p, 0)
		case f.Time+c.options.Time < e.Time:
			c.alone(p, 1)
		default:
			if err := c.messages(p, e, f); err != nil {
				return err
			}
			p.waiting[0], p.waiting[1] = p.waiting[0][1:], p.waiting[1][1:]
		}
	}
	return nil
}

// expire reports messages whose partner can no longer come, because the other side is far past
// them.
func (c *comparison) expire(p *pair, found, expected timebase.Time) {
	for k, now := range []timebase.Time{found, expected} {
		for len(p.waiting[k]) > 0 && (now == timebase.EndOfTime || p.waiting[k][0].Time+
			c.options.Time+skew < now) {
			c.alone(p, k)
		}
	}
}

// alone reports the first waiting message of a side as one without a partner.
func (c *comparison) alone(p *pair, k int) {
	m := p.waiting[k][0]
	p.waiting[k] = p.waiting[k][1:]
	if p.partner == nil { // a partner may still appear; otherwise the pair is reported at the end
		p.missed = append(p.missed, m.Time)
		return
	}
	c.lonely(p, k, m.Time)
}

// lonely reports that one side has a message that the other side lacks.
func (c *comparison) lonely(p *pair, k int, at timebase.Time) {
	d := Difference{Channel: p.Topic, Time: at, Expected: "a message", Found: "none at this time"}
	if k == 1 {
		d.Expected, d.Found = "no message at this time", "one"
	}
	c.add(p, d)
}

// add records a difference.
func (c *comparison) add(p *pair, d Difference) {
	c.report.Count++
	p.Differences++
	if len(c.report.Differences) < c.options.Most {
		c.report.Differences = append(c.report.Differences, d)
	}
}

// finish reports channels without a partner and puts the differences in order.
func (c *comparison) finish() {
	c.report.Unused = c.unused()
	for _, channel := range c.sides[1].source.Channels() {
		if c.sides[1].pairs[channel] == nil && (&trace.Selection{Topics: c.options.Found}).Wants(
			channel) {
			c.report.Left = append(c.report.Left, channel.Topic)
		}
	}
	for _, p := range c.pairs {
		if p.partner == nil {
			found := "none"
			if len(c.report.Left) > 0 {
				found = strings.Join(c.report.Left, ", ")
			}
			c.add(p, Difference{Channel: p.Topic, Expected: "a channel of " + p.Type,
				Found: found})
		}
		if !p.compared && p.ignored {
			c.add(p, Difference{Channel: p.Topic, Expected: "a field to compare",
				Found: "only ignored ones"})
		}
	}
	slices.SortStableFunc(c.report.Differences,
		func(a, b Difference) int { return int(max(-1, min(1, a.Time-b.Time))) })
}

// messages compares two messages.
func (c *comparison) messages(p *pair, e, f *trace.Message) error {
	p.Messages++
	equal := slices.Equal(e.Data, f.Data) && e.Channel.Encoding == f.Channel.Encoding &&
		(c.options.ExactIDs || p.ids.identity())
	// fields are looked at until one is compared, to detect that all are ignored
	if equal && (p.compared || !c.ignores() || e.Channel.Encoding != trace.Protobuf) {
		return c.learn(p, e)
	}
	if e.Channel.Encoding != trace.Protobuf || f.Channel.Encoding != trace.Protobuf {
		c.add(p, Difference{Channel: p.Topic, Time: e.Time,
			Expected: fmt.Sprintf("%d bytes of %s", len(e.Data), e.Channel.Encoding),
			Found:    fmt.Sprintf("%d other bytes of %s", len(f.Data), f.Channel.Encoding)})
		return nil
	}
	expected, err := c.decoder.Decode(e)
	if err != nil && equal { // only their bytes can be compared
		p.compared = true
		return c.learn(p, e)
	}
	if err != nil {
		return err
	}
	found, err := c.decoder.Decode(f)
	if err != nil {
		return err
	}
	d := c.differ(p, func(object, field, want, got string) {
		c.add(p, Difference{p.Topic, e.Time, object, field, want, got})
	})
	d.top(expected.ProtoReflect(), found.ProtoReflect())
	return nil
}

// differ returns what compares messages of a pair, and how differences are reported.
func (c *comparison) differ(p *pair, report func(object, field, expected, found string)) *differ {
	return &differ{tolerances: &c.tolerances, ids: &p.ids, exact: c.options.ExactIDs,
		report: report, place: &c.tolerances.top, pair: p}
}

// ignores reports whether the options exclude fields.
func (c *comparison) ignores() bool {
	return slices.ContainsFunc(c.options.Tolerances, func(t Tolerance) bool { return t.Ignore })
}
