package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/timebase"
	"gosmp/trace"
)

// ErrOption reports an option that makes no sense.
var ErrOption = errors.New("unusable option")

// Options select what is measured.
type Options struct {
	Truth string // topic of the GroundTruth or SensorView; empty: the first channel that has one
	Data  string // topic of the SensorData; empty: the first one, or all with Each
	Each  bool   // measure each channel of SensorData, not only the first one
	// range of detection_rate between the centers of host vehicle and true object, in m; 0: no
	// limit
	Range float64
	Gate  float64 // largest distance of a detection from its true object, in m; 0: 2.5

	// Missing is called for each message that cannot be decoded, which is left out, and for damage,
	// at which the measurement ends early. If it is nil, both are errors.
	Missing func(error)
}

// Metric describes a metric.
type Metric struct{ Name, Unit string }

// Range returns the smallest and the largest value that a metric can have.
func (m Metric) Range() (least, greatest float64) {
	switch m.Name {
	case PostEncroachmentTime, LengthError, WidthError:
		return math.Inf(-1), math.Inf(1)
	case DetectionRate:
		return 0, 1
	case YawError:
		return 0, math.Pi
	}
	return 0, math.Inf(1)
}

// Metrics returns all metrics, in the order of their description.
func Metrics() []Metric {
	return []Metric{
		{Speed, "m/s"}, {Gap, "m"}, {TimeToCollision, "s"}, {Headway, "s"}, {PostEncroachmentTime,
			"s"}, {DetectionRate, ""},
		{FalseDetections, ""}, {PositionError, "m"}, {VelocityError, "m/s"}, {YawError, "rad"},
		{LengthError, "m"}, {WidthError, "m"},
	}
}

// The names of the metrics.
const (
	Speed                = "speed"
	Gap                  = "gap"
	TimeToCollision      = "time_to_collision"
	Headway              = "headway"
	PostEncroachmentTime = "post_encroachment_time"
	DetectionRate        = "detection_rate"
	FalseDetections      = "false_detections"
	PositionError        = "position_error"
	VelocityError        = "velocity_error"
	YawError             = "yaw_error"
	LengthError          = "length_error"
	WidthError           = "width_error"
)

// Value is a measured value.
type Value struct {
	Time   timebase.Time // of the message
	Metric string
	Object uint64 // id of the true object or, for metrics of a whole message, of the host vehicle
	Value  float64
	// Channel is the topic of the SensorData that a metric of a sensor is about; "" for others.
	Channel string
}

// Result holds the measurements.
type Result struct {
	Truth, Data string   // topics; "" if there is none. Data is the first one
	Sensors     []string // topics of all measured channels of SensorData
	WentBack    int64    // messages of an .osi file that come after a later one
	Messages    int64    // on both channels
	Metrics     []Summary
}

// Summary sums up a metric.
type Summary struct {
	Metric
	Channel  string // of the SensorData that a metric of a sensor is about; "" for others
	Count    int64
	Mean     float64
	Least    Value // the first one with the smallest value
	Greatest Value
}

// Metric returns the summary of a metric, of the first sensor that has a value; ok is false if
// there is none.
func (r *Result) Metric(name string) (s Summary, ok bool) {
	for _, s := range r.Metrics {
		if s.Name == name {
			return s, true
		}
	}
	return s, false
}

// Add adds a value.
func (s *Summary) Add(v Value) {
	s.Count++
	s.Mean += (v.Value - s.Mean) / float64(s.Count)
	if s.Count == 1 || v.Value < s.Least.Value {
		s.Least = v
	}
	if s.Count == 1 || v.Value > s.Greatest.Value {
		s.Greatest = v
	}
}

// Measure reads a source to its end. It passes values to take in message order, and values for the
// whole trace at the end. An error of take ends the measurement and is returned.
func Measure(s trace.Source, o Options, take func(Value) error) (*Result, error) {
	if o.Gate == 0 {
		o.Gate = 2.5
	}
	if !(o.Gate > 0) || !(o.Range >= 0) {
		return nil, fmt.Errorf("%w: found gate %v and range %v, expected non-negative lengths",
			ErrOption, o.Gate, o.Range)
	}
	m := &measurement{options: o, take: take, result: &Result{Truth: o.Truth, Data: o.Data},
		places: newPlaces(), skipped: map[*trace.Channel]int64{}, sums: map[string]*Summary{},
		file: s.Info(), newest: map[*trace.Channel]timebase.Time{}}
	for {
		message, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if o.Missing != nil && trace.IsDamage(err) {
			o.Missing(err)
			break
		}
		if err != nil {
			return nil, err
		}
		if err := m.message(message); err != nil {
			if o.Missing == nil || !errors.Is(err, trace.ErrContent) {
				return nil, err
			}
			o.Missing(err)
		}
	}
	if err := m.finish(s.Info().Name); err != nil {
		return nil, err
	}
	return m.result, nil
}

// measurement is the state of [Measure].
type measurement struct {
	options Options
	take    func(Value) error
	result  *Result
	decoder trace.Decoder
	truth   *trace.Channel
	blind   *trace.Channel // the first SensorView without a ground truth
	skipped map[*trace.Channel]int64
	sensors []*sensor
	recent  []scene // the newest scenes, for SensorData without a SensorView
	places  *places
	sums    map[string]*Summary
	err     error // of take
	file    *trace.Info
	newest  map[*trace.Channel]timebase.Time
	spare   []actor // memory of a scene that is not needed anymore
}

// mostRecent is the number of scenes by which a SensorData may be late.
const mostRecent = 64

// message processes a message of the measured channels.
func (m *measurement) message(message *trace.Message) error {
	c := message.Channel
	if !c.IsOSI() {
		return nil
	}
	switch c.Type {
	case "osi3.GroundTruth", "osi3.SensorView":
		if c != m.truth && (m.truth != nil || m.options.Truth != "" && m.options.Truth != c.Topic) {
			return nil
		}
		scene := scene{time: message.Time, actors: m.spare}
		has, read := true, scene.readTruth
		if c.Type == "osi3.SensorView" {
			has = false
			read = func(b []byte) bool { return scene.readView(b, &has) }
		}
		if !read(message.Data) {
			return m.undecodable(message)
		}
		if m.truth == nil && !has && m.options.Truth == "" {
			m.blind = cmp.Or(m.blind, c)
			m.skipped[c]++
			return nil
		}
		m.choose(c)
		scene.sort()
		m.traffic(scene)
	case "osi3.SensorData":
		from := m.sensor(c)
		if from == nil {
			return nil
		}
		var d sensed
		if !d.read(message.Data) {
			return m.undecodable(message)
		}
		d.truth.sort()
		m.sensed(from, message.Time, &d)
	default:
		return nil
	}
	m.result.Messages++
	return cmp.Or(m.err, m.ordered(message))
}

// choose makes a channel the truth.
func (m *measurement) choose(c *trace.Channel) {
	if m.truth == nil {
		m.truth, m.result.Truth = c, c.Topic
		m.result.Messages += m.skipped[c]
	}
}

// undecodable returns the error for a message with a malformed field.
func (m *measurement) undecodable(message *trace.Message) error {
	if _, err := m.decoder.Decode(message); err != nil {
		return err
	}
	return fault.New(trace.ErrContent, fault.At("channel "+message.Channel.Topic),
		"a malformed field", "a message of type "+message.Channel.Type)
}

// ordered refuses a channel that is not sorted by time, such as MCAP from a pipe, because
// measurements from one message to the next would be wrong. A file with one channel is in the order
// in which it was written, so a time that goes back there means that a run was restarted.
func (m *measurement) ordered(message *trace.Message) error {
	last, t := m.newest[message.Channel], message.Time
	m.newest[message.Channel] = t
	if t >= last {
		return nil
	}
	if m.file.Format.HasOneChannel() {
		m.result.WentBack++
		return nil
	}
	place := fault.Place{File: m.file.Name, Object: "channel " + message.Channel.Topic}
	return fault.New(trace.ErrTime, place, fmt.Sprintf("a message at %v after one at %v", t, last),
		"messages in the order of their log times").
		WithHint("give MCAP as a file, not through a pipe: it is then sorted")
}

// give passes a value to take and adds it to its summary.
func (m *measurement) give(t timebase.Time, metric string, object uint64, value float64) {
	m.add(m.sums, Value{Time: t, Metric: metric, Object: object, Value: value})
}

// add is like give, for the summaries of the truth or of a sensor.
func (m *measurement) add(sums map[string]*Summary, v Value) {
	if m.err != nil || math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
		return
	}
	s := sums[v.Metric]
	if s == nil {
		s = &Summary{}
		sums[v.Metric] = s
	}
	s.Add(v)
	m.err = m.take(v)
}

// finish passes on the values that are known only at the end.
func (m *measurement) finish(file string) error {
	for _, wanted := range []struct {
		topic string
		found bool
		kind  string
	}{{m.options.Truth, m.truth != nil, "GroundTruth or SensorView"}, {m.options.Data,
		len(m.sensors) > 0, "SensorData"}} {
		if wanted.topic != "" && !wanted.found {
			return fault.New(trace.ErrChannel, fault.In(file),
				fmt.Sprintf("no message in channel %q", wanted.topic), "a channel of "+
					wanted.kind)
		}
	}
	if m.truth == nil && m.blind != nil {
		m.choose(m.blind)
	}
	if m.truth == nil && len(m.sensors) == 0 {
		return fault.New(trace.ErrChannel, fault.In(file),
			"no GroundTruth, SensorView or SensorData", "at least one to measure")
	}
	for _, e := range m.places.encounters() {
		m.give(e.at, PostEncroachmentTime, e.object, e.time.Seconds())
	}
	for _, described := range Metrics() {
		if s := m.sums[described.Name]; s != nil {
			s.Metric = described
			m.result.Metrics = append(m.result.Metrics, *s)
		}
		for _, from := range m.sensors {
			if s := from.sums[described.Name]; s != nil {
				s.Metric, s.Channel = described, from.channel.Topic
				m.result.Metrics = append(m.result.Metrics, *s)
			}
		}
	}
	return m.err
}

// traffic measures a scene.
func (m *measurement) traffic(s scene) {
	m.spare = nil
	if m.recent = append(m.recent, s); len(m.recent) > mostRecent {
		m.spare = m.recent[0].actors[:0]
		m.recent = slices.Delete(m.recent, 0, 1)
	}
	for _, a := range s.actors {
		if a.moving {
			m.give(s.time, Speed, a.id, portable.Hypot(a.vx, a.vy))
		}
	}
	host := s.host()
	if host == nil {
		return
	}
	m.ahead(&s, host)
	m.places.move(&s, host)
}

// ahead measures the objects in the corridor of the host vehicle.
func (m *measurement) ahead(s *scene, host *actor) {
	forward, _ := host.along(host.vx, host.vy)
	nearest, found := 0.0, false
	for k := range s.actors {
		a := &s.actors[k]
		if a == host {
			continue
		}
		gap, ahead := host.gapTo(a)
		if !ahead {
			continue
		}
		m.give(s.time, Gap, a.id, gap)
		speed, _ := host.along(a.vx, a.vy)
		if closing := forward - speed; closing > 0 && host.moving && a.moving {
			m.give(s.time, TimeToCollision, a.id, gap/closing)
		}
		if !found || gap < nearest {
			nearest, found = gap, true
		}
	}
	if found && forward > 0 {
		m.give(s.time, Headway, host.id, nearest/forward)
	}
}

// truthOf returns the scene that a SensorData is about.
func (m *measurement) truthOf(t timebase.Time, d *sensed) *scene {
	if d.carried {
		d.truth.time = t
		return &d.truth
	}
	if d.measured {
		t = min(t, d.last)
	}
	for k := len(m.recent) - 1; k >= 0; k-- {
		if m.recent[k].time <= t {
			return &m.recent[k]
		}
	}
	return nil
}

// byID orders actors by their ids.
func byID(a, b actor) int { return cmp.Compare(a.id, b.id) }
