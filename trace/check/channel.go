package check

import (
	"fmt"
	"maps"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// channel collects what is known about a channel.
type channel struct {
	*trace.Channel
	report   *Channel
	counter  *rules.Counter
	first    map[int]finding.Finding // first finding for a broken rule
	content  content
	found    map[string]*Finding // by id
	order    []string
	previous timebase.Time // stamp of the previous message
	logged   timebase.Time // its log time
	doubt    func()        // reports a time that went backwards, unless the clock was restarted
	intervals
}

// intervals holds the time intervals between messages.
type intervals struct {
	count   map[timebase.Time]int64
	longest timebase.Time
	behind  timebase.Time // where the longest interval begins
}

// mostIntervals bounds the memory for intervals. A recording with that many different intervals has
// no fixed rate.
const mostIntervals = 1 << 16

func (c *checker) channel(t *trace.Channel) *channel {
	if known := c.channels[t]; known != nil {
		return known
	}
	ch := &channel{Channel: t, report: &Channel{Channel: t}, first: map[int]finding.Finding{},
		found:     map[string]*Finding{},
		intervals: intervals{count: map[timebase.Time]int64{}}}
	if t.IsOSI() && c.options.Rules {
		ch.counter, _ = rules.NewCounter(t.Type) // IsOSI: the type is known
		if c.counter != nil {
			ch.counter.Share(c.counter)
		}
		c.counter = ch.counter
	}
	c.channels[t] = ch
	c.choose(t)
	c.order = append(c.order, ch)
	c.report.Channels = append(c.report.Channels, ch.report)
	return ch
}

// message checks a message.
func (c *checker) message(m *trace.Message) {
	ch := c.channel(m.Channel)
	c.report.Messages++
	ch.report.Messages++
	ch.report.Bytes += int64(len(m.Data))
	if ch.IsOSI() {
		ch.checkOSI(c, m)
	}
	sign := c.sign(m)
	if sign == mcap.Again {
		ch.doubt = nil
		r := c.clocks.Newest()
		ch.note(finding.Error, "trace.restart", m,
			fmt.Sprintf("found %s s after %s s, so that the clock has started again, expected the "+
				"times of one drive", trace.Seconds(timebase.Time(r.After)),
				trace.Seconds(timebase.Time(r.Before))), trace.SplitRemedy)
	}
	ch.decide()
	ch.checkTime(m, sign == mcap.Doubtful)
}

// sign passes the time of a message to the clock. The time of a message that may be damaged is not
// used.
func (c *checker) sign(m *trace.Message) mcap.Sign {
	if mcap.IsDamaged(m.Channel.Metadata) {
		c.clocks.Pass()
		return mcap.InOrder
	}
	return c.clocks.Take(m.Channel, uint64(m.Time))
}

// decide reports that a message's time went backwards although the clock was not restarted.
func (ch *channel) decide() {
	if ch.doubt != nil {
		ch.doubt()
		ch.doubt = nil
	}
}

// note counts an occurrence of a finding. The finding keeps the text of the first occurrence.
func (ch *channel) note(s finding.Severity, id string, m *trace.Message, message, remedy string) {
	if ch.again(id) {
		return
	}
	place := fmt.Sprintf("channel %s, message %d, %s s", ch.Topic, ch.report.Messages,
		trace.Seconds(m.Time))
	ch.found[id] = &Finding{finding.Finding{ID: id, Severity: s, Place: fault.At(place),
		Message: message, Remedy: remedy}, 1}
	ch.order = append(ch.order, id)
}

// again counts an occurrence of a finding that is already known, whose text need not be formatted:
// a message can have millions of faults of one kind.
func (ch *channel) again(id string) bool {
	known := ch.found[id]
	if known != nil {
		known.Count++
	}
	return known != nil
}

// checkTime checks T14: times are in order and have no gaps. A time that goes backwards may turn
// out only later to be a clock restart.
func (ch *channel) checkTime(m *trace.Message, doubtful bool) {
	r := ch.report
	defer func() { ch.previous, ch.logged = m.Publish, m.Time }()
	if r.Messages == 1 {
		r.First, r.Last = m.Time, m.Time
		return
	}
	r.First, r.Last = min(r.First, m.Time), max(r.Last, m.Time)
	distance := m.Publish - ch.previous
	switch {
	case distance < 0:
		remedy := "record in the order of time; gosmp convert sorts MCAP files by log time"
		if m.Time >= ch.logged {
			remedy = "correct the sender; the log times are in order, so that sorting does not help"
		}
		text := fmt.Sprintf("found %s s after %s s, expected times that do not go back",
			trace.Seconds(m.Publish), trace.Seconds(ch.previous))
		at := *m
		ch.doubt = func() { ch.note(finding.Error, "trace.time.back", &at, text, remedy) }
		if !doubtful {
			ch.decide()
		}
		return
	case distance == 0 && !ch.again("trace.time.same"):
		ch.note(finding.Warning, "trace.time.same", m, fmt.Sprintf("found a second message at %s s",
			trace.Seconds(m.Publish)), "viewers show one of them only")
	}
	if distance > ch.longest {
		ch.longest, ch.behind = distance, ch.previous
	}
	if _, known := ch.count[distance]; known || len(ch.count) < mostIntervals {
		ch.count[distance]++
	}
}

// checkOSI checks the content of an OSI message.
func (ch *channel) checkOSI(c *checker, m *trace.Message) {
	if len(m.Data) == 0 {
		ch.note(finding.Warning, "trace.message.empty", m, "found a message of length 0",
			"some tools refuse such files; leave empty messages out")
		return
	}
	c.judged = true
	stamp, there := trace.StampOf(ch.Type, m.Data)
	if there && !c.report.Format.HasOneChannel() {
		if stamp != m.Publish {
			ch.note(finding.Error, "trace.time.publish", m,
				fmt.Sprintf("found publish time %s s, expected the time stamp of the message, %s s",
					trace.Seconds(m.Publish), trace.Seconds(stamp)),
				"correct the recorder (OSI 3.8.0)")
		} else if m.Time != m.Publish {
			ch.note(finding.Note, "trace.time.log", m,
				fmt.Sprintf("log time %s s differs from the time stamp, %s s",
					trace.Seconds(m.Time), trace.Seconds(stamp)),
				"right only if transmission times matter")
		}
	}
	ch.checkContent(c, m)
	ch.checkRules(m)
}

// checkRules applies OSI's rules. The first message that breaks one is decoded to describe it.
func (ch *channel) checkRules(m *trace.Message) {
	if ch.counter == nil {
		return
	}
	var d trace.Decoder
	err := d.Affordable(m)
	var broken []int
	if err == nil {
		broken, err = ch.counter.Check(m.Data)
	}
	if err != nil {
		ch.note(finding.Error, "deserialization.possible", m, err.Error(),
			"check the message type; --type sets another one")
		return
	}
	if ch.counter.Unusable() {
		ch.unusable(m)
	}
	fresh := false
	for _, k := range broken {
		_, known := ch.first[k]
		fresh = fresh || !known
	}
	if fresh {
		ch.describe(m, broken)
	}
}

// unusable reports a number that cannot be used in computations.
func (ch *channel) unusable(m *trace.Message) {
	var d trace.Decoder
	decoded, err := d.Decode(m)
	if err != nil {
		return // the counter has already decoded it
	}
	u := rules.FindUnusable(decoded)
	if u == nil {
		return
	}
	where := u.Path
	if u.Object != "" {
		where += " (" + u.Object + ")"
	}
	remedy := "correct the sender; draw, report and metrics leave the object out"
	if u.Finite() {
		ch.note(finding.Warning, "values.magnitude", m,
			fmt.Sprintf("%s: found %v, expected at most 1e8", where, u.Value), remedy)
		return
	}
	ch.note(finding.Error, "values.not-finite", m,
		fmt.Sprintf("%s: found %v, expected a finite number", where, u.Value), remedy)
}

func (ch *channel) describe(m *trace.Message, broken []int) {
	var d trace.Decoder
	decoded, err := d.Decode(m)
	if err != nil {
		return // the counter has already decoded it
	}
	var ids []string
	for _, k := range broken {
		if _, known := ch.first[k]; !known {
			ids = append(ids, ch.counter.Rules()[k].ID)
		}
	}
	list := rules.First(decoded, ids)
	place := fmt.Sprintf("channel %s, message %d, %s s", ch.Topic, ch.report.Messages,
		trace.Seconds(m.Time))
	for _, k := range broken {
		if _, known := ch.first[k]; known {
			continue
		}
		rule := ch.counter.Rules()[k]
		f := finding.Finding{Message: "the rule is broken"}
		if n := slices.IndexFunc(list, func(f finding.Finding) bool {
			return f.ID == rule.ID
		}); n >= 0 {
			f = list[n]
			f.Message = f.Place.Object + ": " + f.Message
		}
		f.ID, f.Place = rule.Target, fault.At(place)
		if rule.Information {
			f.Severity = finding.Note
		}
		ch.first[k] = f
	}
}

// finish adds the findings of the channel to the report.
func (ch *channel) finish(c *checker) {
	ch.decide()
	ch.finishContent(c)
	ch.gaps()
	group := c.group("channel " + ch.Topic)
	for _, id := range ch.order {
		c.take(group, *ch.found[id])
	}
	if ch.counter == nil {
		return
	}
	counts := ch.counter.Counts()
	for _, k := range slices.Sorted(maps.Keys(ch.first)) {
		c.take(group, Finding{ch.first[k], counts[k]})
	}
}

// gaps compares the intervals with their median.
func (ch *channel) gaps() {
	var total int64
	for _, n := range ch.count {
		total += n
	}
	if total == 0 {
		return
	}
	sorted := slices.Sorted(maps.Keys(ch.count))
	half := (total + 1) / 2
	for _, d := range sorted {
		if half -= ch.count[d]; half <= 0 {
			ch.report.Interval = d
			break
		}
	}
	const times = 3
	var gaps int64
	for _, d := range sorted {
		if ch.report.Interval > 0 && d > times*ch.report.Interval {
			gaps += ch.count[d]
		}
	}
	if gaps == 0 {
		return
	}
	place := fmt.Sprintf("channel %s, %s s", ch.Topic, trace.Seconds(ch.behind))
	ch.found["trace.gap"] = &Finding{finding.Finding{ID: "trace.gap", Severity: finding.Warning,
		Place: fault.At(place),
		Message: fmt.Sprintf("found a gap of %s s, expected messages about every %s s",
			trace.Seconds(ch.longest), trace.Seconds(ch.report.Interval)),
		Remedy: "was the recorder too slow, or did the sender pause?"}, gaps}
	ch.order = append(ch.order, "trace.gap")
}
