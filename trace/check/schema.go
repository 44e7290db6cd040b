package check

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"gosmp/internal/finding"
	"gosmp/internal/quantity"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// checkOSI checks a channel of OSI messages.
func (m *mcapChecker) checkOSI(place string, r *mcap.Channel, c *trace.Channel) {
	if !c.IsOSI() {
		m.add(finding.Error, "trace.schema", place,
			fmt.Sprintf(
				"found messages of schema %q in encoding %q, expected a top-level message of "+
					"OSI in protobuf", c.Type, c.Encoding),
			"the schema has to be named osi3.SensorView or the like")
		return
	}
	keys := trace.MandatoryChannelMetadata()
	for k, value := range []string{c.OSIVersion, c.ProtobufVersion} {
		if _, ok := trace.ParseVersion(value); !ok {
			m.add(finding.Error, "trace.channel", place,
				fmt.Sprintf("found %q as %s, expected a version such as 3.8.0", value, keys[k]),
				metadataRemedy)
		}
	}
	m.checkReserved(place, r.Metadata, append(trace.MandatoryChannelMetadata(),
		trace.ReservedPrefix+".trace.channel.description"))
	m.checkRelease(place, c)
	s := m.schemas[r.SchemaID]
	m.checkSchema(place, s.ID, c)
	if s.Encoding != trace.Protobuf {
		m.add(finding.Error, "trace.schema", place,
			fmt.Sprintf("found schema encoding %q, expected \"protobuf\"", s.Encoding),
			metadataRemedy)
	}
	err, tried := m.usable[s]
	if !tried {
		err = usable(s)
		m.usable[s] = err
	}
	if err != nil {
		m.add(finding.Error, "trace.schema", place, fmt.Sprintf("schema %q cannot be used: %v",
			s.Name, err),
			"it has to be a FileDescriptorSet with all imports; gosmp convert writes one")
	}
}

// usable returns an error if a reader cannot decode messages with a schema.
func usable(s *mcap.Schema) error {
	var set descriptorpb.FileDescriptorSet
	if err := trace.Unmarshal(s.Data, &set); err != nil {
		return err
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return err
	}
	d, err := files.FindDescriptorByName(protoreflect.FullName(s.Name))
	if err != nil {
		return fmt.Errorf("it has no message %s", s.Name)
	}
	if _, is := d.(protoreflect.MessageDescriptor); !is {
		return fmt.Errorf("%s is not a message", s.Name)
	}
	return nil
}

// checkRelease compares the versions of a channel with the range in the metadata of the file.
func (m *mcapChecker) checkRelease(place string, c *trace.Channel) {
	keys := trace.MandatoryMetadata()
	for k, version := range []string{c.OSIVersion, c.ProtobufVersion} {
		least, greatest := m.states[keys[1+2*k]], m.states[keys[2+2*k]]
		v, stated := trace.ParseVersion(version)
		from, one := trace.ParseVersion(least)
		until, other := trace.ParseVersion(greatest)
		if stated && one && other && (slices.Compare(v[:], from[:]) < 0 || slices.Compare(v[:],
			until[:]) > 0) {
			m.add(finding.Error, "trace.metadata", place,
				fmt.Sprintf(
					"found %s %s, expected one from %s to %s, as %s and %s of the file state",
					[]string{"OSI version", "protobuf version"}[k], version, least, greatest,
					keys[1+2*k], keys[2+2*k]), metadataRemedy)
		}
	}
}

// releases maps schemas to their OSI types and releases.
type releases struct {
	ofSchema map[uint16]string
	schemaOf map[string]uint16
}

// checkSchema reports schemas that do not belong to exactly one type and release (T12).
func (m *mcapChecker) checkSchema(place string, schema uint16, c *trace.Channel) {
	if c.OSIVersion == "" {
		return // reported by another finding
	}
	release := c.Type + " of OSI " + c.OSIVersion
	if other, known := m.ofSchema[schema]; known && other != release {
		m.add(finding.Error, "trace.schema", place,
			fmt.Sprintf(
				"found schema %d for %s and for %s, expected one for each release (OSI 3.8.0)",
				schema, other, release),
			metadataRemedy)
	}
	if other, known := m.schemaOf[release]; known && other != schema {
		m.add(finding.Error, "trace.schema", place,
			fmt.Sprintf("found schemas %d and %d for %s, expected one (OSI 3.8.0)", other, schema,
				release), metadataRemedy)
	}
	m.ofSchema[schema], m.schemaOf[release] = release, schema
}

// count adds a message to the statistics of the messages read.
func (m *mcapChecker) count(r *mcap.Message) {
	s := &m.read
	if s.MessageCount == 0 {
		s.MessageStart, s.MessageEnd = r.LogTime, r.LogTime
	}
	s.MessageStart, s.MessageEnd = min(s.MessageStart, r.LogTime), max(s.MessageEnd, r.LogTime)
	s.MessageCount++
	s.ChannelMessageCounts[r.ChannelID]++
}

const indexRemedy = "gosmp convert writes an indexed file"

// checkStatistics compares the statistics with what was read, because viewers take the time range
// of the file from them.
func (m *mcapChecker) checkStatistics(s *mcap.Statistics) {
	if s == nil {
		m.add(finding.Warning, "trace.statistics", "", "found no statistics", indexRemedy)
		return
	}
	for _, x := range []struct {
		what        string
		found, want uint64
		severity    finding.Severity
	}{
		{"messages", s.MessageCount, m.read.MessageCount, finding.Error},
		{"ns as the least log time", s.MessageStart, m.read.MessageStart, finding.Error},
		{"ns as the greatest log time", s.MessageEnd, m.read.MessageEnd, finding.Error},
		{"schemas", uint64(s.SchemaCount), uint64(len(m.schemas)), finding.Warning},
		{"channels", uint64(s.ChannelCount), uint64(len(m.records)), finding.Warning},
		{"attachments", uint64(s.AttachmentCount), uint64(m.read.AttachmentCount), finding.Warning},
		{"metadata records", uint64(s.MetadataCount), uint64(m.read.MetadataCount),
			finding.Warning},
	} {
		if x.found != x.want {
			m.add(x.severity, "trace.statistics", "",
				fmt.Sprintf("the statistics state %d %s, expected %d", x.found, x.what, x.want),
				indexRemedy)
		}
	}
	if len(s.ChannelMessageCounts) == 0 { // the format allows the counts to be missing
		return
	}
	for _, id := range slices.Sorted(maps.Keys(m.records)) {
		if stated, read := s.ChannelMessageCounts[id],
			m.read.ChannelMessageCounts[id]; stated != read {
			m.add(finding.Error, "trace.statistics", fmt.Sprintf("channel %d", id),
				fmt.Sprintf("the statistics state %s, expected %d", quantity.Of(stated, "message"),
					read), indexRemedy)
		}
	}
}

// checkRepeated checks that the summary repeats what index readers need for channels with messages.
func (m *mcapChecker) checkRepeated(f *mcap.File) {
	for _, id := range slices.Sorted(maps.Keys(m.records)) {
		missing := ""
		switch r := m.records[id]; {
		case m.read.ChannelMessageCounts[id] == 0:
		case f.Channels[id] == nil:
			missing = "channel"
		case r.SchemaID != 0 && f.Schemas[r.SchemaID] == nil:
			missing = "schema of the channel"
		}
		if missing != "" {
			m.add(finding.Error, "trace.index", fmt.Sprintf("channel %d", id),
				"the summary does not repeat the "+missing, indexRemedy)
		}
	}
}
