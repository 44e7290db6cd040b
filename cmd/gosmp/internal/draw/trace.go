package draw

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/fault"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/report/birdseye"
	"gosmp/timebase"
	"gosmp/trace"
)

// tracedSnapshot returns the snapshot of a message in a trace that package trace can read.
func (c *Command) tracedSnapshot(in *input, until *timebase.Time) (*birdseye.Snapshot, error) {
	o := trace.Options{Type: c.asType()}
	topics, err := inputfile.ResolveChannelsAt(in.name, in.file, in.size, c.wanted(), o)
	if err != nil {
		return nil, err
	}
	o.Select.Topics = topics
	if len(c.Channel) > 0 {
		c.Channel = topics
	}
	source, err := trace.OpenAt(in.name, in.file, in.size, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }() // opened read-only
	m, err := c.pickTraced(source, until)
	if err != nil {
		return nil, err
	}
	kind := strings.TrimPrefix(m.Channel.Type, "osi3.")
	if !slices.Contains(c.drawable(), kind) {
		return nil, cli.Unexpected("--channel",
			fmt.Sprintf("%s, which has messages of type %s", m.Channel.Topic, m.Channel.Type),
			"a channel of "+strings.Join(c.drawable(), ", "))
	}
	picture, err := drawn(kind, m.Data)
	if picture != nil && m.Channel.Topic != kind { // .osi files have no channel names
		picture.Channel = m.Channel.Topic
	}
	return picture, err
}

// wanted returns the channels of --channel, or else the types that can be drawn.
func (c *Command) wanted() []string {
	if len(c.Channel) > 0 {
		return c.Channel
	}
	return c.drawable()
}

// asType returns the message type that --as names, or "" for none.
func (c *Command) asType() string {
	if list := c.drawable(); len(list) == 1 {
		return list[0]
	}
	return ""
}

// isRead reports whether an input is MCAP, JSON Lines or protobuf text. Files of binary messages
// have other layouts, which messages.go reads. The error names recordings of other formats.
func isRead(in *input) (bool, error) {
	head := make([]byte, trace.HeadSize)
	n, _ := in.file.ReadAt(head, 0) // a short file has a short head
	format, err := trace.Recognize(in.name, head[:n], -1)
	return format.StatesTypes() || format.IsText(), err
}

// drawable returns the message types that can be drawn.
func (c *Command) drawable() []string {
	switch c.As {
	case asView:
		return []string{"SensorView"}
	case asData:
		return []string{"SensorData"}
	case asTruth:
		return []string{"GroundTruth"}
	}
	return []string{"SensorView", "SensorData", "GroundTruth"}
}

// pickTraced returns the message with the number --frame, or the last message that is not later
// than a time, or else the first message.
func (c *Command) pickTraced(s trace.Source, until *timebase.Time) (*trace.Message, error) {
	var found *trace.Message
	for n := 1; ; n++ {
		m, err := s.Next()
		switch {
		case errors.Is(err, io.EOF) && found != nil:
			return found, nil
		case errors.Is(err, io.EOF):
			chosen := trace.Selection{Topics: c.Channel}
			if err := chosen.Require(s.Channels()); err != nil {
				return nil, cli.Invalid("--channel", err)
			}
			return nil, fault.New(errMessage, fault.In(c.File),
				fmt.Sprintf("%s of %v", quantity.Of(n-1, "message"), c.wanted()),
				fmt.Sprintf("at least %d", max(1, c.Frame)))
		case err != nil:
			return nil, err
		case until != nil && m.Time > *until:
			if found == nil {
				return nil, fault.New(errMessage, fault.In(c.File),
					fmt.Sprintf("a first message at %v", m.Time),
					fmt.Sprintf("one at %v or before", *until))
			}
			return found, nil
		case until != nil:
			kept := *m
			kept.Data = append([]byte(nil), m.Data...)
			found = &kept
		case n >= c.Frame:
			return m, nil
		}
	}
}

// drawn decodes a message and returns its snapshot. A GroundTruth is drawn as the SensorView of its
// host vehicle.
func drawn(kind string, data []byte) (*birdseye.Snapshot, error) {
	var m proto.Message
	switch kind {
	case "SensorData":
		m = &osi3.SensorData{}
	case "GroundTruth":
		m = &osi3.GroundTruth{}
	default:
		m = &osi3.SensorView{}
	}
	if err := trace.Unmarshal(data, m); err != nil {
		return nil, err
	}
	if g, is := m.(*osi3.GroundTruth); is {
		m = &osi3.SensorView{GlobalGroundTruth: g, HostVehicleId: g.GetHostVehicleId(),
			Timestamp: g.GetTimestamp()}
	}
	return snapshotOf(m)
}

// snapshotOf returns the snapshot of a message. It leaves out elements that cannot be drawn, and
// reports them.
func snapshotOf(m proto.Message) (*birdseye.Snapshot, error) {
	const most = 5
	removed := rules.DiscardUnusable(m)
	for k, u := range removed {
		if k == most {
			fmt.Fprintf(os.Stderr, "gosmp: warning: %s more left out\n",
				quantity.Of(len(removed)-most, "part"))
			break
		}
		fmt.Fprintf(plaintext.Lines(os.Stderr), "gosmp: warning: %s is left out: %s is %v\n",
			cmp.Or(u.Object,
				"a part"), u.Path, u.Value)
	}
	if d, is := m.(*osi3.SensorData); is {
		return birdseye.OfData(d)
	}
	return birdseye.OfView(m.(*osi3.SensorView))
}
