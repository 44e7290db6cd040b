// Package snapshot finds the message of a recording that a picture from above shows: in a file with
// a single message, in a trace, or in all channels of updates of a trace at one moment.
//
//	file, err := os.Open("drive.mcap")
//	s, err := snapshot.Of("drive.mcap", file, size, snapshot.Options{Frame: 10})
//	err = birdseye.Write(out, "png", s)
//
// By default, it is the first SensorView, SensorData or GroundTruth, or else the objects of all
// channels of TrafficUpdates and StreamingUpdates together, or else the first HostVehicleData.
//
// Function: [Of]; types: [Options].
package snapshot

import (
	"io"
	"slices"
	"strings"

	"gosmp/internal/option"
	"gosmp/proto/rules"
	"gosmp/report/birdseye"
	"gosmp/timebase"
	"gosmp/trace"
)

// Options selects a message. Zero values select the first one that can be drawn.
type Options struct {
	// Type is the type of the message, such as SensorView, in upper or lower case. If it is empty,
	// the channel, the name or the content of the file determines the type.
	Type     string
	Channels []string               // topics, last parts of topics, or types
	Frame    int                    // number of the message, counted from 1; 0 is the first one
	Until    *timebase.Time         // the last message until this time; nil for the first one
	Warn     func([]rules.Unusable) // receives what cannot be drawn and is left out; may be nil
}

// chooser chooses a message of a file.
type chooser struct {
	Options
	name string
}

// Of returns the snapshot of a message of a file.
func Of(name string, file io.ReaderAt, size int64, o Options) (*birdseye.Snapshot, error) {
	if o.Frame < 0 {
		return nil, option.Unexpected("--frame", o.Frame, "a number of at least 1")
	}
	content, err := trace.Unpack(name, file, size)
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }() // opened read-only
	in, c := &input{name, content, content.Size}, &chooser{o, name}
	c.Type = typeOf(o.Type)
	switch read, err := isRead(in); {
	case err != nil:
		return nil, err
	case read:
		return c.tracedSnapshot(in, o.Until)
	case len(o.Channels) > 0:
		return nil, option.Unexpected("--channel", name+", which has no channels",
			"a trace with channels, such as MCAP")
	}
	r := newRecorded(in)
	b, number, err := r.pick(o.Frame, o.Until)
	if err != nil {
		return nil, err
	}
	m, err := r.decode(b, c.kindOf(r))
	if err != nil {
		return nil, err
	}
	picture, err := c.snapshotOf(m)
	if picture != nil && r.trace {
		picture.Message = number
	}
	return picture, err
}

// kindOf returns the type of the messages of a file: the type of the options, or the one that the
// name of a trace names, or "" if only the content can tell.
func (c *chooser) kindOf(r *recorded) string {
	if c.Type != "" || !r.trace {
		return c.Type
	}
	if named := trace.TypeOfName(c.name); slices.Contains(drawable(), named) {
		return named
	}
	return ""
}

// typeOf returns the type of message with a name, or "" for none.
func typeOf(name string) string {
	for _, known := range drawable() {
		if strings.EqualFold(known, name) {
			return known
		}
	}
	return ""
}
