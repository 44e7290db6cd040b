package check_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/check"
)

// counting counts the bytes that are read from the underlying reader.
type counting struct {
	io.ReaderAt
	bytes int64
}

func (c *counting) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, offset)
	c.bytes += int64(n)
	return n, err
}

// Libraries make up most of an FMU, so no entry may be read twice.
func TestRead_UnpacksEachLibraryOnce(t *testing.T) {
	f := base(t, fmi.FMI2)
	source := rand.New(rand.NewPCG(1, 2)) // incompressible
	tail := make([]byte, 2<<20)
	for k := range tail {
		tail[k] = byte(source.Uint32())
	}
	library := f.entry(libraryName(fmi.FMI2))
	library.content = string(f.library.Bytes()) + string(tail)
	packed := f.bytes(t)
	r := &counting{ReaderAt: bytes.NewReader(packed)}
	report, err := check.Read(r, int64(len(packed)), check.Options{})
	require.NoError(t, err)
	require.Empty(t, texts(report.Findings))
	require.Less(t, r.bytes, int64(len(packed))*5/4)
}

// A library that cannot be unpacked is reported as such, not as a file without a known format.
func TestRead_OfADamagedLibraryOnlyTheChecksumIsReported(t *testing.T) {
	f := base(t, fmi.FMI2)
	f.after = func(packed []byte) []byte {
		at := bytes.Index(packed, []byte(libraryName(fmi.FMI2)))
		copy(packed[at+len(libraryName(fmi.FMI2)):], "\xFF\xFF\xFF\xFF")
		return packed
	}
	list := f.check(t)
	require.Len(t, list, 1, texts(list))
	require.Equal(t, "FMI2-Z1", list[0].ID)
}

// Some tools store the size of each file in a ZIP64 field of its local header.
func TestRead_AcceptsSizesInFieldsOfZIP64(t *testing.T) {
	const name, flags, local, central = "resources/table.csv", 8, 30, 46
	for size, id := range map[string]string{"\xFF\xFF\xFF\xFF": "", "\x01\x00\x00\x00": "FMI2-Z1"} {
		f := base(t, fmi.FMI2)
		f.after = func(packed []byte) []byte {
			first, last := bytes.Index(packed, []byte(name)), bytes.LastIndex(packed, []byte(name))
			header, record := packed[first-local:], packed[last-central:]
			header[6], record[8] = header[6]&^flags, record[8]&^flags
			copy(header[14:18], record[16:20]) // the checksum
			copy(header[18:22], size)
			copy(header[22:26], size)
			return packed
		}
		list := f.check(t)
		if id == "" {
			require.Empty(t, texts(list))
			continue
		}
		require.Len(t, list, 1, texts(list))
		require.Equal(t, id, list[0].ID)
	}
}
