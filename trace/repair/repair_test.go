package repair

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/proto/wire"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
	"gosmp/trace/osi"
)

// twoChunks returns a file with two chunks of three messages each, at the given log times in ns.
func twoChunks(t *testing.T, times ...timebase.Time) []byte {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("view", "sv"))
	require.NoError(t, err)
	for n, at := range times {
		data := wire.AppendBytes(wire.AppendTimestamp(nil, 2, 0, uint32(at)), 100,
			[]byte("content"))
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: data}))
		if n%3 == 2 {
			require.NoError(t, sink.Flush())
		}
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// repairedFile repairs a file with this content.
func repairedFile(t *testing.T, name string, content []byte, o Options) (*Report, string) {
	o.Out = filepath.Join(t.TempDir(), "saved"+filepath.Ext(name))
	r, err := Trace(name, bytes.NewReader(content), int64(len(content)), o)
	require.NoError(t, err)
	return r, o.Out
}

// The messages of a chunk with a wrong checksum are left out, or marked on request. The metadata of
// the file says so, too.
func TestTrace_MarksMessagesThatMayBeAltered(t *testing.T) {
	content := twoChunks(t, 1, 2, 3, 4, 5, 6)
	content[bytes.LastIndex(content, []byte("content"))] = 'k'
	for _, keep := range []bool{false, true} {
		r, out := repairedFile(t, "a.mcap", content, Options{KeepDamaged: keep})
		require.EqualValues(t, 3, r.Altered)
		require.False(t, r.Whole)
		f, err := os.Open(out)
		require.NoError(t, err)
		defer func() { _ = f.Close() }()
		info, err := f.Stat()
		require.NoError(t, err)
		file, err := mcap.Open(f, info.Size())
		require.NoError(t, err)
		marked := 0
		for m, err := range file.Messages(mcap.Query{}) {
			require.NoError(t, err)
			if file.Channels[m.ChannelID].Metadata[mcap.DamagedKey] != "" {
				require.Equal(t, "view.damaged", file.Channels[m.ChannelID].Topic)
				marked++
			}
		}
		require.Equal(t, map[bool]int{false: 0, true: 3}[keep], marked)
		record, err := file.ReadMetadata(file.Metadata[len(file.Metadata)-1])
		require.NoError(t, err)
		require.Equal(t, "gosmp.repair", record.Name)
		require.Equal(t, "3", record.Values["altered_messages"])
	}
}

// If a recorder did not write its messages in time order, the repaired file contains all of them in
// time order.
func TestTrace_SortsByLogTime(t *testing.T) {
	r, out := repairedFile(t, "a.mcap", twoChunks(t, 5, 1, 6, 2, 4, 3), Options{})
	require.True(t, r.Whole)
	require.True(t, r.Sorted)
	content, err := os.ReadFile(out)
	require.NoError(t, err)
	s, err := mcap.NewScanner(bytes.NewReader(content))
	require.NoError(t, err)
	var times []uint64
	for record, err := s.Next(); err == nil; record, err = s.Next() {
		if m, is := record.(*mcap.Message); is {
			times = append(times, m.LogTime)
		}
	}
	require.Equal(t, []uint64{1, 2, 3, 4, 5, 6}, times)
}

// Reading an .osi file continues after a wrong length, whether the type comes from its name or from
// --type.
func TestTrace_GoesOnBehindAWrongLength(t *testing.T) {
	var b bytes.Buffer
	w := osi.NewWriter(&b)
	for n := range int64(5) {
		require.NoError(t, w.Write(wire.AppendTimestamp(nil, 2, n, 7)))
	}
	content := b.Bytes()
	content[1] = 0x30
	for name, c := range map[string]Options{"ground_truth.osi": {}, "x.osi": {Type: "sv"},
		"y.osi": {}} {
		r, _ := repairedFile(t, name, content, c)
		require.EqualValues(t, 5, r.Messages)
		require.Equal(t, 1, r.Corrected)
		require.False(t, r.Whole)
	}
	_, err := Trace("x.osi", bytes.NewReader(content), int64(len(content)), Options{Type: "car"})
	require.ErrorContains(t, err, `--type: found "car", expected a top-level message of OSI`)
}

// Messages without lengths, as early tools wrote them, get lengths.
func TestTrace_GivesMessagesLengths(t *testing.T) {
	var b bytes.Buffer
	for n := range int64(3) {
		b.Write(wire.AppendTimestamp(wire.AppendInterfaceVersion(nil, 1, 3, 0, 0), 2, n, 0))
		b.WriteString(osi.Separator)
	}
	r, out := repairedFile(t, "sv_300_1_1.osi", b.Bytes(), Options{})
	require.True(t, r.Whole)
	require.EqualValues(t, 3, r.Messages)
	require.Contains(t, strings.Join(r.Places, ""), "no lengths")
	content, err := os.ReadFile(out)
	require.NoError(t, err)
	require.False(t, trace.IsSeparated(bytes.NewReader(content), int64(len(content))))
}

// A file with lengths whose first one is damaged may look like a file without lengths.
func TestTrace_LooksLikeAFileWithoutLengths(t *testing.T) {
	var b bytes.Buffer
	w := osi.NewWriter(&b)
	for n := range int64(3) {
		m := wire.AppendTimestamp(wire.AppendInterfaceVersion(nil, 1, 3, 8, 0), 2, n, 0)
		require.NoError(t, w.Write(wire.AppendBytes(m, 100, make([]byte, 100_000))))
	}
	content := b.Bytes()
	copy(content, []byte{0x0a, 2, 8, 0x30})
	require.True(t, trace.IsSeparated(bytes.NewReader(content), int64(len(content))))
	r, _ := repairedFile(t, "sv_380_1_1.osi", content, Options{})
	require.EqualValues(t, 3, r.Messages)
}

// T33: a repair fails if the repaired file does not contain everything that was saved.
func TestRepairedFiles_AreReadAgain(t *testing.T) {
	for _, format := range []trace.Format{trace.MCAP, trace.OSIFile} {
		var b bytes.Buffer
		sink, err := trace.Create(&b, format, trace.SinkOptions{})
		require.NoError(t, err)
		c, err := sink.Add(trace.OSI("view", "sv"))
		require.NoError(t, err)
		for n := range timebase.Time(2) {
			require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: n, Publish: n,
				Data: []byte{0x12, 2, 0x10, byte(n)}}))
		}
		require.NoError(t, sink.Close())
		verify := func(r *recovery, of []byte) error {
			saved := &content{bytes.NewReader(of), int64(len(of))}
			if format == trace.MCAP {
				return r.verifyMCAP(saved)
			}
			return r.verifyOSI(saved)
		}
		require.NoError(t, verify(&recovery{Report: Report{Messages: 2}}, b.Bytes()))
		require.ErrorContains(t, verify(&recovery{Report: Report{Messages: 3}}, b.Bytes()),
			"found 2 messages, expected 3")
		require.Error(t, verify(&recovery{Report: Report{Messages: 2}}, b.Bytes()[:b.Len()-1]))
	}
}

// T33: a repaired file that cannot be read again does not replace the output.
func TestRepairedFiles_KeepTheOutputWhenTheyCannotBeReadAgain(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.osi")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	save := func(_ *content, w io.Writer) error {
		_, err := w.Write([]byte("after"))
		return err
	}
	wrong := errors.New("not what was written")
	place := func(saved *content) error {
		return (&recovery{name: out, o: Options{Out: out + "2", WriteFile: writeWhole}}).placeOSI(saved)
	}
	err := (&recovery{o: Options{Out: out}}).verified(nil, save, func(*content) error { return wrong },
		place)
	require.ErrorIs(t, err, wrong)
	require.ErrorAs(t, err, new(*OutputError))
	require.NoError(t, (&recovery{o: Options{Out: out + "2"}}).verified(nil, save,
		func(*content) error { return nil }, place))
	entries, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left beside the outputs")
	for name, want := range map[string]string{out: "before", out + "2": "after"} {
		found, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(found))
	}
}

// The drives of a file whose clock restarted are not mixed.
func TestTrace_KeepsDrivesApart(t *testing.T) {
	const second = 1_000_000_000
	times := []timebase.Time{0, 2 * second, 4 * second, second, 2 * second, 3 * second}
	content, out := twoChunks(t, times...), filepath.Join(t.TempDir(), "b.mcap")
	repair := func(out string, how Restarts) error {
		_, err := Trace("a.mcap", bytes.NewReader(content), int64(len(content)),
			Options{Out: out, Restarts: how})
		return err
	}
	err := repair(out, "")
	require.ErrorIs(t, err, trace.ErrRestart)
	require.ErrorContains(t, err, "--restarts split")
	require.NoFileExists(t, out)

	require.NoError(t, repair(out, Split))
	require.NoFileExists(t, out)
	for name, want := range map[string][2]timebase.Time{"b_001.mcap": {0, 4 * second},
		"b_002.mcap": {second, 3 * second}} {
		s, err := trace.Open(filepath.Join(filepath.Dir(out), name), trace.Options{})
		require.NoError(t, err)
		require.EqualValues(t, 3, s.Info().Messages)
		require.Equal(t, want, [2]timebase.Time{s.Info().Start, s.Info().End})
		require.NoError(t, s.Close())
	}

	require.NoError(t, repair(out, Ignore))
	_, err = trace.Open(out, trace.Options{})
	require.NoError(t, err)
	err = repair(StandardOutput, Split)
	require.ErrorContains(t, err, "the name of a file")
}
