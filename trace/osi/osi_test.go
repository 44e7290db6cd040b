package osi_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/proto/osi3"
	"gosmp/proto/osifile"
	"gosmp/trace/osi"
)

func write(t require.TestingT, messages [][]byte) []byte {
	var b bytes.Buffer
	w := osi.NewWriter(&b)
	for _, m := range messages {
		require.NoError(t, w.Write(m))
	}
	return b.Bytes()
}

// read reads messages up to the first error; the end of the file is not an error.
func read(from io.Reader) (messages [][]byte, r *osi.Reader, err error) {
	r = osi.NewReader(from)
	for {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			return messages, r, nil
		}
		if err != nil {
			return messages, r, err
		}
		messages = append(messages, bytes.Clone(m))
	}
}

func TestReader_RoundTripAndEveryCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 30), 0, 8).Draw(t, "messages")
		file := write(t, messages)
		got, _, err := read(iotest.OneByteReader(bytes.NewReader(file)))
		require.NoError(t, err)
		require.Equal(t, len(messages), len(got))
		for k := range got {
			require.Equal(t, messages[k], got[k])
		}
		if len(file) == 0 {
			return
		}
		cut := rapid.IntRange(0, len(file)-1).Draw(t, "cut")
		got, r, err := read(bytes.NewReader(file[:cut]))
		if r.Offset() == int64(cut) {
			require.NoError(t, err, "a cut between messages")
		} else {
			require.ErrorIs(t, err, osi.ErrCut)
		}
		for k := range got {
			require.Equal(t, messages[k], got[k])
		}
	})
}

func TestReader_NamesWhereAFileIsCut(t *testing.T) {
	file := write(t, [][]byte{{1, 2}, {3}})
	_, _, err := read(bytes.NewReader(file[:len(file)-1]))
	require.EqualError(t, err,
		"after message 1, byte 6: cut or garbled trace file: found 0 of the 1 bytes of a "+
			"message, expected the whole message")
	_, _, err = read(bytes.NewReader(binary.LittleEndian.AppendUint32(nil, 1<<30)))
	require.ErrorContains(t, err, "found a message of 1073741824 bytes, expected at most 536870912")
	broken := errors.New("disk")
	_, _, err = read(io.MultiReader(bytes.NewReader(file[:3]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

func TestReader_CountsEmptyMessages(t *testing.T) {
	got, r, err := read(bytes.NewReader(make([]byte, 8)))
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, 2, r.Empty())
	require.Equal(t, 2, r.Count())
}

func TestWriter_RefusesEmptyMessagesAndReportsAFullDisk(t *testing.T) {
	require.ErrorIs(t, osi.NewWriter(io.Discard).Write(nil), osifile.ErrMessage)
	require.Error(t, osi.NewWriter(short{}).Write([]byte{1}))
}

// short is a disk without free space.
type short struct{}

func (short) Write([]byte) (int, error) { return 0, nil }

// Traces from other projects state the number of messages in their file names, and all messages can
// be decoded.
func TestReader_TracesOfOtherProjects(t *testing.T) {
	files, err := filepath.Glob("../../../shared/data/osi/*.osi")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the traces of other projects are not here")
	}
	for _, file := range files {
		n, err := osifile.ParseName(file)
		require.NoError(t, err)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		messages, r, err := read(bytes.NewReader(data))
		require.NoError(t, err)
		require.Len(t, messages, n.Frames, file)
		require.Equal(t, int64(len(data)), r.Offset())
		for _, m := range messages {
			require.NoError(t, proto.Unmarshal(m, &osi3.SensorView{}))
		}
		require.Equal(t, data, write(t, messages))
	}
}

func FuzzReader(f *testing.F) {
	f.Add(write(f, [][]byte{{1, 2, 3}, {4}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		messages, r, err := read(bytes.NewReader(data))
		size := 0
		for _, m := range messages {
			size += len(m) + 4
		}
		require.Equal(t, int64(size), r.Offset())
		if err == nil {
			require.Len(t, data, size)
		}
	})
}
