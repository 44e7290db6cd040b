package entries_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/entries"
	"gosmp/internal/entries/hostile"
	"gosmp/internal/regular"
)

// packed returns an archive whose entries are stored, with these contents.
func packed(t require.TestingT, contents ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for k, c := range contents {
		w, err := z.CreateRaw(&zip.FileHeader{Name: string(rune('a' + k)),
			CRC32: crc32.ChecksumIEEE([]byte(c)), CompressedSize64: uint64(len(c)),
			UncompressedSize64: uint64(len(c))})
		require.NoError(t, err)
		_, err = w.Write([]byte(c))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func open(t require.TestingT, b []byte) []*zip.File {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return z.File
}

// TestRead: an archive with too many entries is refused while they are counted, whatever number it
// states. What is read from its entries is not limited.
func TestRead(t *testing.T) {
	t.Parallel()
	b := packed(t, strings.Repeat("x", 33<<20), "two")
	z, err := entries.Read(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Len(t, z.File, 2)
	content, err := z.Open("a")
	require.NoError(t, err)
	n, err := io.Copy(io.Discard, content)
	require.NoError(t, err)
	require.EqualValues(t, 33<<20, n)

	list := bytes.Index(b, []byte("PK\x01\x02"))
	one := b[list : list+47] // with a name of one byte
	b = append(bytes.Repeat(one, 33<<20/len(one)), b[len(b)-22:]...)
	binary.LittleEndian.PutUint32(b[len(b)-10:], uint32(len(b)-22))
	binary.LittleEndian.PutUint32(b[len(b)-6:], 0)
	_, err = entries.Read(bytes.NewReader(b), int64(len(b)))
	require.ErrorIs(t, err, entries.ErrDirectory)

	b = append(bytes.Repeat(one, 1000), b[len(b)-22:]...)
	binary.LittleEndian.PutUint16(b[len(b)-12:], 1000)
	binary.LittleEndian.PutUint32(b[len(b)-10:], uint32(len(b)-22))
	z, err = entries.Read(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Len(t, z.File, 1000)
}

// after is an archive after a hole.
type after struct {
	hole    int64
	archive *bytes.Reader
}

func (a after) ReadAt(p []byte, at int64) (int, error) {
	zeros := int(max(0, min(int64(len(p)), a.hole-at)))
	clear(p[:zeros])
	n, err := a.archive.ReadAt(p[zeros:], max(0, at-a.hole))
	return zeros + n, err
}

// TestRead_Sparse: memory is not reserved for the number of entries that a huge archive states,
// such as a file with a hole, which takes no room on the disk.
func TestRead_Sparse(t *testing.T) {
	t.Parallel()
	b := packed(t, "one", "three")
	const hole = 1 << 40
	for more, want := range map[uint64]error{0: nil, 1 << 16: nil, 1 << 20: entries.ErrDirectory,
		1 << 34: entries.ErrDirectory, 1 << 63: entries.ErrDirectory} {
		lie := hostile.Lie{Change: func(z *hostile.Zip64) {
			z.Count += more
			z.Locator += hole
		}}
		b := lie.WithZip64(b)
		z, err := entries.Read(after{hole, bytes.NewReader(b)}, hole+int64(len(b)))
		require.ErrorIs(t, err, want, more)
		if want == nil {
			require.Len(t, z.File, 2)
		}
	}
}

// TestOpen: Open is like Read for a file.
func TestOpen(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, os.WriteFile(name, packed(t, "one"), 0o600))
	a, err := entries.Open(name)
	require.NoError(t, err)
	require.Len(t, a.File, 1)
	require.NoError(t, a.Close())
	require.NoError(t, os.WriteFile(name, []byte("not an archive"), 0o600))
	_, err = entries.Open(name)
	require.ErrorIs(t, err, zip.ErrFormat)
	require.NoError(t, os.Remove(name))
	_, err = entries.Open(name)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = entries.Open(os.DevNull)
	require.ErrorIs(t, err, regular.ErrKind)
}

// TestOverlap_Shared: entries that consist of the same bytes, and an entry whose bytes contain
// another entry with its local header.
func TestOverlap_Shared(t *testing.T) {
	t.Parallel()
	b := packed(t, "one", "two", "six")
	first, second := entries.Overlap(open(t, b))
	require.Nil(t, first)
	require.Nil(t, second)
	first, second = entries.Overlap(open(t, hostile.Share(b)))
	require.Equal(t, "a c", first.Name+" "+second.Name)

	inner := packed(t, "inside")
	b = packed(t, string(inner), "x")
	line := bytes.LastIndex(b, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(b[line+42:], uint32(bytes.Index(b[1:], inner[:4])+1))
	first, second = entries.Overlap(open(t, b))
	require.Equal(t, "a b", first.Name+" "+second.Name)
}

// TestOverlap_WhatProgramsPack: archives packed by ordinary programs have no overlap.
func TestOverlap_WhatProgramsPack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := packed(t, rapid.SliceOfN(rapid.String(), 0, 20).Draw(t, "contents")...)
		first, _ := entries.Overlap(open(t, b))
		require.Nil(t, first)
	})
}

// FuzzOverlap: entries without an overlap have no more compressed bytes than the archive.
func FuzzOverlap(f *testing.F) {
	f.Add(packed(f, "one", "two", "six"))
	f.Add(hostile.Share(packed(f, "one", "two", "six")))
	f.Add(packed(f, string(packed(f, "inside")), ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if first, second := entries.Overlap(z.File); first != nil {
			require.NotSame(t, first, second)
			return
		}
		sum := uint64(0)
		for _, e := range z.File {
			if at, err := e.DataOffset(); err == nil &&
				at+int64(e.CompressedSize64) <= int64(len(b)) {
				sum += e.CompressedSize64
			}
		}
		require.LessOrEqual(t, sum, uint64(len(b)))
	})
}

// TestUnpacked: the sizes are added without overflow.
func TestUnpacked(t *testing.T) {
	t.Parallel()
	list := open(t, packed(t, "one", "three"))
	require.EqualValues(t, 8, entries.Unpacked(list))
	list[0].UncompressedSize64 = 1<<64 - 1
	require.EqualValues(t, 1<<63-1, entries.Unpacked(list))
}

// TestAllowed: small archives have room to grow, and large ones have a limit.
func TestAllowed(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]int64{0: 1 << 30, 1 << 20: 1 << 30, 20 << 20: 4000 << 20,
		100 << 20: 8 << 30, 1 << 60: 8 << 30} {
		require.Equal(t, want, entries.Allowed(size, 8<<30), size)
	}
	require.EqualValues(t, 1000, entries.Allowed(1, 1000))
}

// TestMisstated: whatever the records of an archive state, no reader takes impossible sizes and
// positions for true.
func TestMisstated(t *testing.T) {
	t.Parallel()
	b := packed(t, "one", "three")
	for _, lie := range hostile.Lies {
		b := lie.WithZip64(b)
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			require.False(t, lie.Harmless, lie.Name)
			continue
		}
		wrong, err := entries.Misstated(z.File, int64(len(b)))
		if lie.Harmless {
			require.NoError(t, err, lie.Name)
			continue
		}
		if first, _ := entries.Overlap(z.File); first == nil {
			require.Error(t, err, lie.Name)
			require.NotNil(t, wrong)
		}
	}
}

// TestMisstated_Encrypted: a stored entry is larger once it is encrypted.
func TestMisstated_Encrypted(t *testing.T) {
	t.Parallel()
	b := packed(t, "twelve bytes and the secret")
	list := open(t, b)
	list[0].UncompressedSize64 -= 12
	_, err := entries.Misstated(list, int64(len(b)))
	require.EqualError(t, err, "it has two sizes, but is not compressed")
	list[0].Flags |= 1
	_, err = entries.Misstated(list, int64(len(b)))
	require.NoError(t, err)
}

// unreadable is an archive on a disk that fails after the archive was opened.
type unreadable struct {
	*bytes.Reader
	fail error
}

func (u *unreadable) ReadAt(b []byte, at int64) (int, error) {
	if u.fail != nil {
		return 0, u.fail
	}
	return u.Reader.ReadAt(b, at)
}

// TestMisstated_Unreadable: an error of the disk is not taken for a short archive.
func TestMisstated_Unreadable(t *testing.T) {
	t.Parallel()
	b := packed(t, "one")
	for cause, want := range map[error]string{
		syscall.EIO: "its bytes cannot be read: " + syscall.EIO.Error(),
		io.EOF:      "its bytes are not in the archive, which may be incomplete",
	} {
		u := &unreadable{Reader: bytes.NewReader(b)}
		z, err := zip.NewReader(u, int64(len(b)))
		require.NoError(t, err)
		u.fail = cause
		_, err = entries.Misstated(z.File, int64(len(b)))
		require.EqualError(t, err, want)
	}
}
