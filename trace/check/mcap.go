package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/quantity"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// mcapChecker checks the records of an MCAP file.
type mcapChecker struct {
	*checker
	schemas  map[uint16]*mcap.Schema
	usable   map[*mcap.Schema]error // of those that have been tried
	records  map[uint16]*mcap.Channel
	channels map[uint16]*trace.Channel
	metadata []*mcap.Metadata
	outside  uint64          // messages outside chunks
	read     mcap.Statistics // what was read
	ended    bool            // the end of the data section has been read
	// indices of findings by id and place, see once; -1 if they are left out
	met      map[[2]string]int
	releases // of schemas
}

// mcapFile reads an MCAP file from front to back and compares it with its summary.
func (c *checker) mcapFile(from io.ReaderAt, size int64) error {
	c.report.Format = trace.MCAP
	m := &mcapChecker{checker: c, releases: releases{map[uint16]string{}, map[string]uint16{}},
		schemas: map[uint16]*mcap.Schema{}, usable: map[*mcap.Schema]error{},
		records:  map[uint16]*mcap.Channel{},
		channels: map[uint16]*trace.Channel{}, met: map[[2]string]int{},
		read: mcap.Statistics{ChannelMessageCounts: map[uint16]uint64{}}}
	s, err := mcap.NewScanner(io.NewSectionReader(from, 0, size))
	for err == nil {
		var record any
		if record, err = s.Next(); err == nil {
			err = m.record(record, s)
		}
	}
	whole := errors.Is(err, io.EOF)
	if !whole && !errors.Is(err, mcap.ErrFormat) {
		return fault.Named(err, c.name)
	}
	if !whole {
		c.damaged(err)
	}
	m.checkMetadata()
	m.checkChannels()
	if m.outside > 0 {
		c.addAt(fault.Place{}, int64(m.outside), finding.Error, "trace.index",
			fmt.Sprintf("found %s outside of chunks, expected all inside (OSI 3.8.0)",
				quantity.Of(m.outside, "message")), indexRemedy)
	}
	if whole && !m.ended {
		c.add(finding.Error, "trace.data-end", "",
			"found no DataEnd record, expected one between data and summary",
			"gosmp repair writes a file with all that can be read")
	}
	if whole {
		m.checkSummary(from, size)
	}
	return nil
}

// record processes a record.
func (m *mcapChecker) record(record any, s *mcap.Scanner) error {
	switch r := record.(type) {
	case *mcap.Schema:
		switch known := m.schemas[r.ID]; {
		case known == nil:
			copied := *r
			copied.Data = slices.Clone(r.Data)
			m.schemas[r.ID] = &copied
		case known.Name != r.Name || known.Encoding != r.Encoding || !bytes.Equal(known.Data,
			r.Data):
			m.redefined("schema", r.ID)
		}
	case *mcap.Channel:
		switch known := m.records[r.ID]; {
		case known == nil:
			m.records[r.ID] = r
			c := trace.FromMCAP(r, m.schemas[r.SchemaID])
			m.channels[r.ID] = c
			m.choose(c)
		case known.SchemaID != r.SchemaID || known.Topic != r.Topic ||
			known.MessageEncoding != r.MessageEncoding || !maps.Equal(known.Metadata, r.Metadata):
			m.redefined("channel", r.ID)
		}
	case *mcap.Metadata:
		m.metadata = append(m.metadata, r)
		m.read.MetadataCount++
	case *mcap.Attachment:
		m.read.AttachmentCount++
	case *mcap.DataEnd:
		m.ended = true
	case *mcap.Message:
		return m.takeMessage(r, s)
	}
	return nil
}

// redefined reports an id with two meanings. Readers may use either one.
func (m *mcapChecker) redefined(what string, id uint16) {
	m.once("trace.redefined", fmt.Sprintf("%s %d", what, id),
		fmt.Sprintf("found a second %s of this id with another content, expected the same one",
			what),
		"gosmp repair takes the first one")
}

func (m *mcapChecker) takeMessage(r *mcap.Message, s *mcap.Scanner) error {
	if !s.InChunk() {
		m.outside++
	}
	m.count(r)
	c := m.channels[r.ChannelID]
	if c == nil {
		m.once("trace.orphan", fmt.Sprintf("channel %d", r.ChannelID),
			fmt.Sprintf("found a message of channel %d before the channel", r.ChannelID),
			"gosmp repair leaves such messages out")
		return nil
	}
	if r.LogTime > math.MaxInt64 || r.PublishTime > math.MaxInt64 {
		m.once("trace.time", "channel "+c.Topic,
			fmt.Sprintf("found log time %d ns and publish time %d ns, expected at most %d ns",
				r.LogTime, r.PublishTime, int64(math.MaxInt64)),
			"correct the recorder")
		return nil
	}
	message, err := trace.MessageOf(r, c)
	if err != nil {
		return err
	}
	m.message(message)
	return nil
}

// once adds an error that may occur many times in one place.
func (m *mcapChecker) once(id, place, message, remedy string) {
	key := [2]string{id, place}
	k, known := m.met[key]
	if known && k >= 0 {
		m.counts[k]++
	}
	if known {
		return
	}
	k = len(m.list)
	if m.add(finding.Error, id, place, message, remedy); len(m.list) == k {
		k = -1 // it is left out
	}
	m.met[key] = k
}

const metadataRemedy = "gosmp convert writes it"

// checkMetadata checks T11: there is one metadata record with all mandatory keys.
func (m *mcapChecker) checkMetadata() {
	var own []*mcap.Metadata
	for _, r := range m.metadata {
		switch {
		case r.Name == trace.MetadataName:
			own = append(own, r)
		case strings.HasPrefix(r.Name, trace.ReservedPrefix):
			m.reserved(r.Name, "a name")
		}
		m.checkReserved(r.Name, r.Values, nil)
	}
	if len(own) != 1 {
		m.add(finding.Error, "trace.metadata", "",
			fmt.Sprintf("found %d metadata records %s, expected exactly one", len(own),
				trace.MetadataName), metadataRemedy)
		return
	}
	m.states = own[0].Values
	for _, key := range trace.MandatoryMetadata() {
		value, there := own[0].Values[key]
		if _, ok := trace.ParseVersion(value); !ok {
			found := "nothing"
			if there {
				found = fmt.Sprintf("%q", value)
			}
			m.add(finding.Error, "trace.metadata", trace.MetadataName+" "+key,
				fmt.Sprintf("found %s, expected a version such as 3.8.0", found), metadataRemedy)
		}
	}
	m.checkRecommended(own[0].Values)
}

// reserved reports a name or key that only OSI may define.
func (m *mcapChecker) reserved(place, what string) {
	m.add(finding.Warning, "trace.reserved", place, what+" that is reserved for OSI",
		"use one of your own in reverse domain style")
}

// checkReserved looks for keys in OSI's namespace that OSI does not define.
func (m *mcapChecker) checkReserved(place string, values map[string]string, defined []string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if strings.HasPrefix(key, trace.ReservedPrefix) && !slices.Contains(defined, key) {
			m.reserved(place+" "+key, "a key")
		}
	}
}

// checkRecommended checks the keys that OSI recommends.
func (m *mcapChecker) checkRecommended(values map[string]string) {
	for _, key := range []string{"zero_time", "creation_time"} {
		if value := values[key]; value != "" {
			if _, err := time.Parse(time.RFC3339, value); err != nil {
				m.add(finding.Warning, "trace.metadata.time", trace.MetadataName+" "+key,
					fmt.Sprintf(
						"found %q, expected a time with its zone such as 2026-05-31T12:00:00Z",
						value),
					"gosmp convert --metadata "+key+"=...")
			}
		}
	}
	var missing []string
	for _, key := range []string{"zero_time", "creation_time", "description", "authors",
		"data_sources"} {
		if values[key] == "" {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		m.add(finding.Note, "trace.metadata.recommended", trace.MetadataName,
			"recommended keys are missing: "+strings.Join(missing, ", "),
			"gosmp convert --metadata "+missing[0]+"=...")
	}
}

// checkChannels checks T12, T13 and T19.
func (m *mcapChecker) checkChannels() {
	topics, some, drawn := map[string]bool{}, false, false
	for _, id := range slices.Sorted(maps.Keys(m.records)) {
		c := m.channels[id]
		place := "channel " + c.Topic
		if topics[c.Topic] {
			m.add(finding.Error, "trace.topic", place,
				"found a second channel of this topic, expected topics that occur once (OSI 3.8.0)",
				"viewers show the first one only; rename it")
		}
		topics[c.Topic] = true
		switch {
		case strings.HasPrefix(c.Type, "osi3."):
			some = true
			drawn = drawn || slices.Contains([]string{"osi3.GroundTruth", "osi3.SensorView",
				"osi3.SensorData"}, c.Type)
			m.checkOSI(place, m.records[id], c)
		case c.Type == "":
			m.add(finding.Warning, "trace.schemaless", place, "the channel has no schema",
				"osi-python fails on such channels; give it one")
		case c.Encoding == trace.Protobuf && isOSIName(c.Type):
			m.add(finding.Warning, "trace.schema.name", place,
				fmt.Sprintf(
					"found schema %q, expected the name to begin with \"osi3.\" if these are "+
						"messages of OSI", c.Type),
				"viewers identify the messages by this name")
		case c.Encoding == "json" && c.SchemaEncoding != "jsonschema":
			m.add(finding.Warning, "trace.json", place,
				fmt.Sprintf("found schema encoding %q, expected \"jsonschema\"", c.SchemaEncoding),
				"viewers take no other for JSON")
		}
	}
	if !some {
		m.withoutOSI = true
		m.add(finding.Error, "trace.no-osi", "",
			"found no channel of OSI messages, expected at least one", "record one")
	} else if !drawn {
		m.add(finding.Note, "viewer.nothing", "",
			"found no channel of GroundTruth, SensorView or SensorData, which are "+
				"the messages that viewers draw", "record one in the same file")
	}
}

// isOSIName reports whether the last part of a schema's name is the name of a top-level OSI
// message.
func isOSIName(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return trace.FullType(last) == "osi3."+last
}

// checkSummary compares the index with what was read (T10, T20).
func (m *mcapChecker) checkSummary(from io.ReaderAt, size int64) {
	f, err := mcap.Open(from, size)
	switch {
	case err != nil:
		m.add(finding.Error, "trace.index", "", err.Error(), indexRemedy)
		return
	case len(f.Chunks) == 0 && m.read.MessageCount > m.outside:
		m.add(finding.Error, "trace.index", "",
			"found no chunk indexes, expected one for every chunk (OSI 3.8.0)", indexRemedy+
				"; viewers load the whole file into memory")
		return
	}
	m.checkStatistics(f.Statistics)
	m.checkRepeated(f)
	m.checkChunks(f)
}

// checkChunks compares the index with the chunks (T22). A wrong index hides messages.
func (m *mcapChecker) checkChunks(f *mcap.File) {
	const large = 32 << 20
	n, found := 0, uint64(0)
	for _, c := range f.Chunks {
		if c.UncompressedSize > large {
			n++
		}
	}
	if n > 0 {
		m.addAt(fault.Place{}, int64(n), finding.Note, "viewer.chunk-size", quantity.Of(n,
			"chunk")+" of more than 32 MiB, which makes seeking slow",
			"gosmp convert writes chunks of 4 MiB")
	}
	var err error
	for _, c := range f.Chunks {
		var inside int
		if inside, err = f.Verify(c); err != nil {
			break
		}
		found += uint64(inside)
	}
	switch {
	case err != nil:
		m.add(finding.Error, "trace.index", "", "the index misleads readers: "+err.Error(),
			indexRemedy)
	case found != m.read.MessageCount-m.outside:
		m.add(finding.Error, "trace.index", "", fmt.Sprintf("the index leads to %d of %s", found,
			quantity.Of(m.read.MessageCount-m.outside, "message")),
			"gosmp repair writes a file with all of them")
	}
}
