package mcap_test

import (
	"bytes"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

// A message outside of chunks is kept and marked if the record after it is damaged or if its own
// length is wrong, because other readers would read it.
func TestRecover_KeepsTheMessageBeforeDamage(t *testing.T) {
	whole := oneChannel(t, mcap.None, 3, mcap.Chunks|mcap.MessageIndexes|mcap.ChunkIndexes)
	want := byScan(t, whole)
	const length = 9 + 30
	first := bytes.Index(whole, append([]byte{byte(mcap.OpMessage), 30}, make([]byte, 7)...))
	for name, change := range map[string]func([]byte) []byte{
		"head of the next one":   func(b []byte) []byte { clear(b[length : length+9]); return b },
		"length of the next one": func(b []byte) []byte { b[length+7] = 0x11; return b },
		"bytes between them": func(b []byte) []byte {
			return slices.Insert(b, length, 0xff, 0xfe, 0xfd)
		},
	} {
		bad := slices.Clone(whole)
		bad = append(bad[:first+12*length:first+12*length], change(bad[first+12*length:])...)
		content, loss := rescued(t, bad, mcap.RecoverOptions{KeepDamaged: true})
		got := byTopic(t, content)
		require.Contains(t, got["topic"+mcap.DamagedTopic], want[12], name)
		require.Subset(t, got["topic"], slices.Delete(slices.Clone(want), 12, 14), name)
		require.False(t, loss.Whole())

		content, _ = rescued(t, bad, mcap.RecoverOptions{})
		require.Subset(t, want, byTopic(t, content)["topic"], name)
	}
}

// In a damaged chunk, a message with a wrong length ends where the next records begin or where the
// chunk ends.
func TestRecover_KeepsMessagesWithAWrongLength(t *testing.T) {
	for k := range 10 {
		whole := oneChannel(t, mcap.None, 1, 0)
		want := byTopic(t, whole)["topic"]
		head := append([]byte{byte(mcap.OpMessage), 30}, make([]byte, 7)...)
		at := bytes.Index(whole, head) + k*(9+30)
		require.Equal(t, head, whole[at:at+9])
		whole[at+3] = 1 // 65 536 more
		content, loss := rescued(t, whole, mcap.RecoverOptions{KeepDamaged: true})
		require.ElementsMatch(t, want, byTopic(t, content)["topic"+mcap.DamagedTopic], k)
		require.EqualValues(t, 10, loss.Altered)
	}
}

// Other readers refuse texts that are not UTF-8. They are read as Latin-1, so that different topics
// stay different, and they are reported.
func TestRecover_TextsThatAreNotUTF8(t *testing.T) {
	whole := oneChannel(t, mcap.None, 1, mcap.ChunkIndexes)
	for _, text := range []string{"topic", "sed"} {
		for at := range whole {
			if bytes.HasPrefix(whole[at:], []byte(text)) {
				whole[at] = 0xDC
			}
		}
	}
	content, loss := rescued(t, whole, mcap.RecoverOptions{KeepDamaged: true})
	require.True(t, utf8.ValidString(opened(t, content).Channels[1].Topic))
	require.Equal(t, "Üopic", opened(t, content).Channels[1].Topic)
	require.Positive(t, loss.Damaged)
}

// A writer always writes UTF-8, whatever its input.
func TestWriter_TextsAreUTF8(t *testing.T) {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{})
	require.NoError(t, err)
	require.NoError(t, w.AddSchema(&mcap.Schema{ID: 1, Name: "a\xe4b", Encoding: "\xff"}))
	require.NoError(t,
		w.AddChannel(&mcap.Channel{ID: 1, SchemaID: 1, Topic: "caf\xe9 ü\xed\xa0\x80",
			Metadata: map[string]string{"\x80": "\xc3"}}))
	require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1}))
	require.NoError(t, w.WriteMetadata(&mcap.Metadata{Name: "\xa0"}))
	require.NoError(t, w.WriteAttachment(&mcap.Attachment{Name: "\xb5m.txt"}))
	require.NoError(t, w.Close())
	f := opened(t, b.Bytes())
	require.Equal(t, "aäb", f.Schemas[1].Name)
	c := f.Channels[1]
	require.Equal(t, "café üí\u00a0\u0080", c.Topic)
	require.Equal(t, map[string]string{"\u0080": "Ã"}, c.Metadata)
}

// In a damaged chunk, a channel ends where its fields end, whatever its length says, so that its
// messages are not lost.
func TestRecover_DefinitionsWithAWrongLength(t *testing.T) {
	for _, record := range []mcap.Opcode{mcap.OpSchema, mcap.OpChannel} {
		for _, more := range []byte{3, 4, 40, 200} {
			whole := oneChannel(t, mcap.None, 1, mcap.RepeatedSchemas|mcap.RepeatedChannels)
			at := 0
			for whole[at] != byte(record) || !bytes.Equal(whole[at+2:at+9], make([]byte, 7)) {
				at++
			}
			whole[at+1] += more
			content, loss := rescued(t, whole, mcap.RecoverOptions{KeepDamaged: true})
			require.Len(t, byTopic(t, content)["topic"+mcap.DamagedTopic], 10, "%v %d", record,
				more)
			require.Zero(t, loss.Orphans)
			require.Equal(t, "s", opened(t, content).Schemas[1].Name)
		}
	}
}
