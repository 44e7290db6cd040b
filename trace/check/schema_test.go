package check_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/trace"
	"gosmp/trace/check"
	"gosmp/trace/mcap"
)

// twoChannels is a file with two channels; change may modify it in any way.
type twoChannels struct {
	metadata map[string]string
	schemas  []*mcap.Schema
	channels []*mcap.Channel
	options  mcap.Options
	times    []uint64
}

func (c *twoChannels) write(t *testing.T) []byte {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, c.options)
	require.NoError(t, err)
	require.NoError(t, w.WriteMetadata(&mcap.Metadata{Name: trace.MetadataName,
		Values: c.metadata}))
	for _, s := range c.schemas {
		require.NoError(t, w.AddSchema(s))
	}
	for k, channel := range c.channels {
		require.NoError(t, w.AddChannel(channel))
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: channel.ID, LogTime: c.times[k],
			PublishTime: c.times[k], Data: encode(t, good(0))}))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// T12: each OSI type and release has exactly one schema of its own. T11: the version range in the
// metadata covers all channels.
func TestFile_SchemasAndReleases(t *testing.T) {
	descriptors, err := trace.SchemaOf("osi3.SensorView")
	require.NoError(t, err)
	const osi, protobuf = "net.asam.osi.trace.channel.osi_version",
		"net.asam.osi.trace.channel.protobuf_version"
	for name, c := range map[string]struct {
		change func(*twoChannels)
		want   map[string]int64
		text   string
	}{
		"right": {func(*twoChannels) {}, map[string]int64{}, ""},
		"one schema for two releases": {func(c *twoChannels) {
			c.channels[1].Metadata[osi] = "3.7.0"
		},
			map[string]int64{"trace.schema": 1, "deserialization.expected_version": 1},
			"found schema 1 for osi3.SensorView of OSI 3.8.0 and for osi3.SensorView of OSI 3.7.0"},
		"two schemas for one release": {func(c *twoChannels) { c.channels[1].SchemaID = 2 },
			map[string]int64{"trace.schema": 1}, "found schemas 1 and 2"},
		"a schema for each release": {func(c *twoChannels) {
			c.channels[1].SchemaID, c.channels[1].Metadata[osi] = 2, "3.7.0"
		},
			map[string]int64{"deserialization.expected_version": 1}, ""},
		"release out of range": {func(c *twoChannels) { c.metadata["max_osi_version"] = "3.7.5" },
			map[string]int64{"trace.metadata": 1},
			"found OSI version 3.8.0, expected one from 3.7.0 to 3.7.5, as min_osi_version and " +
				"max_osi_version of the file state"},
		"protobuf out of range": {func(c *twoChannels) {
			c.channels[1].Metadata[protobuf] = "2.0.0"
		}, map[string]int64{"trace.metadata": 1},
			"found protobuf version 2.0.0, expected one from 1.0.0 to 1.36.12"},
		"schemas that are not repeated": {func(c *twoChannels) {
			c.options.Omit = mcap.RepeatedSchemas
		}, map[string]int64{"trace.index": 1},
			"the summary does not repeat the schema of the channel"},
	} {
		file := &twoChannels{times: []uint64{0, 0},
			metadata: map[string]string{"version": "3.8.0", "min_osi_version": "3.7.0",
				"max_osi_version":      "3.8.0",
				"min_protobuf_version": "1.0.0", "max_protobuf_version": "1.36.12"},
			schemas: []*mcap.Schema{{ID: 1, Name: "osi3.SensorView", Encoding: "protobuf",
				Data: descriptors},
				{ID: 2, Name: "osi3.SensorView", Encoding: "protobuf", Data: descriptors}}}
		for id, topic := range []string{"a", "b"} {
			file.channels = append(file.channels, &mcap.Channel{ID: uint16(id + 1), SchemaID: 1,
				Topic: topic, MessageEncoding: "protobuf",
				Metadata: map[string]string{osi: "3.8.0", protobuf: "1.36.12"}})
		}
		c.change(file)
		content := file.write(t)
		require.Equal(t, c.want, found(t, "a.mcap", content, finding.Warning), name)
		r, err := check.File("a.mcap", bytes.NewReader(content), int64(len(content)),
			check.Options{})
		require.NoError(t, err)
		texts := ""
		for _, f := range r.Findings {
			texts += f.Message + "\n"
		}
		require.Contains(t, texts, c.text, name)
	}
}

// Impossible times are reported as a single finding, and messages with such times still count in
// the index.
func TestFile_ImpossibleTimes(t *testing.T) {
	descriptors, err := trace.SchemaOf("osi3.SensorView")
	require.NoError(t, err)
	file := &twoChannels{times: []uint64{1 << 63}, schemas: []*mcap.Schema{{ID: 1,
		Name: "osi3.SensorView", Encoding: "protobuf", Data: descriptors}},
		channels: []*mcap.Channel{plainChannel()},
		metadata: map[string]string{"version": "3.8.0", "min_osi_version": "3.8.0",
			"max_osi_version": "3.8.0", "min_protobuf_version": "1.36.12",
			"max_protobuf_version": "1.36.12"}}
	content := file.write(t)
	require.Equal(t, map[string]int64{"trace.time": 1, "trace.empty": 1}, found(t, "a.mcap",
		content, finding.Warning))
}

// Viewers take the times and counts of a file from its statistics.
func TestFile_ComparesTheStatistics(t *testing.T) {
	content := metadataFile(t, plainChannel(), &mcap.Metadata{Name: trace.MetadataName,
		Values: map[string]string{"version": "3.8.0",
			"min_osi_version": "3.8.0", "max_osi_version": "3.8.0",
			"min_protobuf_version": "1.36.12", "max_protobuf_version": "1.36.12"}})
	copy(content[len(content)-len(mcap.Magic)-4:], []byte{0, 0, 0, 0}) // no checksum of the summary
	f, err := mcap.Open(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	var body int
	for _, o := range f.Offsets {
		if o.Group == mcap.OpStatistics {
			body = int(o.Start) + 9
		}
	}
	for field, place := range map[string]int{"messages": 0, "schemas": 8, "channels": 10,
		"attachments": 14, "metadata": 18, "start": 26, "end": 34, "of the channel": 48} {
		changed := bytes.Clone(content)
		changed[body+place]++
		require.Equal(t, map[string]int64{"trace.statistics": 1}, found(t, "a.mcap", changed,
			finding.Warning), field)
	}
}
