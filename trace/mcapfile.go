package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
	"gosmp/trace/mcap"
)

// openMCAP opens a file by its index if that is usable, or as a stream otherwise.
func openMCAP(name string, from io.ReaderAt, size int64, o Options) (Source, error) {
	f, err := mcap.Open(from, size)
	complete := false
	if err == nil {
		complete, err = f.Complete()
	}
	switch {
	case err != nil && !IsDamage(err):
		return nil, err
	case !complete: // or damaged
		return openUnindexed(name, from, size, o)
	}
	return newIndexed(name, f, size, o)
}

// openUnindexed opens a file without a usable index. It is read from front to back if its messages
// are in the order of log times, or by an index built for it otherwise.
func openUnindexed(name string, from io.ReaderAt, size int64, o Options) (Source, error) {
	f, sorted, err := mcap.Arrange(from, size)
	if f == nil || err != nil && !IsDamage(err) {
		return nil, named(err, name)
	}
	if sorted {
		return newScan(name, io.NewSectionReader(from, 0, size), size, o)
	}
	s, failed := newIndexed(name, f, size, o)
	if failed != nil {
		return nil, failed
	}
	s.damage, s.info.Indexed = named(err, name), false
	s.info.MCAP.Chunks, s.info.MCAP.Uncompressed = 0, 0
	return s, nil
}

// newIndexed returns a source that reads a file by its index.
func newIndexed(name string, f *mcap.File, size int64, o Options) (*indexSource, error) {
	s := &indexSource{file: f, table: newTable(), attached: o.Attached, lost: o.Lost}
	s.info = Info{Name: name, Format: MCAP, Size: size, Indexed: true, Messages: -1,
		MCAP: MCAPInfo{Library: f.Header.Library, Profile: f.Header.Profile}}
	for _, id := range slices.Sorted(maps.Keys(f.Channels)) {
		s.table.add(f.Channels[id], f.Schemas[f.Channels[id].SchemaID])
	}
	s.describe()
	if err := f.CheckMemory(); err != nil {
		return nil, named(err, name)
	}
	if err := s.readMetadata(); err != nil {
		return nil, named(err, name)
	}
	if err := s.stateReleases(); err != nil {
		return nil, named(err, name)
	}
	s.query = mcap.Query{Start: uint64(max(0, o.Select.Start)), End: uint64(max(0, o.Select.End))}
	s.query.Channel = func(c *mcap.Channel) bool {
		return o.Select.Wants(s.table.of(c, f.Schemas[c.SchemaID]))
	}
	if err := s.findDrives(o.Restarts); err != nil {
		return nil, err
	}
	s.begin()
	return s, nil
}

// findDrives looks for restarts of the clock, and refuses or follows them. Damage is reported
// later, as an error of Next.
func (s *indexSource) findDrives(wanted Restarts) error {
	if wanted == IgnoreRestarts {
		return nil
	}
	drives, err := s.file.Drives(s.query)
	if err != nil && !IsDamage(err) {
		return named(err, s.info.Name)
	}
	if len(drives) > 1 && wanted == RefuseRestarts {
		d := drives[1]
		c := s.file.Channels[d.Channel]
		return restarted(s.info.Name, s.table.of(c, s.file.Schemas[c.SchemaID]).Topic,
			timebase.Time(d.Before), timebase.Time(d.After))
	}
	s.drives = drives
	for _, d := range drives {
		s.info.Drives = append(s.info.Drives, Drive{int64(d.Messages), timebase.Time(d.Start),
			timebase.Time(d.End)})
	}
	return nil
}

// begin selects the messages of the current drive.
func (s *indexSource) begin() {
	q := s.query
	if s.drive > 0 {
		q.From = &s.drives[s.drive].Begin
	}
	if s.drive+1 < len(s.drives) {
		q.Before = &s.drives[s.drive+1].Begin
	}
	s.messages = s.file.Select(q)
}

// table maps the channels of a file to the channels of the source.
type table struct {
	byID    map[uint16]*Channel
	list    []*Channel
	schemas map[*mcap.Schema]*mcap.Schema // copies, which the channels refer to
}

func newTable() table {
	return table{byID: map[uint16]*Channel{}, schemas: map[*mcap.Schema]*mcap.Schema{}}
}

func (t *table) add(c *mcap.Channel, s *mcap.Schema) *Channel {
	own := t.schemas[s]
	if s != nil && own == nil {
		own = &mcap.Schema{Name: s.Name, Encoding: s.Encoding, Data: slices.Clone(s.Data)}
		t.schemas[s] = own
	}
	channel := FromMCAP(c, own)
	t.byID[c.ID] = channel
	t.list = append(t.list, channel)
	return channel
}

// of returns the source channel for a channel of the file, adding it if it is new.
func (t *table) of(c *mcap.Channel, s *mcap.Schema) *Channel {
	if known := t.byID[c.ID]; known != nil {
		return known
	}
	return t.add(c, s)
}

// stateRelease takes the release of an OSI channel from a message if the file does not state it.
func (c *Channel) stateRelease(message []byte) {
	if c.OSIVersion == "" && c.IsOSI() {
		c.OSIVersion = VersionOf(c.Type, message)
	}
}

// indexSource reads an MCAP file by its index.
type indexSource struct {
	file     *mcap.File
	info     Info
	table    table
	query    mcap.Query
	messages *mcap.Iterator
	attached func(any) error // nil after the call
	lost     func(error)
	message  Message
	same     int64 // number of messages returned with the newest time
	damage   error // damage after the last message; nil if the file is complete
	drives   []mcap.Drive
	drive    int // the current one
}

// describe fills in Info from the summary.
func (s *indexSource) describe() {
	f := s.file
	if st := f.Statistics; st != nil && credible(st, f.Channels) {
		s.info.Messages = int64(st.MessageCount)
		s.info.Start, s.info.End = timebase.Time(st.MessageStart), timebase.Time(st.MessageEnd)
		s.info.Counts = make([]int64, 0, len(f.Channels))
		for _, id := range slices.Sorted(maps.Keys(f.Channels)) {
			s.info.Counts = append(s.info.Counts, int64(st.ChannelMessageCounts[id]))
		}
	}
	s.info.MCAP.Chunks = len(f.Chunks)
	for _, c := range f.Chunks {
		s.info.MCAP.Compressed += int64(c.CompressedSize)
		s.info.MCAP.Uncompressed += int64(c.UncompressedSize)
		if name := cmp.Or(c.Compression, "none"); !slices.Contains(s.info.MCAP.Compression, name) {
			s.info.MCAP.Compression = append(s.info.MCAP.Compression, name)
		}
	}
	for _, a := range f.Attachments {
		s.info.MCAP.Attachments = append(s.info.MCAP.Attachments, a.Name)
	}
}

// credible reports whether the statistics contain message counts for each channel and possible
// times.
func credible(s *mcap.Statistics, channels map[uint16]*mcap.Channel) bool {
	var sum uint64
	for id := range channels {
		n := s.ChannelMessageCounts[id]
		if n > math.MaxInt64-sum {
			return false
		}
		sum += n
	}
	return sum == s.MessageCount && s.MessageStart <= math.MaxInt64 && s.MessageEnd <= math.MaxInt64
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

// stateReleases takes the release of OSI channels from their first messages if the file does not
// state it.
func (s *indexSource) stateReleases() error {
	for id, c := range s.table.byID {
		if c.OSIVersion != "" || !c.IsOSI() {
			continue
		}
		m, err := s.file.Select(mcap.Query{Channel: func(other *mcap.Channel) bool {
			return other.ID == id
		}}).Next()
		if err == nil {
			c.stateRelease(m.Data)
		} else if !errors.Is(err, io.EOF) && !IsDamage(err) {
			return err
		}
	}
	return nil
}

// Info implements [Source].
func (s *indexSource) Info() *Info { return &s.info }

// Channels implements [Source].
func (s *indexSource) Channels() []*Channel { return s.table.list }

// Close implements [Source].
func (s *indexSource) Close() error { return nil }

// attach hands over attachments and metadata in file order.
func (s *indexSource) attach() error {
	take := s.attached
	if s.attached = nil; take == nil {
		return nil
	}
	offsets := map[uint64]func() (any, error){}
	for _, a := range s.file.Attachments {
		offsets[a.Offset] = func() (any, error) { return s.file.ReadAttachment(a) }
	}
	for _, m := range s.file.Metadata {
		if m.Name != MetadataName {
			offsets[m.Offset] = func() (any, error) { return s.file.ReadMetadata(m) }
		}
	}
	for _, at := range slices.Sorted(maps.Keys(offsets)) {
		record, err := offsets[at]()
		if err != nil && s.lost != nil && IsDamage(err) {
			s.lost(named(err, s.info.Name))
			continue
		}
		if err != nil {
			return err
		}
		if err := take(record); err != nil {
			return err
		}
	}
	return nil
}

// Next implements [Source].
func (s *indexSource) Next() (*Message, error) {
	if err := s.attach(); err != nil {
		return nil, named(err, s.info.Name)
	}
	m, err := s.messages.Next()
	for errors.Is(err, io.EOF) && s.drive+1 < len(s.drives) {
		s.drive++
		s.begin()
		m, err = s.messages.Next()
	}
	if errors.Is(err, io.EOF) && s.damage != nil {
		err = s.damage
	}
	if err != nil {
		return nil, named(err, s.info.Name)
	}
	c := s.file.Channels[m.ChannelID]
	if c == nil {
		return nil, fault.New(mcap.ErrFormat, fault.Place{File: s.info.Name,
			Object: fmt.Sprintf("message at %d ns", m.LogTime)},
			fmt.Sprintf("channel %d", m.ChannelID), "a channel of the file")
	}
	before := s.message.Time
	if err := s.message.take(m, s.table.of(c, s.file.Schemas[c.SchemaID])); err != nil {
		return nil, named(err, s.info.Name)
	}
	s.message.Drive = s.drive
	if s.message.Time != before {
		s.same = 0
	}
	s.same++
	return &s.message, nil
}

// take fills in m from an MCAP message.
func (m *Message) take(from *mcap.Message, c *Channel) error {
	if from.LogTime > math.MaxInt64 || from.PublishTime > math.MaxInt64 {
		return fault.New(ErrTime, fault.At("channel "+c.Topic),
			fmt.Sprintf("a message at %d ns, published at %d ns", from.LogTime, from.PublishTime),
			"at most 9223372036854775807 ns")
	}
	*m = Message{Channel: c, Time: timebase.Time(from.LogTime),
		Publish: timebase.Time(from.PublishTime), Sequence: from.Sequence, Data: from.Data}
	return nil
}

// MessageOf converts an MCAP message. The result shares its data. It fails with [ErrTime] if a time
// is too large.
func MessageOf(m *mcap.Message, c *Channel) (*Message, error) {
	var result Message
	err := result.take(m, c)
	return &result, err
}

// position returns the position of the next message: the time of the newest message, and how many
// messages with that time have already been returned.
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
