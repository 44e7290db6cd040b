package mcap_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

// rescued recovers a file and returns the new one.
func rescued(t *testing.T, bad []byte, o mcap.RecoverOptions) ([]byte, *mcap.Loss) {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{})
	require.NoError(t, err)
	loss, err := mcap.Recover(bytes.NewReader(bad), int64(len(bad)), w, o)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes(), loss
}

// oneChannel returns a file with chunks of ten messages each. Like the files of most writers, it
// declares the schema and the channel only in the first chunk and in the summary.
func oneChannel(t *testing.T, compression mcap.Compression, chunks int, omit mcap.Parts) []byte {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Compression: compression, Omit: omit})
	require.NoError(t, err)
	require.NoError(t, w.AddSchema(&mcap.Schema{ID: 1, Name: "s", Encoding: "e",
		Data: []byte("d")}))
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, SchemaID: 1, Topic: "topic"}))
	for n := range uint64(10 * chunks) {
		data := binary.LittleEndian.AppendUint64(nil, n*0x9E3779B97F4A7C15)
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, Sequence: uint32(n),
			LogTime: n,
			Data:    data}))
		if n%10 == 9 {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func opened(t *testing.T, content []byte) *mcap.File {
	f, err := mcap.Open(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	return f
}

// byTopic returns the messages of a file as texts by topic.
func byTopic(t *testing.T, content []byte) map[string][]string {
	f, texts := opened(t, content), map[string][]string{}
	for m, err := range f.Messages(mcap.Query{}) {
		require.NoError(t, err)
		topic := f.Channels[m.ChannelID].Topic
		texts[topic] = append(texts[topic], fmt.Sprint(m.Sequence, m.LogTime, m.PublishTime,
			string(m.Data)))
	}
	return texts
}

// An unreadable first chunk loses only its own messages, because the summary repeats its schema and
// its channel.
func TestRecover_TakesDefinitionsFromTheSummary(t *testing.T) {
	for _, compression := range compressions {
		whole := oneChannel(t, compression, 4, 0)
		c := opened(t, whole).Chunks[0]
		clear(whole[c.ChunkStart+60 : c.ChunkStart+c.ChunkLength-5])
		content, loss := rescued(t, whole, mcap.RecoverOptions{})
		require.EqualValues(t, 30, loss.Messages)
		require.False(t, loss.Whole())
		f := opened(t, content)
		require.Equal(t, "topic", f.Channels[1].Topic)
		require.Equal(t, "s", f.Schemas[1].Name)
	}
}

// Without a summary, the definitions in a damaged chunk are used for the messages of undamaged
// chunks, and this is reported. A lost schema does not lose any messages.
func TestRecover_DefinitionsOfADamagedChunk(t *testing.T) {
	whole := oneChannel(t, mcap.None, 2, mcap.RepeatedSchemas|mcap.RepeatedChannels)
	at := bytes.Index(whole, []byte("topic"))
	factor := uint64(0x9E3779B97F4A7C15)
	whole[bytes.Index(whole, binary.LittleEndian.AppendUint64(nil, 3*factor))] ^= 1
	content, loss := rescued(t, whole, mcap.RecoverOptions{})
	require.EqualValues(t, 10, loss.Messages)
	require.EqualValues(t, 10, loss.Altered)
	require.Equal(t, "s", opened(t, content).Schemas[1].Name)

	schema := at - 9 - 2 - 2 - 4 - len("sed") - 12 - 2 - 9
	require.Equal(t, byte(mcap.OpSchema), whole[schema])
	whole[schema] = 0x80
	content, loss = rescued(t, whole, mcap.RecoverOptions{})
	require.EqualValues(t, 10, loss.Messages)
	require.Empty(t, opened(t, content).Schemas)
	require.Contains(t, strings.Join(loss.Places, "\n"), `schema 1 of channel "topic" is lost`)
}

// Whichever byte is damaged, the original channel contains no altered messages, and no message that
// can be unpacked is lost if damaged messages are kept.
func TestRecover_MarksWhatIsAltered(t *testing.T) {
	for _, compression := range compressions {
		whole := oneChannel(t, compression, 3, 0)
		want := byTopic(t, whole)["topic"]
		end := int(opened(t, whole).Footer.SummaryStart)
		for k := range end {
			bad := bytes.Clone(whole)
			bad[k] ^= 0x55
			content, loss := rescued(t, bad, mcap.RecoverOptions{})
			got := byTopic(t, content)
			require.Len(t, got, 1, "byte %d", k)
			for _, m := range got["topic"] {
				require.Contains(t, want, m, "%q with byte %d flipped", compression, k)
			}
			if len(got["topic"]) < 30 {
				require.False(t, loss.Whole(), "byte %d", k)
			}
			content, kept := rescued(t, bad, mcap.RecoverOptions{KeepDamaged: true})
			all := byTopic(t, content)
			require.Equal(t, got["topic"], all["topic"], "byte %d", k)
			marked := uint64(len(all["topic"+mcap.DamagedTopic]))
			require.Equal(t, loss.Altered, marked+kept.Orphans, "byte %d", k)
			require.Equal(t, loss.Messages+marked+kept.Orphans, kept.Messages)
			for _, c := range opened(t, content).Channels {
				marked := strings.HasSuffix(c.Topic, mcap.DamagedTopic)
				require.Equal(t, marked, c.Metadata[mcap.DamagedKey] != "")
			}
		}
	}
}

// Damage to the fields of a chunk loses nothing if an intact index also states them.
func TestRecover_UsesTheIndexForDamagedFieldsOfChunks(t *testing.T) {
	const crc, crcEnd = 9 + 24, 9 + 28
	for _, compression := range compressions {
		whole := oneChannel(t, compression, 3, 0)
		c := opened(t, whole).Chunks[1]
		for k := range c.ChunkLength - c.CompressedSize {
			if k >= crc && k < crcEnd {
				continue
			}
			bad := slices.Clone(whole)
			bad[c.ChunkStart+k] ^= 0x55
			content, loss := rescued(t, bad, mcap.RecoverOptions{})
			require.EqualValues(t, 30, loss.Messages, "%q with byte %d flipped", compression, k)
			require.Len(t, byTopic(t, content)["topic"], 30)
			require.False(t, loss.Whole())
		}
	}
}

// Damage to an index without a checksum loses nothing if the fields of the chunk are intact.
func TestRecover_UsesTheFieldsOfChunksWithDamagedIndexes(t *testing.T) {
	const footerSum = 8 + 4 // from the end of the file
	for _, compression := range compressions {
		whole := oneChannel(t, compression, 3, 0)
		c := opened(t, whole).Chunks[1]
		clear(whole[len(whole)-footerSum:][:4])
		sizes := binary.LittleEndian.AppendUint64(nil, c.CompressedSize)
		sizes = binary.LittleEndian.AppendUint64(sizes, c.UncompressedSize)
		at := bytes.LastIndex(whole, sizes)
		require.Positive(t, at)
		for k := range sizes {
			bad := slices.Clone(whole)
			bad[at+k] ^= 0x55
			content, loss := rescued(t, bad, mcap.RecoverOptions{})
			require.EqualValues(t, 30, loss.Messages, "%q with byte %d flipped", compression, k)
			require.Len(t, byTopic(t, content)["topic"], 30)
		}
	}
}

// A message outside of chunks with a wrong length does not swallow the following messages.
func TestRecover_ALengthThatSwallowsMessages(t *testing.T) {
	whole := oneChannel(t, mcap.None, 3, mcap.Chunks|mcap.MessageIndexes|mcap.ChunkIndexes)
	want := byScan(t, whole)
	require.Len(t, want, 30)
	length := bytes.Index(whole, append([]byte{byte(mcap.OpMessage), 30}, make([]byte, 7)...)) + 1
	for _, wrong := range []byte{28, 31, 200} {
		bad := slices.Clone(whole)
		bad[length] = wrong
		content, loss := rescued(t, bad, mcap.RecoverOptions{})
		got := byTopic(t, content)["topic"]
		require.GreaterOrEqual(t, len(got), 29, "length %d", wrong)
		require.Subset(t, want, got, "length %d", wrong)
		require.False(t, loss.Whole())
	}
}

// A file without chunks that is cut inside a message keeps all earlier messages.
func TestRecover_ACutMessageCostsNoOther(t *testing.T) {
	whole := oneChannel(t, mcap.None, 3, mcap.Chunks|mcap.MessageIndexes|mcap.ChunkIndexes)
	const length = 9 + 30
	head := append([]byte{byte(mcap.OpMessage), 30}, make([]byte, 7)...)
	first := bytes.Index(whole, head)
	require.Equal(t, 30, bytes.Count(whole, head))
	for cut := first; cut < first+30*length; cut++ {
		messages, loss := recovered(t, whole[:cut])
		require.Equal(t, (cut-first)/length, messages, "cut at %d", cut)
		require.False(t, loss.Whole(), "cut at %d", cut)
	}
}

// In a damaged file, messages that no checksum covers may be altered, so they are counted.
func TestRecover_CountsWhatNoChecksumCovers(t *testing.T) {
	whole := oneChannel(t, mcap.None, 3, mcap.Chunks|mcap.MessageIndexes|mcap.ChunkIndexes)
	_, loss := recovered(t, whole)
	require.Zero(t, loss.Unchecked)
	factor := uint64(0x9E3779B97F4A7C15)
	whole[bytes.Index(whole, binary.LittleEndian.AppendUint64(nil, 3*factor))] ^= 1
	_, loss = recovered(t, whole)
	require.EqualValues(t, 30, loss.Unchecked)

	for _, compression := range compressions { // with checksums of chunks
		whole := oneChannel(t, compression, 3, 0)
		whole[opened(t, whole).Chunks[1].ChunkStart+60] ^= 1
		_, loss = recovered(t, whole)
		require.Zero(t, loss.Unchecked, compression)
	}
}

func byScan(t *testing.T, content []byte) (texts []string) {
	for _, m := range linear(t, content) {
		texts = append(texts, fmt.Sprint(m.Sequence, m.LogTime, m.PublishTime, string(m.Data)))
	}
	return texts
}

// Log times that go backwards are reported, so that the result can be sorted.
func TestRecover_ReportsTimesThatGoBack(t *testing.T) {
	_, loss := rescued(t, oneChannel(t, mcap.None, 1, 0), mcap.RecoverOptions{})
	require.False(t, loss.Unsorted)
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{})
	require.NoError(t, err)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
	for _, at := range []uint64{5, 3} {
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: at}))
	}
	require.NoError(t, w.Close())
	_, loss = rescued(t, b.Bytes(), mcap.RecoverOptions{})
	require.True(t, loss.Unsorted)
}
