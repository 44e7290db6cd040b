package repair

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/quantity"
	"gosmp/proto/osifile"
	"gosmp/proto/wire"
	"gosmp/run/inspect"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
	"gosmp/trace/mcap"
)

// killedFile is the file that a recorder leaves when it is killed, without closing anything.
type killedFile struct {
	name     string
	content  []byte
	messages []string
	ends     []int // of messages, and of chunks
	chunks   bool
	inChunk  int // messages recovered from a chunk that lacks only its last bytes
}

// killedFiles returns one file of each format. Each message contains 3 kB of incompressible data.
func killedFiles(t *testing.T) (list []*killedFile) {
	for _, f := range []struct {
		name        string
		format      trace.Format
		compression mcap.Compression
		inChunk     int
	}{
		{"20210818T150542Z_sv_380_13612_0.part.osi", trace.OSIFile, mcap.None, 0},
		{"none.mcap", trace.MCAP, mcap.None, 59},
		{"lz4.mcap", trace.MCAP, mcap.LZ4, 40},   // blocks of 64 KiB
		{"zstd.mcap", trace.MCAP, mcap.Zstd, 20}, // blocks of 128 KiB; the schema fills half of one
	} {
		k := &killedFile{name: f.name, chunks: f.format == trace.MCAP, inChunk: f.inChunk}
		var b bytes.Buffer
		sink, err := trace.Create(&b, f.format, trace.SinkOptions{Compression: f.compression})
		require.NoError(t, err)
		c, err := sink.Add(trace.OSI("view", "sv"))
		require.NoError(t, err)
		random := rand.NewChaCha8([32]byte{22})
		for n := range timebase.Time(3 * killedFlush) {
			data := make([]byte, 3000)
			_, _ = random.Read(data) // never fails
			data = wire.AppendBytes(wire.AppendTimestamp(nil, 2, 0, uint32(n+1)), 100, data)
			require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: n + 1, Publish: n + 1,
				Data: data}))
			k.messages = append(k.messages, string(data))
			if n%killedFlush == killedFlush-1 {
				require.NoError(t, sink.Flush())
			}
		}
		k.content = b.Bytes()
		k.ends = endsOf(k)
		list = append(list, k)
	}
	return list
}

// endsOf returns the ends of the messages of an .osi file, or of the chunks of MCAP.
func endsOf(k *killedFile) (ends []int) {
	at := 0
	if !k.chunks {
		for _, m := range k.messages {
			at += osifile.LengthSize + len(m)
			ends = append(ends, at)
		}
		return ends
	}
	for at = len(mcap.Magic); at < len(k.content); {
		opcode := mcap.Opcode(k.content[at])
		at += 9 + int(binary.LittleEndian.Uint64(k.content[at+1:]))
		if opcode == mcap.OpChunk {
			ends = append(ends, at)
		}
	}
	return ends
}

// killedFlush is the number of messages that the recorder flushes at once.
const killedFlush = 60

// cuts returns the offsets at which a file is cut: around ends, and in between.
func (k *killedFile) cuts() (list []int) {
	for _, end := range []int{k.ends[0], k.ends[1], k.ends[len(k.ends)-1]} {
		for _, away := range []int{-9, -1, 0, 1, 8, 9, 40} {
			list = append(list, end+away)
		}
	}
	for n := 1; n < 24; n++ {
		list = append(list, len(k.content)*n/24)
	}
	list = append(list, 0, 1, 3, 4, 8, 100)
	list = slices.DeleteFunc(list, func(n int) bool { return n > len(k.content) })
	slices.Sort(list)
	return slices.Compact(list)
}

// readable counts the messages before a cut: all of them in an .osi file, but only the messages of
// complete chunks in MCAP.
func (k *killedFile) readable(cut int) (n int) {
	for _, end := range k.ends {
		if cut >= end {
			n += len(k.messages) / len(k.ends)
		}
	}
	return n
}

// T34: for the files of killed recorders, cut anywhere, inspect and check report where they end and
// how many messages precede the end. repair saves these messages and the recoverable ones of the
// last chunk.
func TestKilledFiles_AreInspectedCheckedAndRepaired(t *testing.T) {
	for _, k := range killedFiles(t) {
		folder := t.TempDir()
		for _, cut := range k.cuts() {
			path := filepath.Join(folder, k.name)
			require.NoError(t, os.WriteFile(path, k.content[:cut], 0o600))
			readable := k.readable(cut)
			text := fmt.Sprintf("%s cut at %d of %d", k.name, cut, len(k.content))
			k.inspect(t, path, cut, readable, text)
			k.check(t, path, cut, readable, text)
			k.repair(t, path, cut, readable, text)
		}
	}
}

// between reports whether a cut is between two messages of an .osi file, where it cannot be
// detected.
func (k *killedFile) between(cut int) bool {
	return !k.chunks && (cut == 0 || slices.Contains(k.ends, cut))
}

func (k *killedFile) inspect(t *testing.T, path string, cut, readable int, text string) {
	d, err := inspect.ReadTrace(path, trace.Options{})
	if k.chunks && cut < len(mcap.Magic) {
		require.Error(t, err, text)
		return
	}
	require.NoError(t, err, text)
	require.EqualValues(t, readable, d.Messages, text)
	if k.between(cut) {
		require.Empty(t, d.Damage, text)
		return
	}
	require.Contains(t, d.Damage, "byte ", text)
}

func (k *killedFile) check(t *testing.T, path string, cut, readable int, text string) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	report, err := check.File(path, f, int64(cut), check.Options{Rules: true})
	if k.chunks && cut < len(mcap.Magic) {
		require.Error(t, err, text)
		return
	}
	require.NoError(t, err, text)
	require.EqualValues(t, readable, report.Messages, text)
	damaged := slices.IndexFunc(report.Findings,
		func(f check.Finding) bool { return f.ID == "trace.damaged" })
	if k.between(cut) {
		require.Negative(t, damaged, text)
		part := slices.ContainsFunc(report.Findings,
			func(f check.Finding) bool { return f.ID == "name.part" })
		require.True(t, part, text)
		return
	}
	require.GreaterOrEqual(t, damaged, 0, text)
	require.Contains(t, report.Findings[damaged].Message, fmt.Sprintf("; %s can be read before it",
		quantity.Of(readable, "message")), text)
}

func (k *killedFile) repair(t *testing.T, path string, cut, readable int, text string) {
	out := filepath.Join(filepath.Dir(path), "saved"+filepath.Ext(path))
	_ = os.Remove(out)
	in, err := inputfile.Open(path)
	require.NoError(t, err)
	r, err := (&Command{File: path, Out: out}).recoverTrace(in)
	if err != nil {
		require.Zero(t, readable, text)
		require.NoFileExists(t, out, text)
		return
	}
	least := readable
	if slices.Contains(k.ends, cut+9) {
		least += k.inChunk
	}
	require.GreaterOrEqual(t, int(r.Messages), least, text)
	require.Equal(t, k.between(cut), r.Whole, text)
	require.Equal(t, !r.Whole, len(r.Places) > 0, text)
	s, err := trace.Open(out, trace.Options{Type: "sv"})
	require.NoError(t, err, text)
	defer func() { _ = s.Close() }()
	for n := range r.Messages {
		m, err := s.Next()
		require.NoError(t, err, text)
		require.True(t, k.messages[n] == string(m.Data), text)
	}
	_, err = s.Next()
	require.True(t, errors.Is(err, io.EOF), text)
}
