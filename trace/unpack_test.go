package trace_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
)

// packed returns an .osi file with three messages, at 1 to 3 s, in an archive with the given
// extension.
func packed(t *testing.T, extension string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch extension {
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".xz":
		w, err = xz.NewWriter(&b)
	case ".zst":
		w, err = zstd.NewWriter(&b)
	default: // output of bzip2 1.0.8
		content, err := hex.DecodeString("425a68393141592653590feabb24000007e0007c4010002000310c0" +
			"0910c9c98a153b2845e2ee48a70a1201fd57648")
		require.NoError(t, err)
		return content
	}
	require.NoError(t, err)
	_, err = w.Write(threeMessages)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

var threeMessages = []byte{4, 0, 0, 0, 0x12, 2, 8, 1, 4, 0, 0, 0, 0x12, 2, 8, 2, 4, 0, 0, 0, 0x12,
	2, 8, 3}

// requireThree reads messages at 1 to 3 s.
func requireThree(t *testing.T, s trace.Source) {
	t.Helper()
	for n := range timebase.Time(3) {
		m, err := s.Next()
		require.NoError(t, err)
		require.Equal(t, (n+1)*timebase.Second, m.Time)
	}
	_, err := s.Next()
	require.ErrorIs(t, err, io.EOF)
}

// The content of an archive is read as if it were not packed: the type comes from the name, both
// streams and files can be read, and no temporary file remains.
func TestOpenAt_Archives(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, extension := range []string{".gz", ".xz", ".zst", ".bz2"} {
		content := packed(t, extension)
		for _, name := range []string{"sv_380_1_3.osi" + extension,
			"20210818T150542Z_sv_380_13612_3.osi" + extension, "ground_truth.osi"} {
			s := open(t, name, content, trace.Options{})
			requireThree(t, s)
			require.NoError(t, s.Close())
			s, err := trace.OpenStream(name, bytes.NewReader(content), trace.Options{})
			require.NoError(t, err, name)
			requireThree(t, s)
		}
		r, err := check.File("20210818T150542Z_gt_380_13612_3.osi"+extension,
			bytes.NewReader(content), int64(len(content)), check.Options{})
		require.NoError(t, err)
		require.EqualValues(t, 3, r.Messages)
		for _, f := range r.Findings {
			require.NotContains(t, f.ID, "name.")
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// A player can go back in an archive.
func TestNewPlayer_OfArchive(t *testing.T) {
	p, err := trace.NewPlayer(open(t, "sv_380_1_3.osi.gz", packed(t, ".gz"), trace.Options{}),
		trace.PlayerOptions{Loop: true})
	require.NoError(t, err)
	require.True(t, p.CanGoBack())
}

// The messages of a truncated archive are read up to the cut. What follows is reported as damage,
// never as the end of the file.
func TestOpenAt_CutArchives(t *testing.T) {
	for _, extension := range []string{".gz", ".xz", ".zst", ".bz2"} {
		content := packed(t, extension)
		for n := 6; n < len(content); n++ {
			cut := content[:n]
			open := []func() (trace.Source, error){
				func() (trace.Source, error) {
					return trace.OpenAt("sv_1.osi", bytes.NewReader(cut), int64(n), trace.Options{})
				},
				func() (trace.Source, error) {
					return trace.OpenStream("sv_1.osi", bytes.NewReader(cut), trace.Options{})
				},
			}
			for _, from := range open {
				s, err := from()
				if err == nil {
					_, err = trace.Each(s, func(*trace.Message) error { return nil })
					require.NoError(t, err)
					err, _ = trace.Each(s, func(*trace.Message) error { return nil })
				}
				require.True(t, trace.IsDamage(err) || errors.Is(err, trace.ErrFormat),
					"%s of %d bytes: %v", extension, n, err)
			}
		}
	}
}

// An archive that contains anything other than a trace is refused with a reason, and a small
// archive cannot fill the disk.
func TestOpenAt_RefusesArchives(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte("1;2;3\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = trace.OpenAt("flight.csv.gz", bytes.NewReader(b.Bytes()), int64(b.Len()),
		trace.Options{})
	require.ErrorIs(t, err, trace.ErrFormat)
	require.ErrorContains(t, err, "a gzip archive of something else")
	require.ErrorContains(t, err, "gunzip")

	b.Reset()
	z, err := zstd.NewWriter(&b)
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	for range 65 {
		_, err = z.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	_, err = trace.OpenAt("zeros.osi.zst", bytes.NewReader(b.Bytes()), int64(b.Len()),
		trace.Options{})
	require.ErrorIs(t, err, trace.ErrArchive)
	require.ErrorContains(t, err, "it becomes more than 67108864 bytes")
}
