package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"gosmp/timebase"
	"gosmp/trace/mcap"
)

// openMCAP opens a file by its index, and otherwise as a stream.
func openMCAP(name string, from io.ReaderAt, size int64, o Options) (Source, error) {
	f, err := mcap.Open(from, size)
	if err != nil || len(f.Chunks) == 0 && (f.Statistics == nil || f.Statistics.MessageCount > 0) {
		if err != nil && !IsDamage(err) {
			return nil, err
		}
		return newScan(name, io.NewSectionReader(from, 0, size), size, o)
	}
	s := &indexSource{file: f, table: newTable()}
	s.info = Info{Name: name, Format: MCAP, Size: size, Indexed: true, Messages: -1, Library: f.Header.Library, Profile: f.Header.Profile}
	for _, id := range slices.Sorted(maps.Keys(f.Channels)) {
		s.table.add(f.Channels[id], f.Schemas[f.Channels[id].SchemaID])
	}
	s.describe()
	if err := s.readMetadata(); err != nil {
		return nil, named(err, name)
	}
	s.query = mcap.Query{Start: uint64(max(0, o.Select.Start)), End: uint64(max(0, o.Select.End))}
	s.query.Channel = func(c *mcap.Channel) bool { return o.Select.Wants(s.table.of(c, f.Schemas[c.SchemaID])) }
	s.messages = f.Select(s.query)
	return s, nil
}

// table maps the channels of a file to those of the source.
type table struct {
	byID map[uint16]*Channel
	list []*Channel
}

func newTable() table { return table{byID: map[uint16]*Channel{}} }

func (t *table) add(c *mcap.Channel, s *mcap.Schema) *Channel {
	channel := FromMCAP(c, s)
	t.byID[c.ID] = channel
	t.list = append(t.list, channel)
	return channel
}

// of is the channel, which is added if it is new.
func (t *table) of(c *mcap.Channel, s *mcap.Schema) *Channel {
	if known := t.byID[c.ID]; known != nil {
		return known
	}
	return t.add(c, s)
}

// indexSource reads an MCAP file by its index.
type indexSource struct {
	file     *mcap.File
	info     Info
	table    table
	query    mcap.Query
	messages *mcap.Iterator
	message  Message
	same     int64 // messages that were given at the time of the newest one
}

// describe fills in what the summary says.
func (s *indexSource) describe() {
	f := s.file
	if st := f.Statistics; st != nil && st.MessageCount <= math.MaxInt64 {
		s.info.Messages = int64(st.MessageCount)
		s.info.Start, s.info.End = timebase.Time(st.MessageStart), timebase.Time(st.MessageEnd)
		s.info.Counts = make([]int64, 0, len(f.Channels))
		for _, id := range slices.Sorted(maps.Keys(f.Channels)) {
			s.info.Counts = append(s.info.Counts, int64(st.ChannelMessageCounts[id]))
		}
	}
	s.info.Chunks = len(f.Chunks)
	for _, c := range f.Chunks {
		s.info.Compressed += int64(c.CompressedSize)
		s.info.Uncompressed += int64(c.UncompressedSize)
		if name := cmp.Or(c.Compression, "none"); !slices.Contains(s.info.Compression, name) {
			s.info.Compression = append(s.info.Compression, name)
		}
	}
	for _, a := range f.Attachments {
		s.info.Attachments = append(s.info.Attachments, a.Name)
	}
}

func (s *indexSource) readMetadata() error {
	for _, m := range s.file.Metadata {
		if m.Name != MetadataName || s.info.Metadata != nil {
			continue
		}
		record, err := s.file.ReadMetadata(m)
		if err != nil {
			return err
		}
		s.info.Metadata = record.Values
	}
	return nil
}

// Info implements [Source].
func (s *indexSource) Info() *Info { return &s.info }

// Channels implements [Source].
func (s *indexSource) Channels() []*Channel { return s.table.list }

// Close implements [Source].
func (s *indexSource) Close() error { return nil }

// Next implements [Source].
func (s *indexSource) Next() (*Message, error) {
	m, err := s.messages.Next()
	if err != nil {
		return nil, named(err, s.info.Name)
	}
	c := s.file.Channels[m.ChannelID]
	if c == nil {
		return nil, at(s.info.Name, fmt.Sprintf("message at %d ns", m.LogTime), mcap.ErrFormat, fmt.Sprintf("channel %d", m.ChannelID), "a channel of the file")
	}
	before := s.message.Time
	if err := s.message.take(m, s.table.of(c, s.file.Schemas[c.SchemaID])); err != nil {
		return nil, named(err, s.info.Name)
	}
	if s.message.Time != before {
		s.same = 0
	}
	s.same++
	return &s.message, nil
}

// take makes a message of one of MCAP.
func (m *Message) take(from *mcap.Message, c *Channel) error {
	if from.LogTime > math.MaxInt64 || from.PublishTime > math.MaxInt64 {
		return at("", "channel "+c.Topic, ErrTime, fmt.Sprintf("a message at %d ns, published at %d ns", from.LogTime, from.PublishTime),
			"at most 9223372036854775807 ns")
	}
	*m = Message{c, timebase.Time(from.LogTime), timebase.Time(from.PublishTime), from.Sequence, from.Data}
	return nil
}

// MessageOf is a message of an MCAP file; it shares the data. It fails with [ErrTime] for times
// that are too large.
func MessageOf(m *mcap.Message, c *Channel) (*Message, error) {
	var result Message
	err := result.take(m, c)
	return &result, err
}

// position is where the next message is: so many of those at a time have been given already.
func (s *indexSource) position() position { return position{time: s.message.Time, skip: s.same} }

func (s *indexSource) seek(p position) error {
	q := s.query
	q.Start = max(q.Start, uint64(max(0, p.time)))
	s.messages, s.same, s.message = s.file.Select(q), 0, Message{}
	for range p.skip {
		if _, err := s.Next(); err != nil {
			return err
		}
	}
	return nil
}

// scanSource reads an MCAP file from front to back.
type scanSource struct {
	scanner  *mcap.Scanner
	info     Info
	schemas  map[uint16]*mcap.Schema
	channels map[uint16]*mcap.Channel
	table    table
	selected Selection
	message  Message
}

func newScan(name string, from io.Reader, size int64, o Options) (Source, error) {
	scanner, err := mcap.NewScanner(from)
	if err != nil {
		return nil, named(err, name)
	}
	return &scanSource{scanner: scanner, selected: o.Select, table: newTable(),
		schemas: map[uint16]*mcap.Schema{}, channels: map[uint16]*mcap.Channel{},
		info: Info{Name: name, Format: MCAP, Size: size, Messages: -1}}, nil
}

// Info implements [Source].
func (s *scanSource) Info() *Info { return &s.info }

// Channels implements [Source].
func (s *scanSource) Channels() []*Channel { return s.table.list }

// Close implements [Source].
func (s *scanSource) Close() error { return nil }

// Next implements [Source].
func (s *scanSource) Next() (*Message, error) {
	for {
		record, err := s.scanner.Next()
		if err != nil {
			return nil, named(err, s.info.Name)
		}
		m, is := record.(*mcap.Message)
		if !is {
			s.keep(record)
			continue
		}
		c := s.channels[m.ChannelID]
		if c == nil {
			return nil, at(s.info.Name, fmt.Sprintf("message at %d ns", m.LogTime), mcap.ErrFormat, fmt.Sprintf("channel %d", m.ChannelID),
				"a channel that stands in front of its messages")
		}
		if err := s.message.take(m, s.table.of(c, s.schemas[c.SchemaID])); err != nil {
			return nil, named(err, s.info.Name)
		}
		if s.selected.holds(s.message.Time) && s.selected.Wants(s.message.Channel) {
			return &s.message, nil
		}
	}
}

// keep notes what is not a message.
func (s *scanSource) keep(record any) {
	switch r := record.(type) {
	case *mcap.Header:
		s.info.Library, s.info.Profile = r.Library, r.Profile
	case *mcap.Metadata:
		if r.Name == MetadataName && s.info.Metadata == nil {
			s.info.Metadata = r.Values
		}
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
}

// mcapSink writes an MCAP file with OSI's metadata.
type mcapSink struct {
	writer   *mcap.Writer
	given    map[string]string
	record   *mcap.Metadata // nil until the first message
	channels []*Channel
	schemas  []written
	ids      map[*Channel]uint16
	message  mcap.Message
}

// Add implements [Sink].
func (s *mcapSink) Add(c Channel) (*Channel, error) {
	if slices.ContainsFunc(s.channels, func(other *Channel) bool { return other.Topic == c.Topic }) {
		return nil, at("", "channel "+c.Topic, ErrChannel, "a second channel of this topic", "topics that occur once")
	}
	if len(s.channels) == math.MaxUint16 {
		return nil, at("", "channel "+c.Topic, ErrChannel, "65536 channels", "at most 65535")
	}
	if err := complete(&c); err != nil {
		return nil, err
	}
	if s.record != nil {
		if err := covers(s.record, &c); err != nil {
			return nil, err
		}
	}
	id := uint16(len(s.channels) + 1)
	schema, err := s.schema(&c)
	if err != nil {
		return nil, err
	}
	record := &mcap.Channel{ID: id, SchemaID: schema, Topic: c.Topic, MessageEncoding: c.Encoding, Metadata: channelMetadata(&c)}
	if err := s.writer.AddChannel(record); err != nil {
		return nil, err
	}
	s.channels = append(s.channels, &c)
	s.ids[&c] = id
	return &c, nil
}

// complete adds to an OSI channel what it does not say.
func complete(c *Channel) error {
	if !c.IsOSI() {
		return nil
	}
	c.OSIVersion, c.ProtobufVersion = cmp.Or(c.OSIVersion, osiVersion), cmp.Or(c.ProtobufVersion, ProtobufVersion)
	c.SchemaEncoding = Protobuf
	if len(c.Schema) > 0 {
		return nil
	}
	var err error
	c.Schema, err = SchemaOf(c.Type)
	return err
}

// written is a schema and the release of OSI that it is for.
type written struct {
	schema  *mcap.Schema
	release string
}

// schema is the id of the schema of a channel: one for each type and release of OSI; 0 is none.
func (s *mcapSink) schema(c *Channel) (uint16, error) {
	if c.Type == "" && len(c.Schema) == 0 {
		return 0, nil
	}
	for _, known := range s.schemas {
		k := known.schema
		if known.release == c.OSIVersion && k.Name == c.Type && k.Encoding == c.SchemaEncoding && slices.Equal(k.Data, c.Schema) {
			return k.ID, nil
		}
	}
	record := &mcap.Schema{ID: uint16(len(s.schemas) + 1), Name: c.Type, Encoding: c.SchemaEncoding, Data: c.Schema}
	if err := s.writer.AddSchema(record); err != nil {
		return 0, err
	}
	s.schemas = append(s.schemas, written{record, c.OSIVersion})
	return record.ID, nil
}

// begin writes the record of metadata, which stands in front of all messages.
func (s *mcapSink) begin() error {
	if s.record != nil {
		return nil
	}
	s.record = metadataOf(s.channels, s.given)
	return s.writer.WriteMetadata(s.record)
}

// Write implements [Sink].
func (s *mcapSink) Write(m *Message) error {
	id, known := s.ids[m.Channel]
	switch {
	case !known:
		return foreign(m)
	case m.Time < 0 || m.Publish < 0:
		return at("", "channel "+m.Channel.Topic, ErrTime, fmt.Sprintf("a message at %v, published at %v", m.Time, m.Publish), "times from 0 up")
	}
	if err := s.begin(); err != nil {
		return err
	}
	s.message = mcap.Message{ChannelID: id, Sequence: m.Sequence, LogTime: uint64(m.Time), PublishTime: uint64(m.Publish), Data: m.Data}
	return s.writer.WriteMessage(&s.message)
}

// Attach writes a file into the file.
func (s *mcapSink) Attach(a *mcap.Attachment) error {
	return errors.Join(s.begin(), s.writer.WriteAttachment(a))
}

// Flush implements [Sink].
func (s *mcapSink) Flush() error {
	if err := s.begin(); err != nil {
		return err
	}
	return s.writer.Flush()
}

// Close implements [Sink].
func (s *mcapSink) Close() error {
	if err := s.begin(); err != nil {
		return err
	}
	return s.writer.Close()
}
