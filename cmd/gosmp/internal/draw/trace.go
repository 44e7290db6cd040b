package draw

import (
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/proto/osi3"
	"gosmp/report/birdseye"
	"gosmp/timebase"
	"gosmp/trace"
)

// tracedSnapshot draws from a trace whose content states the types of its messages: MCAP and JSON
// Lines. ok is false for other files.
func (c *Command) tracedSnapshot(until *timebase.Time) (s *birdseye.Snapshot, ok bool, err error) {
	if !statesTypes(c.File) {
		return nil, false, nil
	}
	source, err := trace.Open(c.File, trace.Options{Select: trace.Selection{Topics: c.drawable()}})
	if err != nil {
		return nil, true, err
	}
	defer func() { _ = source.Close() }() // it was only read
	m, err := c.pickTraced(source, until)
	if err != nil {
		return nil, true, err
	}
	s, err = drawn(m)
	return s, true, err
}

// statesTypes reports whether a file is a trace in such a format.
func statesTypes(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false // the other reader returns the error, and gets a pipe from its beginning
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, trace.HeadSize)
	n, _ := io.ReadFull(f, head) // a short file has a short head
	format, err := trace.Recognize(name, head[:n], -1)
	return err == nil && (format == trace.MCAP || format == trace.JSONLines)
}

// drawable are the types of messages that are drawn.
func (c *Command) drawable() []string {
	switch c.As {
	case asView:
		return []string{"SensorView"}
	case asData:
		return []string{"SensorData"}
	}
	return []string{"SensorView", "SensorData"}
}

// pickTraced returns message number --frame, the last one that is not later than a time, or the
// first one.
func (c *Command) pickTraced(s trace.Source, until *timebase.Time) (*trace.Message, error) {
	var found *trace.Message
	for n := 1; ; n++ {
		m, err := s.Next()
		switch {
		case errors.Is(err, io.EOF) && found != nil:
			return found, nil
		case errors.Is(err, io.EOF):
			return nil, &fault.Error{Place: fault.Place{File: c.File}, Kind: errMessage, Found: fmt.Sprintf("%s of %v", quantity.Of(n-1, "message"), c.drawable()),
				Expected: fmt.Sprintf("at least %d", max(1, c.Frame))}
		case err != nil:
			return nil, err
		case until != nil && m.Time > *until:
			if found == nil {
				return nil, &fault.Error{Place: fault.Place{File: c.File}, Kind: errMessage, Found: fmt.Sprintf("a first message at %v", m.Time),
					Expected: fmt.Sprintf("one at %v or before", *until)}
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

// drawn decodes a message and makes its picture.
func drawn(m *trace.Message) (*birdseye.Snapshot, error) {
	if m.Channel.Type == "osi3.SensorData" {
		var d osi3.SensorData
		if err := proto.Unmarshal(m.Data, &d); err != nil {
			return nil, err
		}
		return birdseye.OfData(&d)
	}
	var v osi3.SensorView
	if err := proto.Unmarshal(m.Data, &v); err != nil {
		return nil, err
	}
	return birdseye.OfView(&v)
}
