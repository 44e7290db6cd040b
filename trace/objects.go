package trace

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"gosmp/internal/fault"
	"gosmp/proto/field"
	"gosmp/proto/osi3"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

// objectSink writes one row for each moving object of each GroundTruth or SensorView, using the
// columns that omega-prime established for evaluations in Python.
type objectSink struct {
	buffered *bufio.Writer
	to       *csv.Writer
	decoder  Decoder
	topics   topics
	begun    bool
	row      []string
}

var objectColumns = []string{"total_nanos", "idx", "x", "y", "z", "vel_x", "vel_y", "vel_z",
	"acc_x", "acc_y", "acc_z", "length", "width", "height",
	"roll", "pitch", "yaw", "type", "role", "subtype"}

func newObjectSink(to io.Writer, _ SinkOptions) (Sink, error) {
	b := bufio.NewWriterSize(to, 1<<16)
	return &objectSink{buffered: b, to: csv.NewWriter(b)}, nil
}

// Add implements [Sink].
func (s *objectSink) Add(c Channel) (*Channel, error) {
	if !c.IsOSI() || c.Type != groundTruth && c.Type != sensorView {
		e := fault.New(ErrType, fault.At("channel "+c.Topic),
			fmt.Sprintf("messages of type %q", c.Type),
			"GroundTruth or SensorView, which have moving objects")
		e.Hint = "select one with --channel"
		return nil, e
	}
	return s.topics.add(c)
}

// TruthOf returns the GroundTruth of a message, or nil if it has none.
func (d *Decoder) TruthOf(m *Message) (*osi3.GroundTruth, error) {
	decoded, err := d.Decode(m)
	if err != nil {
		return nil, err
	}
	switch decoded := decoded.(type) {
	case *osi3.GroundTruth:
		return decoded, nil
	case *osi3.SensorView:
		return decoded.GetGlobalGroundTruth(), nil
	}
	return nil, nil
}

// Write implements [Sink].
func (s *objectSink) Write(m *Message) error {
	if err := s.topics.check(m); err != nil {
		return err
	}
	truth, err := s.decoder.TruthOf(m)
	if err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	at := truthTime(m)
	for _, o := range truth.GetMovingObject() {
		if err := s.object(at, o); err != nil {
			return err
		}
	}
	return nil
}

// truthTime returns the time stamp of the GroundTruth of a message. If there is no time stamp, it
// returns the time of the message, which may be the time of its transmission.
func truthTime(m *Message) timebase.Time {
	truth := m.Data
	if m.Channel.Type == sensorView {
		truth, _ = wire.First(truth, field.SensorViewGlobalGroundTruth)
	}
	if stamp, ok := StampOf(groundTruth, truth); ok {
		return stamp
	}
	return m.Time
}

func (s *objectSink) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	return s.to.Write(objectColumns)
}

func (s *objectSink) object(at timebase.Time, o *osi3.MovingObject) error {
	b := o.GetBase()
	s.row = append(s.row[:0], strconv.FormatInt(int64(at), 10),
		strconv.FormatUint(o.GetId().GetValue(), 10))
	for _, v := range []*osi3.Vector3D{b.GetPosition(), b.GetVelocity(), b.GetAcceleration()} {
		s.row = append(s.row, number(v.GetX(), 64), number(v.GetY(), 64), number(v.GetZ(), 64))
	}
	d, a := b.GetDimension(), b.GetOrientation()
	for _, x := range []float64{d.GetLength(), d.GetWidth(), d.GetHeight(), a.GetRoll(),
		a.GetPitch(), a.GetYaw()} {
		s.row = append(s.row, number(x, 64))
	}
	role, subtype := int32(-1), int32(-1)
	if o.GetType() == osi3.MovingObject_TYPE_VEHICLE {
		role, subtype = int32(o.GetVehicleClassification().GetRole()),
			int32(o.GetVehicleClassification().GetType())
	}
	s.row = append(s.row, strconv.Itoa(int(o.GetType())), strconv.Itoa(int(role)),
		strconv.Itoa(int(subtype)))
	return s.to.Write(s.row)
}

// Flush implements [Sink].
func (s *objectSink) Flush() error {
	s.to.Flush()
	return cmp.Or(s.to.Error(), s.buffered.Flush())
}

// Close implements [Sink].
func (s *objectSink) Close() error {
	if err := s.begin(); err != nil {
		return err
	}
	return s.Flush()
}
