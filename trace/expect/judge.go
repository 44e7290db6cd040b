package expect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/metrics"
)

// Options control how conditions are judged.
type Options struct {
	Topics  []string        // channels that conditions may be about; all if empty
	Metrics metrics.Options // how metrics are measured
}

// Verdict is the verdict on a condition.
type Verdict struct {
	Name     string
	Passed   bool
	Cause    string // the first violation
	Messages int64  // messages that the condition is about; for a metric, its values
	Failures int64  // messages or values violating the condition
}

// Judge judges a trace; each call of open reopens it. The verdicts are in the order of the
// conditions. The error reports a failure to read, or a condition about a channel that does not
// exist.
func (c *Conditions) Judge(open func() (trace.Source, error), o Options) ([]Verdict, error) {
	verdicts := make([]Verdict, len(c.List))
	s, err := reach(open)
	if err != nil {
		return nil, err
	}
	judges, err := c.judges(s, o, verdicts)
	if err == nil && len(judges) > 0 {
		err = each(s, judges)
	}
	for _, j := range judges {
		j.silent(s)
		j.reached(s, j.verdict)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	for k := range c.List {
		v := &verdicts[k]
		if c.List[k].Metric != "" {
			if err := c.List[k].measure(open, o, v); err != nil {
				return nil, err
			}
		}
		v.Name = c.List[k].title()
		v.Passed = v.Failures == 0
	}
	return verdicts, nil
}

// each passes every message to the judges of its channel.
func each(s trace.Source, judges []*judge) error {
	var decoder trace.Decoder
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var decoded proto.Message
		for _, j := range judges {
			if m.Channel != j.channel || !j.counts(m.Time) {
				continue
			}
			if decoded == nil && j.decodes() {
				if decoded, err = decoder.Decode(m); err != nil {
					return err
				}
			}
			if err := j.message(m, decoded); err != nil {
				return err
			}
		}
	}
	for _, j := range judges {
		j.finish()
	}
	return nil
}

// judge is the state of a condition while a trace is read.
type judge struct {
	*Condition
	verdict *Verdict
	channel *trace.Channel
	first   timebase.Time // of the counted messages: the earliest, and the one read last
	last    timebase.Time
	values  int64
	counter *rules.Counter
}

// judges creates a judge for each condition that is about a channel.
func (c *Conditions) judges(s trace.Source, o Options, verdicts []Verdict) (list []*judge,
	err error) {
	var channels []*trace.Channel
	for _, channel := range s.Channels() {
		if len(o.Topics) == 0 || slices.Contains(o.Topics, channel.Topic) {
			channels = append(channels, channel)
		}
	}
	for k := range c.List {
		condition := &c.List[k]
		if condition.Metric != "" {
			continue
		}
		channel, err := condition.choose(channels)
		if err != nil {
			return nil, err
		}
		j := &judge{Condition: condition, verdict: &verdicts[k], channel: channel}
		if err := j.prepare(); err != nil {
			return nil, err
		}
		list = append(list, j)
	}
	return list, nil
}

// prepare refuses paths that no message can have, and rules for messages that are not OSI messages.
func (j *judge) prepare() (err error) {
	refuse := func(found, expected string) error {
		return fault.New(ErrConditions, fault.Place{Line: j.line, Object: "condition " + j.title()},
			found, expected)
	}
	if j.Rules {
		if j.counter, err = rules.NewCounter(j.channel.Type); err != nil {
			return refuse("messages of type "+j.channel.Type, "a type of OSI, which has rules")
		}
		for _, id := range j.Except {
			if !slices.ContainsFunc(j.counter.Rules(), func(r rules.Rule) bool {
				return r.Target == id
			}) {
				return refuse(fmt.Sprintf("except %q", id), "the id of a rule of "+j.channel.Type)
			}
		}
	}
	if j.Field == "" {
		return nil
	}
	kind, err := (&trace.Decoder{}).Type(j.channel)
	if err != nil {
		return err
	}
	d, f := kind.Descriptor(), protoreflect.FieldDescriptor(nil)
	for _, name := range strings.Split(j.Field, ".") {
		f = nil
		if d != nil {
			f = d.Fields().ByName(protoreflect.Name(name))
		}
		if f == nil {
			return refuse(fmt.Sprintf("no field %q", name), "a dotted path of a "+j.channel.Type+
				", without indices")
		}
		d = f.Message()
	}
	least, greatest, whole := rangeOf(f)
	if err = j.Value.pointless("value", least, greatest, whole); err != nil {
		err = fault.Wrap(ErrConditions, fault.Place{Line: j.line,
			Object: "condition " + j.title()}, err)
	}
	return err
}

// choose finds the channel of a condition.
func (c *Condition) choose(channels []*trace.Channel) (*trace.Channel, error) {
	var found []*trace.Channel
	var topics []string
	for _, channel := range channels {
		topics = append(topics, channel.Topic)
		wanted := (&trace.Selection{Topics: []string{c.Channel}}).Wants(channel)
		if c.Channel == "" || wanted || strings.HasSuffix(channel.Topic, "."+c.Channel) {
			found = append(found, channel)
		}
	}
	if len(found) != 1 {
		return nil, fault.New(trace.ErrChannel, fault.Place{Line: c.line, Object: "condition " +
			c.title()}, fmt.Sprintf("%d channels for channel %q", len(found), c.Channel),
			"one of "+strings.Join(topics, ", "))
	}
	return found[0], nil
}

// counts reports whether the condition applies at a time.
func (c *Condition) counts(t timebase.Time) bool {
	return (c.From == nil || t.Seconds() >= *c.From) && (c.Until == nil || t.Seconds() < *c.Until)
}

func (c *Condition) decodes() bool { return c.Field != "" }

// fail records that a message violates the condition.
func (v *Verdict) fail(format string, a ...any) {
	if v.Failures++; v.Cause == "" {
		v.Cause = fmt.Sprintf(format, a...)
	}
}

// message judges a message.
func (j *judge) message(m *trace.Message, decoded proto.Message) error {
	if j.Gap != nil && j.verdict.Messages > 0 {
		if gap := (m.Time - j.last).Seconds(); !j.Gap.holds(gap) {
			j.verdict.fail("%s s, %s: found a gap of %v s, expected %v s", trace.Seconds(m.Time),
				m.Channel.Topic, gap, j.Gap)
		}
	}
	if j.verdict.Messages == 0 || m.Time < j.first {
		j.first = m.Time
	}
	j.last = m.Time
	j.verdict.Messages++
	if j.Field != "" {
		j.field(m, decoded)
	}
	if j.Rules {
		return j.rules(m)
	}
	return nil
}

// field judges the values of a field.
func (j *judge) field(m *trace.Message, decoded proto.Message) {
	place := fmt.Sprintf("%s s, %s, %s", trace.Seconds(m.Time), m.Channel.Topic, j.Field)
	count, failed := int64(0), false
	visit(decoded.ProtoReflect(), strings.Split(j.Field, "."), func(v protoreflect.Value,
		f protoreflect.FieldDescriptor) {
		count++
		if x, isNumber := numberOf(v, f); j.Value != nil && !failed &&
			(!isNumber || !j.Value.holds(x)) {
			failed = true
			text := "a message"
			if f.Message() == nil {
				text = trace.Cell(v, f)
			}
			j.verdict.fail("%s: found %s, expected %v", place, text, j.Value)
		}
	})
	j.values += count
	if j.Count != nil && !j.Count.holds(float64(count)) {
		j.verdict.fail("%s: found %d, expected %v", place, count, j.Count)
	}
	if j.Present && count == 0 {
		j.verdict.fail("%s: found nothing, expected a value", place)
	}
}

// visit calls what for each value of a path.
func visit(m protoreflect.Message, path []string, what func(protoreflect.Value,
	protoreflect.FieldDescriptor)) {
	f := m.Descriptor().Fields().ByName(protoreflect.Name(path[0]))
	if f == nil || !m.Has(f) || f.IsMap() {
		return
	}
	one := func(v protoreflect.Value) {
		switch {
		case len(path) == 1:
			what(v, f)
		case f.Message() != nil:
			visit(v.Message(), path[1:], what)
		}
	}
	if !f.IsList() {
		one(m.Get(f))
		return
	}
	for k := range m.Get(f).List().Len() {
		one(m.Get(f).List().Get(k))
	}
}

// rules judges a message by OSI's rules. References may point to earlier messages.
func (j *judge) rules(m *trace.Message) error {
	broken, err := j.counter.Check(m.Data)
	if err != nil {
		return err
	}
	var ids []string
	for _, n := range broken {
		if r := j.counter.Rules()[n]; !r.Information && !slices.Contains(j.Except, r.Target) {
			ids = append(ids, r.Target)
		}
	}
	if len(ids) > 0 {
		j.verdict.fail("%s s, %s: breaks %s", trace.Seconds(m.Time), m.Channel.Topic,
			strings.Join(ids, ", "))
	}
	return nil
}

// finish judges what is known only at the end.
func (j *judge) finish() {
	if j.Messages != nil && !j.Messages.holds(float64(j.verdict.Messages)) {
		j.verdict.fail("%s: found %s, expected %v", j.channel.Topic, quantity.Of(j.verdict.Messages,
			"message"), j.Messages)
	}
	switch {
	case j.verdict.Messages == 0 && (j.Gap != nil || j.Field != "" || j.Rules):
		j.verdict.fail("%s: found no message at this time, expected at least one", j.channel.Topic)
	case j.verdict.Messages == 1 && j.Gap != nil:
		j.verdict.fail("%s: found one message at this time, expected two, which have a gap",
			j.channel.Topic)
	case j.Value != nil && j.values == 0:
		j.verdict.fail("%s, %s: found no value, expected %v", j.channel.Topic, j.Field, j.Value)
	}
}

// measure judges a metric.
func (c *Condition) measure(open func() (trace.Source, error), o Options, v *Verdict) error {
	s, err := reach(open)
	if err != nil {
		return err
	}
	s.during = c
	defer func() { _ = s.Close() }() // was only read
	sum := metrics.Summary{}
	_, err = metrics.Measure(s, o.Metrics, func(x metrics.Value) error {
		if x.Metric == c.Metric && c.counts(x.Time) {
			sum.Add(x)
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.reached(s, v)
	c.measured(s, v)
	v.Messages = sum.Count
	if c.Count != nil && !c.Count.holds(float64(sum.Count)) {
		v.fail("%s: found %d values, expected %v", c.Metric, sum.Count, c.Count)
	}
	if sum.Count == 0 {
		if c.Mean != nil || c.Least != nil || c.Greatest != nil {
			v.fail("%s: found no value, expected at least one", c.Metric)
		}
		return nil
	}
	if c.Mean != nil && !c.Mean.holds(sum.Mean) {
		v.fail("%s: found mean %v, expected %v", c.Metric, sum.Mean, c.Mean)
	}
	for _, x := range []struct {
		name   string
		bounds *Bounds
		metrics.Value
	}{{"least", c.Least, sum.Least}, {"greatest", c.Greatest, sum.Greatest}} {
		if x.bounds != nil && !x.bounds.holds(x.Value.Value) {
			v.fail("%s s, object %d: found %s %s %v, expected %v", trace.Seconds(x.Time), x.Object,
				x.name, c.Metric, x.Value.Value, x.bounds)
		}
	}
	return nil
}
