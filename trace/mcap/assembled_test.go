package mcap_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

var le = binary.LittleEndian

// rec returns a record whose body consists of the given parts. Texts and bytes are preceded by
// their length in four bytes; numbers have their own size.
func rec(op byte, parts ...any) []byte {
	var body []byte
	for _, p := range parts {
		switch p := p.(type) {
		case uint16:
			body = le.AppendUint16(body, p)
		case uint32:
			body = le.AppendUint32(body, p)
		case uint64:
			body = le.AppendUint64(body, p)
		case string:
			body = append(le.AppendUint32(body, uint32(len(p))), p...)
		case []byte:
			body = append(body, p...)
		}
	}
	return append(le.AppendUint64([]byte{op}, uint64(len(body))), body...)
}

var (
	header  = rec(1, "", "")
	channel = rec(4, uint16(3), uint16(0), "t", "raw", uint32(0))
	message = rec(5, uint16(3), uint32(7), uint64(40), uint64(41), []byte("abc"))
	private = rec(0x80, []byte("private"))
)

// packed returns a chunk.
func packed(size uint64, compression string, records []byte) []byte {
	return rec(6, uint64(40), uint64(40), size, uint32(0), compression, uint64(len(records)),
		records)
}

// assembled returns a file with the given records in its data section and its summary.
func assembled(data, summary []byte) []byte {
	b := slices.Concat([]byte(mcap.Magic), header, data, rec(15, uint32(0)))
	start := uint64(len(b))
	if len(summary) == 0 {
		start = 0
	}
	return slices.Concat(b, summary, rec(2, start, uint64(0), uint32(0)), []byte(mcap.Magic))
}

// T24: private records are skipped between chunks, inside a chunk, and in the summary; a record
// with opcode 0 is an error in all of these places.
func TestReaders_SkipPrivateRecordsAndRefuseOpcode0(t *testing.T) {
	for _, strange := range [][]byte{private, rec(0xff), rec(0x10, []byte("future")),
		rec(0, []byte("zero"))} {
		inside := slices.Concat(channel, strange, message)
		if strange[0] == 0x10 {
			inside = slices.Concat(channel, message) // chunks have no private records
		}
		chunk := packed(uint64(len(inside)), "", inside)
		data := slices.Concat(strange, chunk, strange)
		at := uint64(len(mcap.Magic) + len(header) + len(strange))
		index := rec(8, uint64(40), uint64(40), at, uint64(len(chunk)), uint32(0), uint64(0), "",
			uint64(len(inside)), uint64(len(inside)))
		whole := assembled(data, slices.Concat(strange, index, strange))

		f, err := mcap.Open(bytes.NewReader(whole), int64(len(whole)))
		require.NoError(t, err)
		n, err := f.Verify(f.Chunks[0])
		require.NoError(t, err)
		require.Equal(t, 1, n)
		for m, err := range f.Messages(mcap.Query{}) {
			require.NoError(t, err)
			require.Equal(t, "abc", string(m.Data))
		}
		if strange[0] == 0 {
			for _, bad := range [][]byte{whole, assembled(chunk, nil)} {
				s, err := mcap.NewScanner(bytes.NewReader(bad))
				for err == nil {
					_, err = s.Next()
				}
				require.ErrorIs(t, err, mcap.ErrFormat)
			}
			continue
		}
		got := linear(t, whole)
		require.Len(t, got, 1)
		require.EqualValues(t, 7, got[0].Sequence)
		kept, loss := recovered(t, whole)
		require.Equal(t, 1, kept)
		require.False(t, loss.Whole(), "the strange records are left out")
		require.NotEmpty(t, loss.Places)
	}
}

// T32: a chunk without a checksum whose records are damaged is an error.
func TestRecover_ReportsThatARecordInAChunkIsDamaged(t *testing.T) {
	short := rec(5, uint16(3))
	for name, bad := range map[string][]byte{"short message": short, "cut": message[:12],
		"opcode 0": rec(0), "footer": rec(2, uint64(0), uint64(0), uint32(0))} {
		records := slices.Concat(channel, message, bad)
		kept, loss := recovered(t, assembled(packed(uint64(len(records)), "", records), nil))
		require.Equal(t, 1, kept, name)
		require.Equal(t, 1, loss.Damaged, name)
		require.False(t, loss.Whole(), name)
	}
}

// In a chunk without a checksum, the records after a damaged one may be altered, but they are not
// lost.
func TestRecover_RecordsAfterADamagedOne(t *testing.T) {
	records := slices.Concat(channel, message, rec(5, uint16(3)), message, message)
	content, loss := rescued(t, assembled(packed(uint64(len(records)), "", records), nil),
		mcap.RecoverOptions{KeepDamaged: true})
	require.Equal(t, 1, loss.Damaged)
	require.EqualValues(t, 1, loss.Unchecked)
	require.EqualValues(t, 2, loss.Altered)
	require.Len(t, linear(t, content), 3)
}

// T32: a message whose channel is not defined anywhere in the file cannot be interpreted, and is
// counted. A message that precedes its channel is kept.
func TestRecover_CountsMessagesWithoutAChannel(t *testing.T) {
	other := slices.Clone(message)
	other[9] = 99 // the id of the channel
	records := slices.Concat(message, channel, message, other)
	whole := assembled(packed(uint64(len(records)), "", records), nil)
	kept, loss := recovered(t, whole)
	require.Equal(t, 2, kept)
	require.EqualValues(t, 1, loss.Orphans)
	require.False(t, loss.Whole())
}

// T25: impossible sizes are refused before memory is allocated, and a chunk that unpacks to more
// than its stated size is refused without being unpacked.
func TestReaders_TakeNoMemoryForImpossibleSizes(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	bomb := e.EncodeAll(make([]byte, 256<<20), nil)
	huge := rec(4)
	le.PutUint64(huge[1:], 1<<62)
	for name, data := range map[string][]byte{
		"record":         huge,
		"chunk":          packed(1<<40, "", message),
		"empty zstd":     packed(1<<30, "zstd", nil),
		"bomb":           packed(10, "zstd", bomb),
		"honest bomb":    packed(1<<31, "zstd", bomb),
		"name":           rec(4, uint16(3), uint16(0), uint32(1<<31), []byte("t")),
		"metadata":       rec(12, "m", uint32(1<<31)),
		"attachment":     rec(9, uint64(0), uint64(0), "", "", uint64(1<<50)),
		"packed records": rec(6, uint64(0), uint64(0), uint64(4), uint32(0), "", uint64(1<<50)),
	} {
		whole := assembled(data, nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := mcap.NewScanner(bytes.NewReader(whole))
		for err == nil {
			_, err = s.Next()
		}
		kind := mcap.ErrFormat
		if name == "empty zstd" || name == "honest bomb" {
			kind = mcap.ErrMemory
		}
		require.ErrorIs(t, err, kind, name)
		w, err := mcap.NewWriter(io.Discard, mcap.Options{})
		require.NoError(t, err)
		_, err = mcap.Recover(bytes.NewReader(whole), int64(len(whole)), w, mcap.RecoverOptions{})
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), name)
	}
}

// T22: Verify detects a change of any byte in the indexes of a chunk.
func TestVerify_FindsEachWrongByteOfAnIndex(t *testing.T) {
	for _, compression := range compressions {
		whole, _ := threeChunks(t, compression)
		f, err := mcap.Open(bytes.NewReader(whole), int64(len(whole)))
		require.NoError(t, err)
		require.Len(t, f.Chunks, 3)
		for _, c := range f.Chunks {
			n, err := f.Verify(c)
			require.NoError(t, err)
			require.Equal(t, 10, n)
			begin := c.ChunkStart + c.ChunkLength
			for k := begin; k < begin+c.MessageIndexLength; k++ {
				bad := bytes.Clone(whole)
				bad[k] ^= 0x55
				_, err := f.In(bytes.NewReader(bad)).Verify(c)
				require.ErrorIs(t, err, mcap.ErrFormat, "byte %d", k)
			}
		}
		start, end := f.Footer.SummaryStart, uint64(len(whole)-37)
		for at := start; at < end; at += 9 + le.Uint64(whole[at+1:]) {
			if mcap.Opcode(whole[at]) == mcap.OpChunkIndex {
				wrongChunkIndex(t, whole, int(at+9), int(at+9+le.Uint64(whole[at+1:])))
			}
		}
	}
}

// wrongChunkIndex flips each byte in the body of a chunk index and corrects the checksum.
func wrongChunkIndex(t *testing.T, whole []byte, begin, end int) {
	for k := begin; k < end; k++ {
		bad := bytes.Clone(whole)
		bad[k] ^= 0x55
		summary := bad[le.Uint64(bad[len(bad)-28:]) : len(bad)-12]
		le.PutUint32(bad[len(bad)-12:], crc32.ChecksumIEEE(summary))
		f, err := mcap.Open(bytes.NewReader(bad), int64(len(bad)))
		for n := 0; err == nil && n < len(f.Chunks); n++ {
			_, err = f.Verify(f.Chunks[n])
		}
		require.ErrorIs(t, err, mcap.ErrFormat, "byte %d of %d to %d", k, begin, end)
	}
}

// T25: a chunk cannot hide data by unpacking to more than it states.
func TestReaders_RefuseChunksThatAreLongerThanTheySay(t *testing.T) {
	whole := slices.Concat(channel, message)
	e, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	var packedLZ4 bytes.Buffer
	w := lz4.NewWriter(&packedLZ4)
	_, err = w.Write(whole)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for compression, records := range map[string][]byte{"": whole, "zstd": e.EncodeAll(whole, nil),
		"lz4": packedLZ4.Bytes()} {
		require.Len(t, linear(t, assembled(packed(uint64(len(whole)), compression, records), nil)),
			1, compression)
		for _, wrong := range []int{-len(message), 1} {
			s, err := mcap.NewScanner(bytes.NewReader(assembled(packed(uint64(len(whole)+wrong),
				compression, records), nil)))
			for err == nil {
				_, err = s.Next()
			}
			require.ErrorIs(t, err, mcap.ErrFormat, "%q, %d bytes more", compression, wrong)
		}
	}
}

// T23: an attachment with a wrong checksum is damaged; one without a checksum is not.
func TestReaders_CompareTheChecksumsOfAttachments(t *testing.T) {
	body := rec(9, uint64(1), uint64(2), "name", "text/plain", uint64(4), []byte("data"))[9:]
	for name, c := range map[string]struct {
		sum  uint32
		good bool
	}{"right": {crc32.ChecksumIEEE(body), true}, "none": {0, true},
		"wrong": {crc32.ChecksumIEEE(body) + 1, false}} {
		whole := assembled(rec(9, body, c.sum), nil)
		s, err := mcap.NewScanner(bytes.NewReader(whole))
		for err == nil {
			_, err = s.Next()
		}
		require.Equal(t, c.good, errors.Is(err, io.EOF), "%s: %v", name, err)
		_, loss := recovered(t, whole)
		require.Equal(t, c.good, loss.Whole(), name)
	}
}
