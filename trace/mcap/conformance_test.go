package mcap_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

// suiteFolder holds the conformance suite of the format, which is not part of this project.
const suiteFolder = "../../../shared/data/mcap-conformance"

// suiteCase is a case of the suite in JSON: the content of a file and the parts that it has.
type suiteCase struct {
	name    string
	Records []suiteRecord `json:"records"`
	Meta    struct {
		Variant struct {
			Features []string `json:"features"`
		} `json:"variant"`
	} `json:"meta"`
}

type suiteRecord struct {
	Type   string              `json:"type"`
	Fields [][]json.RawMessage `json:"fields"`
}

func (c *suiteCase) has(feature string) bool {
	return slices.Contains(c.Meta.Variant.Features, feature)
}

func suite(t *testing.T) (cases []*suiteCase, sums map[string]string) {
	t.Helper()
	packed, err := os.Open(filepath.Join(suiteFolder, "inputs.tar.gz"))
	if err != nil {
		t.Skipf("the conformance suite is not here: %v", err)
	}
	defer packed.Close() //nolint:errcheck // nothing was written
	unzipped, err := gzip.NewReader(packed)
	require.NoError(t, err)
	for files := tar.NewReader(unzipped); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if !strings.HasSuffix(head.Name, ".json") {
			continue
		}
		c := &suiteCase{name: strings.TrimSuffix(path.Base(head.Name), ".json")}
		require.NoError(t, json.NewDecoder(files).Decode(c))
		cases = append(cases, c)
	}
	table, err := os.ReadFile(filepath.Join(suiteFolder, "sha256.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	require.NoError(t, err)
	sums = map[string]string{}
	for _, row := range rows[1:] {
		sums[row[0]] = row[1] + " " + row[2]
	}
	require.Len(t, cases, 416)
	return cases, sums
}

// fields gives access to the fields of a record by name.
type fields struct {
	t      *testing.T
	values map[string]json.RawMessage
}

func (r *suiteRecord) fields(t *testing.T) fields {
	f := fields{t, map[string]json.RawMessage{}}
	for _, pair := range r.Fields {
		var name string
		require.NoError(t, json.Unmarshal(pair[0], &name))
		f.values[name] = pair[1]
	}
	return f
}

func (f fields) text(name string) (s string) {
	require.NoError(f.t, json.Unmarshal(f.values[name], &s), name)
	return s
}

func (f fields) number(name string) uint64 {
	n, err := strconv.ParseUint(f.text(name), 10, 64)
	require.NoError(f.t, err)
	return n
}

func (f fields) data(name string) (b []byte) {
	var list []string
	require.NoError(f.t, json.Unmarshal(f.values[name], &list))
	for _, text := range list {
		n, err := strconv.ParseUint(text, 10, 8)
		require.NoError(f.t, err)
		b = append(b, byte(n))
	}
	return b
}

func (f fields) texts(name string) (m map[string]string) {
	require.NoError(f.t, json.Unmarshal(f.values[name], &m))
	return m
}

// write creates the file of a case.
func (c *suiteCase) write(t *testing.T) []byte {
	options := mcap.Options{}
	for feature, part := range map[string]mcap.Parts{"ch": mcap.Chunks, "mx": mcap.MessageIndexes,
		"st":  mcap.StatisticsRecord,
		"rsh": mcap.RepeatedSchemas, "rch": mcap.RepeatedChannels, "ax": mcap.AttachmentIndexes,
		"mdx": mcap.MetadataIndexes,
		"chx": mcap.ChunkIndexes, "sum": mcap.SummaryOffsets} {
		if !c.has(feature) {
			options.Omit |= part
		}
	}
	var padding []byte
	if c.has("pad") {
		padding = []byte{1, 0xFF, 0xFF}
	}
	var b bytes.Buffer
	w, err := mcap.NewPaddingWriter(&b, options, padding)
	require.NoError(t, err)
	for _, r := range c.Records {
		if r.Type == "DataEnd" {
			break
		}
		require.NoError(t, writeRecord(w, r.Type, r.fields(t)))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func writeRecord(w *mcap.Writer, kind string, f fields) error {
	switch kind {
	case "Schema":
		return w.AddSchema(&mcap.Schema{ID: uint16(f.number("id")), Name: f.text("name"),
			Encoding: f.text("encoding"), Data: f.data("data")})
	case "Channel":
		return w.AddChannel(&mcap.Channel{ID: uint16(f.number("id")),
			SchemaID: uint16(f.number("schema_id")), Topic: f.text("topic"),
			MessageEncoding: f.text("message_encoding"), Metadata: f.texts("metadata")})
	case "Message":
		return w.WriteMessage(&mcap.Message{ChannelID: uint16(f.number("channel_id")),
			Sequence: uint32(f.number("sequence")), LogTime: f.number("log_time"),
			PublishTime: f.number("publish_time"), Data: f.data("data")})
	case "Attachment":
		return w.WriteAttachment(&mcap.Attachment{LogTime: f.number("log_time"),
			CreateTime: f.number("create_time"), Name: f.text("name"),
			MediaType: f.text("media_type"), Data: f.data("data")})
	case "Metadata":
		return w.WriteMetadata(&mcap.Metadata{Name: f.text("name"), Values: f.texts("metadata")})
	}
	return nil
}

func TestConformance_WriterGivesTheBytes(t *testing.T) {
	cases, sums := suite(t)
	for _, c := range cases {
		b := c.write(t)
		sum := sha256.Sum256(b)
		require.Equal(t, sums[c.name], fmt.Sprintf("%d %s", len(b), hex.EncodeToString(sum[:])),
			c.name)
	}
}

func TestConformance_ScannerReadsTheRecords(t *testing.T) {
	cases, _ := suite(t)
	for _, c := range cases {
		s, err := mcap.NewScanner(bytes.NewReader(c.write(t)))
		require.NoError(t, err)
		for _, want := range c.Records {
			got, err := s.Next()
			require.NoError(t, err, "%s %s", c.name, want.Type)
			require.Equal(t, canonical(t, want), shown(got), c.name)
		}
		_, err = s.Next()
		require.ErrorIs(t, err, io.EOF)
	}
}

func TestConformance_FileReadsByIndex(t *testing.T) {
	cases, _ := suite(t)
	read := 0
	for _, c := range cases {
		if !c.has("ch") || !c.has("chx") || !c.has("rch") || !c.has("rsh") || !c.has("mx") {
			continue
		}
		b := c.write(t)
		f, err := mcap.Open(bytes.NewReader(b), int64(len(b)))
		require.NoError(t, err)
		var want []string
		for _, r := range c.Records {
			if r.Type == "Message" {
				want = append(want, canonical(t, r))
			}
		}
		slices.SortStableFunc(want, func(a, b string) int { return timeIn(t, a) - timeIn(t, b) })
		var got []string
		for m, err := range f.Messages(mcap.Query{}) {
			require.NoError(t, err)
			got = append(got, shown(m))
		}
		require.Equal(t, want, got, c.name)
		read++
	}
	require.Equal(t, 16, read)
}

// timeIn returns the log time in a message in its shown form.
func timeIn(t *testing.T, text string) int {
	_, after, ok := strings.Cut(text, "log_time=")
	require.True(t, ok)
	n, err := strconv.Atoi(strings.Fields(after)[0])
	require.NoError(t, err)
	return n
}
