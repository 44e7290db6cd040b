package trace

import (
	"fmt"
	"io"
	"slices"

	"gosmp/internal/fault"
	"gosmp/trace/mcap"
)

// scanSource reads an MCAP file from front to back.
type scanSource struct {
	scanner  *mcap.Scanner
	info     Info
	schemas  map[uint16]*mcap.Schema
	channels map[uint16]*mcap.Channel
	table    table
	selected Selection
	message  Message
	pending  *Message // the first message, which was read to find the metadata before it
	failed   error    // the error found while doing so, or the error that ended the source
	started  bool     // Next has been called
	attached func(any) error
	lost     func(error)
	early    []any // attachments and metadata before the first message
}

func newScan(name string, from io.Reader, size int64, o Options) (Source, error) {
	scanner, err := mcap.NewScanner(from)
	if err != nil {
		return nil, named(err, name)
	}
	s := &scanSource{scanner: scanner, selected: o.Select, table: newTable(), attached: o.Attached,
		lost:    o.Lost,
		schemas: map[uint16]*mcap.Schema{}, channels: map[uint16]*mcap.Channel{},
		info: Info{Name: name, Format: MCAP, Size: size, Messages: -1}}
	s.pending, s.failed = s.next()
	return s, nil
}

// Info implements [Source].
func (s *scanSource) Info() *Info { return &s.info }

// Channels implements [Source].
func (s *scanSource) Channels() []*Channel { return s.table.list }

// Close implements [Source].
func (s *scanSource) Close() error { return nil }

// Next implements [Source].
func (s *scanSource) Next() (*Message, error) {
	for _, record := range s.early {
		if err := s.attached(record); err != nil {
			return nil, err
		}
	}
	s.started, s.early = true, nil
	if m := s.pending; m != nil {
		s.pending = nil
		return m, nil
	}
	if s.failed != nil {
		return nil, s.failed
	}
	m, err := s.next()
	s.failed = err
	return m, err
}

// next reads the next selected message.
func (s *scanSource) next() (*Message, error) {
	for {
		record, err := s.scanner.Next()
		if err != nil && mcap.IsAside(err) && (s.lost != nil || s.attached == nil) {
			if s.lost != nil {
				s.lost(named(err, s.info.Name))
			}
			continue
		}
		if err != nil {
			return nil, named(err, s.info.Name)
		}
		m, is := record.(*mcap.Message)
		if !is {
			if err := s.keep(record); err != nil {
				return nil, err
			}
			continue
		}
		c := s.channels[m.ChannelID]
		if c == nil {
			return nil, fault.New(mcap.ErrFormat, fault.Place{File: s.info.Name,
				Object: fmt.Sprintf("message at %d ns", m.LogTime)},
				fmt.Sprintf("channel %d", m.ChannelID),
				"a channel that precedes its messages")
		}
		channel := s.table.of(c, s.schemas[c.SchemaID])
		if err := s.message.take(m, channel); err != nil {
			return nil, named(err, s.info.Name)
		}
		channel.stateRelease(m.Data)
		if s.selected.holds(s.message.Time) && s.selected.Wants(s.message.Channel) {
			return &s.message, nil
		}
	}
}

// keep stores a record that is not a message.
func (s *scanSource) keep(record any) error {
	switch r := record.(type) {
	case *mcap.Header:
		s.info.MCAP.Library, s.info.MCAP.Profile = r.Library, r.Profile
	case *mcap.Metadata:
		if r.Name != MetadataName {
			return s.attach(r)
		}
		if s.info.Metadata == nil {
			s.info.Metadata = r.Values
		}
	case *mcap.Attachment:
		s.info.MCAP.Attachments = append(s.info.MCAP.Attachments, r.Name)
		if s.attached == nil {
			return nil
		}
		copied := *r
		copied.Data = slices.Clone(r.Data)
		return s.attach(&copied)
	case *mcap.Schema:
		if s.schemas[r.ID] == nil {
			copied := *r
			copied.Data = slices.Clone(r.Data)
			s.schemas[r.ID] = &copied
		}
	case *mcap.Channel:
		if s.channels[r.ID] == nil {
			s.channels[r.ID] = r
			s.table.of(r, s.schemas[r.SchemaID])
		}
	}
	return nil
}

// attach hands over an attachment or metadata once the source has been started.
func (s *scanSource) attach(record any) error {
	switch {
	case s.attached == nil:
		return nil
	case !s.started:
		s.early = append(s.early, record)
		return nil
	}
	return s.attached(record)
}
