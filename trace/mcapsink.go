package trace

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/release"
	"gosmp/trace/mcap"
)

func newMCAPSink(to io.Writer, o SinkOptions) (Sink, error) {
	w, err := mcap.NewWriter(to, mcap.Options{Library: "gosmp " + release.Version,
		Compression: o.Compression, ChunkSize: o.ChunkSize})
	if err != nil {
		return nil, err
	}
	return &mcapSink{writer: w, given: o.Metadata, ids: map[*Channel]uint16{},
		topics: map[string]bool{}}, nil
}

// mcapSink writes an MCAP file with OSI's metadata.
type mcapSink struct {
	writer   *mcap.Writer
	given    map[string]string
	record   *mcap.Metadata // nil until the first message
	channels []*Channel
	schemas  []written
	ids      map[*Channel]uint16
	topics   map[string]bool
	message  mcap.Message
}

// Add implements [Sink].
func (s *mcapSink) Add(c Channel) (*Channel, error) {
	if s.topics[c.Topic] {
		return nil, fault.New(ErrChannel, fault.At("channel "+c.Topic),
			"a second channel of this topic", "topics that occur once")
	}
	if len(s.channels) == math.MaxUint16 {
		return nil, fault.New(ErrChannel, fault.At("channel "+c.Topic), "65536 channels",
			"at most 65535")
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
	record := &mcap.Channel{ID: id, SchemaID: schema, Topic: c.Topic, MessageEncoding: c.Encoding,
		Metadata: channelMetadata(&c)}
	if err := s.writer.AddChannel(record); err != nil {
		return nil, err
	}
	s.channels = append(s.channels, &c)
	s.ids[&c], s.topics[c.Topic] = id, true
	return &c, nil
}

// complete fills in what an OSI channel does not state.
func complete(c *Channel) error {
	if !c.IsOSI() {
		return nil
	}
	c.OSIVersion, c.ProtobufVersion = cmp.Or(c.OSIVersion, osiVersion), cmp.Or(c.ProtobufVersion,
		ProtobufVersion)
	c.SchemaEncoding = Protobuf
	if len(c.Schema) > 0 {
		return nil
	}
	var err error
	c.Schema, err = SchemaOf(c.Type)
	return err
}

// written is a schema that has been written, with the OSI release that it is for.
type written struct {
	schema  *mcap.Schema
	release string
}

// schema returns the schema id for a channel: one id for each OSI type and release (OSI 3.8.0), or
// one for each schema content for other types. The id 0 means no schema.
func (s *mcapSink) schema(c *Channel) (uint16, error) {
	if c.Type == "" && len(c.Schema) == 0 {
		return 0, nil
	}
	for _, known := range s.schemas {
		k := known.schema
		if known.release == c.OSIVersion && k.Name == c.Type && k.Encoding == c.SchemaEncoding &&
			(c.IsOSI() || slices.Equal(k.Data, c.Schema)) {
			return k.ID, nil
		}
	}
	record := &mcap.Schema{ID: uint16(len(s.schemas) + 1), Name: c.Type, Encoding: c.SchemaEncoding,
		Data: c.Schema}
	if err := s.writer.AddSchema(record); err != nil {
		return 0, err
	}
	s.schemas = append(s.schemas, written{record, c.OSIVersion})
	return record.ID, nil
}

// begin writes the metadata record, which precedes all messages.
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
		return fault.New(ErrTime, fault.At("channel "+m.Channel.Topic),
			fmt.Sprintf("a message at %v, published at %v", m.Time, m.Publish),
			"non-negative times")
	}
	if err := s.begin(); err != nil {
		return err
	}
	s.message = mcap.Message{ChannelID: id, Sequence: m.Sequence, LogTime: uint64(m.Time),
		PublishTime: uint64(m.Publish), Data: m.Data}
	return s.writer.WriteMessage(&s.message)
}

// Attach writes an attachment or a metadata record; see [Attacher].
func (s *mcapSink) Attach(record any) error {
	if err := s.begin(); err != nil {
		return err
	}
	switch r := record.(type) {
	case *mcap.Attachment:
		return s.writer.WriteAttachment(r)
	case *mcap.Metadata:
		if r.Name != MetadataName {
			return s.writer.WriteMetadata(r)
		}
	}
	return fault.New(ErrContent, fault.Place{}, fmt.Sprintf("%T", record),
		"an attachment, or metadata other than "+MetadataName)
}

// Flush implements [Sink].
func (s *mcapSink) Flush() error {
	if err := s.begin(); err != nil {
		return err
	}
	return s.writer.Flush()
}

// Preview implements [Previewer].
func (s *mcapSink) Preview() error {
	if err := s.begin(); err != nil {
		return err
	}
	return s.writer.Preview()
}

// Close implements [Sink].
func (s *mcapSink) Close() error {
	if err := s.begin(); err != nil {
		return err
	}
	return s.writer.Close()
}
