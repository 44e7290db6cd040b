package mcap_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

// indexed returns a file whose data section has a chunk between two parts, and whose summary has
// the index of the chunk.
func indexed(before, behind []byte) []byte {
	records := slices.Concat(channel, message)
	chunk := packed(uint64(len(records)), "", records)
	at := uint64(len(mcap.Magic) + len(header) + len(before))
	index := rec(8, uint64(40), uint64(40), at, uint64(len(chunk)), uint32(0), uint64(0), "",
		uint64(len(records)), uint64(len(records)))
	return assembled(slices.Concat(before, chunk, behind), index)
}

// A file must not be read using an index that covers only some of its messages.
func TestFile_CompleteIfTheIndexLeadsToAllMessages(t *testing.T) {
	inner := slices.Concat(message)
	chunk := packed(uint64(len(inner)), "", inner)
	for name, c := range map[string]struct {
		file     []byte
		complete bool
	}{
		"all in a chunk":      {indexed(nil, nil), true},
		"schema and private":  {indexed(rec(3, uint16(1), "n", "e", uint32(0)), private), true},
		"message in front":    {indexed(slices.Concat(channel, message), nil), false},
		"message behind":      {indexed(nil, message), false},
		"chunk without index": {indexed(nil, chunk), false},
		"opcode 0":            {indexed(nil, rec(0)), false},
		"half a record": {indexed(nil, []byte{0x80, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0}),
			false},
		"index behind the end": {assembled(nil, rec(8, uint64(0), uint64(0), uint64(1<<40),
			uint64(9), uint32(0), uint64(0), "", uint64(0), uint64(0))), false},
		"no messages at all":      {assembled(channel, nil), true},
		"messages and no summary": {assembled(slices.Concat(channel, message), nil), false},
	} {
		f, err := mcap.Open(bytes.NewReader(c.file), int64(len(c.file)))
		require.NoError(t, err, name)
		complete, err := f.Complete()
		require.NoError(t, err, name)
		require.Equal(t, c.complete, complete, name)
	}
}

func TestFile_FindsAttachmentsAndMetadataWithoutAnIndex(t *testing.T) {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Omit: mcap.AttachmentIndexes | mcap.MetadataIndexes})
	require.NoError(t, err)
	require.NoError(t,
		w.WriteMetadata(&mcap.Metadata{Name: "notes", Values: map[string]string{"k": "v"}}))
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1}))
	require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, Data: []byte("abc")}))
	require.NoError(t, w.Flush())
	require.NoError(t, w.WriteAttachment(&mcap.Attachment{Name: "a.txt", Data: []byte("hello")}))
	require.NoError(t, w.Close())
	f, err := mcap.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	require.Empty(t, f.Attachments)
	complete, err := f.Complete()
	require.NoError(t, err)
	require.True(t, complete)
	a, err := f.ReadAttachment(f.Attachments[0])
	require.NoError(t, err)
	require.Equal(t, "hello", string(a.Data))
	m, err := f.ReadMetadata(f.Metadata[0])
	require.NoError(t, err)
	require.Equal(t, "v", m.Values["k"])
}

// Files may be concatenated, or may end with the rest of a longer file that was overwritten.
func TestScanner_BytesAfterTheEndAreDamage(t *testing.T) {
	whole := indexed(nil, nil)
	for name, rest := range map[string][]byte{"another file": whole, "a byte": {0}} {
		s, err := mcap.NewScanner(bytes.NewReader(slices.Concat(whole, rest)))
		messages := 0
		for err == nil {
			var record any
			if record, err = s.Next(); err == nil {
				if _, is := record.(*mcap.Message); is {
					messages++
				}
			}
		}
		require.False(t, errors.Is(err, io.EOF), name)
		require.ErrorIs(t, err, mcap.ErrFormat, name)
		require.Equal(t, 1, messages, name)
	}
}

// The magic at the end is worthless if the Footer before it is missing.
func TestRecover_FileWithoutAFooterHasNoEnd(t *testing.T) {
	for name, bad := range map[string][]byte{
		"magic twice": []byte(mcap.Magic + mcap.Magic),
		"no footer": slices.Concat([]byte(mcap.Magic), header, channel, message,
			[]byte(mcap.Magic)),
	} {
		_, loss := recovered(t, bad)
		require.False(t, loss.Whole(), name)
		require.NotEmpty(t, loss.Places, name)
	}
}

// T33: only the checksum of the data section reveals that a byte of a message outside of chunks has
// changed.
func TestRecover_ComparesTheChecksumOfTheDataSection(t *testing.T) {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Omit: mcap.Chunks})
	require.NoError(t, err)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1}))
	require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, Data: []byte("the message")}))
	require.NoError(t, w.Close())
	_, loss := recovered(t, b.Bytes())
	require.True(t, loss.Whole())
	kept, loss := recovered(t, bytes.Replace(b.Bytes(), []byte("the message"),
		[]byte("the massage"), 1))
	require.Equal(t, 1, kept)
	require.False(t, loss.Whole())
	require.Contains(t, loss.Places[0], "a message may be wrong")
}
