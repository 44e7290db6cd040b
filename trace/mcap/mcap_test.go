package mcap_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/trace/mcap"
)

var compressions = []mcap.Compression{mcap.None, mcap.LZ4, mcap.Zstd}

// drawn is a file with random messages.
type drawn struct {
	bytes    []byte
	messages []mcap.Message // as written
}

func draw(t *rapid.T, compression mcap.Compression) drawn {
	var d drawn
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Compression: compression, ChunkSize: rapid.IntRange(1,
		2000).Draw(t, "chunk size")})
	require.NoError(t, err)
	channels := rapid.IntRange(1, 3).Draw(t, "channels")
	require.NoError(t,
		w.AddSchema(&mcap.Schema{ID: 7, Name: "osi3.SensorView", Encoding: "protobuf",
			Data: []byte{1, 2}}))
	for k := range channels {
		require.NoError(t, w.AddChannel(&mcap.Channel{ID: uint16(k), SchemaID: 7,
			Topic: fmt.Sprint("topic", k), MessageEncoding: "protobuf"}))
	}
	for k := range rapid.IntRange(0, 40).Draw(t, "messages") {
		m := mcap.Message{ChannelID: uint16(rapid.IntRange(0, channels-1).Draw(t, "channel")),
			Sequence: uint32(k),
			LogTime:  rapid.Uint64Range(0, 60).Draw(t, "time"), PublishTime: uint64(k),
			Data: rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "data")}
		require.NoError(t, w.WriteMessage(&m))
		d.messages = append(d.messages, m)
	}
	require.NoError(t, w.Close())
	d.bytes = b.Bytes()
	return d
}

// linear reads all messages in file order.
func linear(t require.TestingT, b []byte) (list []mcap.Message) {
	s, err := mcap.NewScanner(bytes.NewReader(b))
	require.NoError(t, err)
	for {
		record, err := s.Next()
		if err == io.EOF { //nolint:errorlint // as documented
			return list
		}
		require.NoError(t, err)
		if m, is := record.(*mcap.Message); is {
			copied := *m
			copied.Data = append([]byte{}, m.Data...)
			list = append(list, copied)
		}
	}
}

func TestFile_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t, rapid.SampledFrom(compressions).Draw(t, "compression"))
		got := linear(t, d.bytes)
		require.Equal(t, len(d.messages), len(got))
		for k := range got {
			require.Equal(t, shown(&d.messages[k]), shown(&got[k]))
		}

		f, err := mcap.Open(bytes.NewReader(d.bytes), int64(len(d.bytes)))
		require.NoError(t, err)
		require.Equal(t, uint64(len(d.messages)), f.Statistics.MessageCount)
		start, end := rapid.Uint64Range(0, 60).Draw(t, "start"), rapid.Uint64Range(0, 61).Draw(t,
			"end")
		topic := rapid.SampledFrom([]string{"", "topic0", "topic1"}).Draw(t, "topic")
		query := mcap.Query{Start: start, End: end}
		if topic != "" {
			query.Channel = func(c *mcap.Channel) bool { return c.Topic == topic }
		}
		last, before, count := start, -1, 0
		for m, err := range f.Messages(query) {
			require.NoError(t, err)
			require.GreaterOrEqual(t, m.LogTime, last)
			if m.LogTime == last {
				require.Greater(t, int(m.Sequence), before,
					"messages of one time come in the order of the file")
			}
			last, before = m.LogTime, int(m.Sequence)
			require.Equal(t, shown(&d.messages[m.Sequence]), shown(m))
			count++
		}
		want := 0
		for _, m := range d.messages {
			if m.LogTime >= start && (end == 0 || m.LogTime < end) && (topic == "" ||
				topic == fmt.Sprint("topic", m.ChannelID)) {
				want++
			}
		}
		require.Equal(t, want, count)
	})
}

// The format authors' library can read our files, both by index and linearly.
func TestWriter_OfficialLibraryReadsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t, rapid.SampledFrom(compressions).Draw(t, "compression"))
		for _, byIndex := range []bool{true, false} {
			r, err := official.NewReader(bytes.NewReader(d.bytes))
			require.NoError(t, err)
			it, err := r.Messages(official.UsingIndex(byIndex))
			require.NoError(t, err)
			count := 0
			for {
				schema, channel, m, err := it.NextInto(nil)
				if err == io.EOF { //nolint:errorlint // as its documentation says
					break
				}
				require.NoError(t, err)
				require.Equal(t, "osi3.SensorView", schema.Name)
				require.Equal(t, fmt.Sprint("topic", m.ChannelID), channel.Topic)
				require.Equal(t, shown(&d.messages[m.Sequence]),
					fmt.Sprintf(
						"Message channel_id=%d data=%v log_time=%d publish_time=%d sequence=%d",
						m.ChannelID, m.Data, m.LogTime, m.PublishTime, m.Sequence))
				count++
			}
			require.Equal(t, len(d.messages), count)
			r.Close()
		}
	})
}

// We can read files written by the format authors' library.
func TestReader_ReadsTheOfficialLibrarysFiles(t *testing.T) {
	for _, compression := range []official.CompressionFormat{official.CompressionNone,
		official.CompressionLZ4, official.CompressionZSTD} {
		var b bytes.Buffer
		w, err := official.NewWriter(&b, &official.WriterOptions{Chunked: true, ChunkSize: 100,
			Compression: compression, IncludeCRC: true})
		require.NoError(t, err)
		require.NoError(t, w.WriteHeader(&official.Header{Profile: "p", Library: "l"}))
		require.NoError(t, w.WriteSchema(&official.Schema{ID: 1, Name: "s", Encoding: "e",
			Data: []byte("d")}))
		require.NoError(t, w.WriteChannel(&official.Channel{ID: 2, SchemaID: 1, Topic: "t",
			Metadata: map[string]string{"k": "v"}}))
		for k := range 100 {
			require.NoError(t, w.WriteMessage(&official.Message{ChannelID: 2, Sequence: uint32(k),
				LogTime: uint64(100 - k), Data: []byte{byte(k)}}))
		}
		require.NoError(t, w.WriteAttachment(&official.Attachment{Name: "a", DataSize: 3,
			Data: bytes.NewReader([]byte("abc"))}))
		require.NoError(t, w.Close())

		require.Len(t, linear(t, b.Bytes()), 100)
		f, err := mcap.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		require.NoError(t, err)
		require.Equal(t, mcap.Header{Profile: "p", Library: f.Header.Library}, f.Header)
		next := uint64(1)
		for m, err := range f.Messages(mcap.Query{}) {
			require.NoError(t, err)
			require.Equal(t, next, m.LogTime)
			next++
		}
		require.Equal(t, uint64(101), next)
		a, err := f.ReadAttachment(f.Attachments[0])
		require.NoError(t, err)
		require.Equal(t, "abc", string(a.Data))
	}
}

func TestWriter_RefusesWhatCannotBeRead(t *testing.T) {
	_, err := mcap.NewWriter(io.Discard, mcap.Options{Compression: "gzip"})
	require.ErrorIs(t, err, mcap.ErrUsage)
	w, err := mcap.NewWriter(io.Discard, mcap.Options{})
	require.NoError(t, err)
	require.ErrorIs(t, w.AddSchema(&mcap.Schema{}), mcap.ErrUsage)
	require.ErrorIs(t, w.AddChannel(&mcap.Channel{SchemaID: 1}), mcap.ErrUsage)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "a"}))
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "a"}), "the same one a second time")
	require.ErrorIs(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "b"}), mcap.ErrUsage)
	require.ErrorIs(t, w.WriteMessage(&mcap.Message{ChannelID: 5}), mcap.ErrUsage)
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.WriteMessage(&mcap.Message{ChannelID: 1}), mcap.ErrUsage)
}

// full is a disk that is full after room bytes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.room {
		return 0, io.ErrShortWrite
	}
	f.room -= len(b)
	return len(b), nil
}

func TestWriter_KeepsTheFirstError(t *testing.T) {
	w, err := mcap.NewWriter(&full{100}, mcap.Options{ChunkSize: 10})
	require.NoError(t, err)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "a"}))
	require.ErrorIs(t, w.WriteMessage(&mcap.Message{ChannelID: 1, Data: make([]byte, 100)}),
		io.ErrShortWrite)
	require.ErrorIs(t, w.Close(), io.ErrShortWrite)
}

// TestRecover_EveryCut cuts a file at every length: all chunks before the cut are recovered.
func TestRecover_EveryCut(t *testing.T) {
	for _, compression := range compressions {
		whole, ends := threeChunks(t, compression)
		for n := range len(whole) + 1 {
			messages, loss := recovered(t, whole[:n])
			complete := 0
			for _, end := range ends {
				if n >= end {
					complete += 10
				}
			}
			require.GreaterOrEqual(t, messages, complete, "%q cut at %d of %d", compression, n,
				len(whole))
			require.Equal(t, n == len(whole), loss.Whole(), "cut at %d: %+v", n, loss)
		}
	}
}

// TestRecover_EveryByte flips each byte: at most the chunk that contains the byte is lost, and all
// damage to the data section is reported.
func TestRecover_EveryByte(t *testing.T) {
	for _, compression := range compressions {
		whole, _ := threeChunks(t, compression)
		f, err := mcap.Open(bytes.NewReader(whole), int64(len(whole)))
		require.NoError(t, err)
		begin, data := int(f.Chunks[0].ChunkStart), int(f.Footer.SummaryStart)-13
		for k := range whole {
			bad := bytes.Clone(whole)
			bad[k] ^= 0x55
			messages, loss := recovered(t, bad)
			require.GreaterOrEqual(t, messages, 20, "%q with byte %d of %d flipped", compression, k,
				len(whole))
			require.False(t, loss.Whole() && k < data, "%q with byte %d of %d flipped", compression,
				k, len(whole))
			if k < begin {
				require.Equal(t, 30, messages, "%q with byte %d of %d flipped", compression, k,
					len(whole))
			}
		}
	}
}

// threeChunks returns a file with three chunks of ten messages each, and the ends of the chunks.
// Each chunk declares its own channel.
func threeChunks(t *testing.T, compression mcap.Compression) (whole []byte, ends []int) {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Compression: compression})
	require.NoError(t, err)
	for chunk := range uint16(3) {
		require.NoError(t, w.AddChannel(&mcap.Channel{ID: chunk, Topic: fmt.Sprint("topic",
			chunk)}))
		for k := range 10 {
			data := binary.LittleEndian.AppendUint64(nil, uint64(k)*0x9E3779B97F4A7C15)
			require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: chunk, Sequence: uint32(k),
				LogTime: uint64(chunk)*10 + uint64(k), Data: data}))
		}
		require.NoError(t, w.Flush())
		ends = append(ends, b.Len())
	}
	require.NoError(t, w.Close())
	return b.Bytes(), ends
}

// recovered recovers a file and reads the result.
func recovered(t *testing.T, bad []byte) (messages int, loss *mcap.Loss) {
	content, loss := rescued(t, bad, mcap.RecoverOptions{})
	messages = len(linear(t, content))
	require.Equal(t, uint64(messages), loss.Messages)
	return messages, loss
}

func FuzzReaders(f *testing.F) {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Compression: mcap.LZ4})
	require.NoError(f, err)
	require.NoError(f, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
	require.NoError(f, w.WriteMessage(&mcap.Message{ChannelID: 1, Data: []byte("abc")}))
	require.NoError(f, w.WriteAttachment(&mcap.Attachment{Name: "a"}))
	require.NoError(f,
		w.WriteMetadata(&mcap.Metadata{Name: "m", Values: map[string]string{"k": "v"}}))
	require.NoError(f, w.Close())
	f.Add(b.Bytes())
	f.Add([]byte(mcap.Magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := mcap.NewScanner(bytes.NewReader(data)); err == nil {
			for {
				if _, err := s.Next(); err != nil {
					break
				}
			}
		}
		if file, err := mcap.Open(bytes.NewReader(data), int64(len(data))); err == nil {
			for _, err := range file.Messages(mcap.Query{}) {
				if err != nil {
					break
				}
			}
			for _, c := range file.Chunks {
				if _, err := file.Verify(c); err != nil {
					break
				}
			}
		}
		w, err := mcap.NewWriter(io.Discard, mcap.Options{})
		require.NoError(t, err)
		_, err = mcap.Recover(bytes.NewReader(data), int64(len(data)), w, mcap.RecoverOptions{})
		require.NoError(t, err)
	})
}
