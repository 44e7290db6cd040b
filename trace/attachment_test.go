package trace_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
	"gosmp/trace/mcap"
)

// A damaged attachment or metadata record causes no loss of messages, wherever it is in the file
// and whether the file is read with an index or from a pipe. It is reported, and everything intact
// is copied.
func TestCopy_LosesDamagedAttachmentsAlone(t *testing.T) {
	b, w := foreign(t, mcap.Options{}, viewChannel(1, "view", "3.8.0"))
	require.NoError(t, w.WriteAttachment(&mcap.Attachment{Name: "first.txt",
		Data: []byte("hello, first")}))
	for k := range 50 {
		m := &mcap.Message{ChannelID: 1, LogTime: uint64(k), PublishTime: uint64(k),
			Data: []byte{0x12, 0}}
		require.NoError(t, w.WriteMessage(m))
		if k == 25 {
			require.NoError(t, w.Flush())
			require.NoError(t, w.WriteAttachment(&mcap.Attachment{Name: "second.txt",
				Data: []byte("hello, second")}))
		}
	}
	require.NoError(t, w.Close())
	for _, name := range []string{"hello, first", "hello, second"} {
		content := slices.Clone(b.Bytes())
		content[bytes.Index(content, []byte(name))] ^= 1
		for _, piped := range []bool{false, true} {
			k := &trace.Copy{Format: trace.MCAP}
			o := trace.Options{Attached: k.Attach, Lost: k.Lose}
			var source trace.Source
			var err error
			if piped {
				source, err = trace.OpenStream("a.mcap", bytes.NewReader(content), o)
			} else {
				source, err = trace.OpenAt("a.mcap", bytes.NewReader(content), int64(len(content)),
					o)
			}
			require.NoError(t, err)
			var out bytes.Buffer
			require.NoError(t, k.Run(&out, source))
			require.EqualValues(t, 50, k.Messages)
			require.Len(t, k.Lost, 1)
			require.ErrorContains(t, k.Lost[0], "a.mcap: byte ")
			require.ErrorContains(t, k.Lost[0], "attachment")
			f, err := mcap.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
			require.NoError(t, err)
			require.Len(t, f.Attachments, 1, "the other one")
		}
	}
	source, err := trace.OpenAt("a.mcap", bytes.NewReader(damagedIn(b.Bytes(), "hello, first")),
		int64(b.Len()),
		trace.Options{Attached: func(any) error { return nil }})
	require.NoError(t, err)
	_, err = source.Next()
	require.True(t, trace.IsDamage(err), "who does not ask for them gets the error")
	require.NotErrorIs(t, err, io.EOF)
}

func damagedIn(content []byte, text string) []byte {
	content = slices.Clone(content)
	content[bytes.Index(content, []byte(text))] ^= 1
	return content
}
