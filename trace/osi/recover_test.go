package osi_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/proto/osifile"
	"gosmp/proto/wire"
	"gosmp/trace"
	"gosmp/trace/osi"
)

// views returns messages of different lengths, and the file that contains them.
func views(t *testing.T, count int) (messages [][]byte, content []byte, starts []int) {
	var b bytes.Buffer
	w := osi.NewWriter(&b)
	for n := range count {
		m := wire.AppendTimestamp(nil, 2, int64(n), uint32(n))
		m = wire.AppendBytes(m, 7, wire.AppendTimestamp(nil, 2, int64(n), 5))
		for range n % 3 {
			m = wire.AppendBytes(m, 1000, nil)
		}
		messages = append(messages, m)
		starts = append(starts, b.Len())
		require.NoError(t, w.Write(m))
	}
	return messages, b.Bytes(), starts
}

func recovered(t *testing.T, content []byte) (messages [][]byte, loss *osi.Loss) {
	loss, err := osi.Recover(bytes.NewReader(content), int64(len(content)),
		trace.Validator("osi3.SensorView"),
		func(m []byte) error {
			messages = append(messages, bytes.Clone(m))
			return nil
		})
	require.NoError(t, err)
	require.Len(t, messages, loss.Messages)
	return messages, loss
}

// A wrong length, whatever its value, loses at most its own message, and usually not even that.
func TestRecover_AWrongLength(t *testing.T) {
	want, content, starts := views(t, 12)
	for _, k := range []int{0, 5, 10} {
		right := uint32(len(want[k]))
		for _, wrong := range []uint32{right - 1, right + 1, right + 30, 3, 1 << 20, 1 << 31,
			0xffffffff} {
			bad := slices.Clone(content)
			binary.LittleEndian.PutUint32(bad[starts[k]:], wrong)
			got, loss := recovered(t, bad)
			require.Subset(t, want, got, "length %d of message %d", wrong, k)
			require.Subset(t, got, slices.Delete(slices.Clone(want), k, k+1),
				"length %d of message %d", wrong, k)
			require.False(t, loss.Whole())
			require.NotEmpty(t, loss.Places)
			if wrong > right+30 {
				require.Len(t, got, 12)
				require.Equal(t, 1, loss.Corrected)
			}
		}
	}
}

// Damaged bytes lose only the message that contains them.
func TestRecover_ADamagedMessage(t *testing.T) {
	want, content, starts := views(t, 9)
	bad := slices.Clone(content)
	bad[starts[4]+osifile.LengthSize+1] = 0xff
	got, loss := recovered(t, bad)
	require.Equal(t, slices.Delete(slices.Clone(want), 4, 5), got)
	require.Equal(t, 1, loss.Damaged)

	bad = slices.Concat(content[:starts[3]], []byte("stray bytes"), content[starts[3]:])
	got, loss = recovered(t, bad)
	require.Equal(t, want, got)
	require.EqualValues(t, 11, loss.Skipped)

	got, loss = recovered(t, slices.Concat(content[:starts[3]], []byte{0, 0, 0, 0},
		content[starts[3]:]))
	require.Equal(t, want, got)
	require.Equal(t, 1, loss.Empty)
	require.True(t, loss.Whole())
}

// A cut message is not a message, even if the cut is between two of its fields.
func TestRecover_EveryCut(t *testing.T) {
	want, content, starts := views(t, 5)
	for n := range len(content) {
		got, loss := recovered(t, content[:n])
		whole, exact := slices.BinarySearch(starts, n)
		if !exact {
			whole--
		}
		require.Equal(t, want[:whole], append([][]byte{}, got...), "cut at %d", n)
		require.Equal(t, exact, loss.Whole(), "cut at %d", n)
	}
}

// Whichever byte is damaged, all other messages are recovered unchanged.
func TestRecover_EveryByte(t *testing.T) {
	want, content, starts := views(t, 6)
	for k := range content {
		bad := slices.Clone(content)
		bad[k] ^= 0x55
		got, _ := recovered(t, bad)
		in, exact := slices.BinarySearch(starts, k)
		if !exact {
			in--
		}
		require.Subset(t, got, slices.Delete(slices.Clone(want), in, in+1), "byte %d", k)
		require.LessOrEqual(t, len(got), 6, "byte %d", k)
	}
}

func TestRecover_ReturnsTheErrorsOfOthers(t *testing.T) {
	_, content, _ := views(t, 2)
	full := errors.New("full")
	_, err := osi.Recover(bytes.NewReader(content), int64(len(content)),
		trace.Validator("osi3.SensorView"),
		func([]byte) error { return full })
	require.ErrorIs(t, err, full)
	_, err = osi.Recover(failing{}, 100, trace.Validator(""), func([]byte) error { return nil })
	require.ErrorIs(t, err, errMedium)
}

var errMedium = errors.New("no medium")

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errMedium }

// A message is followed by the end of another one whose beginning is lost. The field numbers start
// lower again there, so the two are not mistaken for one message.
func TestRecover_TheRestOfAMessage(t *testing.T) {
	want, content, starts := views(t, 6)
	const lost = osifile.LengthSize + 6 // the length and the first field
	bad := slices.Delete(slices.Clone(content), starts[3], starts[3]+lost)
	got, loss := recovered(t, bad)
	require.Equal(t, slices.Delete(slices.Clone(want), 3, 4), got)
	require.Zero(t, loss.Corrected)
	require.EqualValues(t, osifile.LengthSize+len(want[3])-lost, loss.Skipped)
}

// A damaged message does not affect any other, even if the message after it is the last one before
// the cut of a killed recorder, or before another length that is damaged.
func TestRecover_BetweenTwoPlacesOfDamage(t *testing.T) {
	want, content, starts := views(t, 6)
	bad := slices.Clone(content)
	bad[starts[2]+osifile.LengthSize+1] = 0xff
	for _, cut := range []int{starts[4] + 1, starts[4] + 5, starts[5] - 1} {
		got, _ := recovered(t, bad[:cut])
		require.Equal(t, [][]byte{want[0], want[1], want[3]}, got, "cut at %d", cut)
	}
	bad[starts[4]+3] = 1 // 16 MB more
	got, _ := recovered(t, bad)
	require.Subset(t, got, [][]byte{want[0], want[1], want[3], want[5]})
}

// The end of a damaged message that repeats the last field of the previous message is not added to
// that message.
func TestRecover_ARestThatRepeatsAField(t *testing.T) {
	want, content, starts := views(t, 3)
	rest := bytes.Clone(content[starts[1]:starts[2]])
	_, _, first := wire.Field(want[1], 0)
	rest = rest[osifile.LengthSize+first:]
	key, _, _ := wire.Field(rest, 0)
	require.EqualValues(t, 7, key.Number())
	got, loss := recovered(t, slices.Concat(content[:starts[1]], rest, content[starts[2]:]))
	require.Equal(t, [][]byte{want[0], want[2]}, got)
	require.Zero(t, loss.Corrected)
}

// In a file with separators, damage loses only the message that contains it.
func TestRecoverSeparated(t *testing.T) {
	good := wire.AppendTimestamp(nil, 2, 7, 0)
	content := bytes.Join([][]byte{good, {0xff, 0xff}, good, good[:len(good)-1], nil},
		[]byte(osi.Separator))
	var got [][]byte
	valid := func(b []byte) bool { return bytes.Equal(b, good) }
	loss, err := osi.RecoverSeparated(bytes.NewReader(content), int64(len(content)), valid,
		func(b []byte) error { got = append(got, bytes.Clone(b)); return nil })
	require.NoError(t, err)
	require.Equal(t, [][]byte{good, good}, got)
	require.Equal(t, 2, loss.Messages)
	require.Equal(t, 2, loss.Damaged)
	require.Len(t, loss.Places, 2)
	require.False(t, loss.Whole())
}

// Some tools send the version, the first field, only in the first message. After damage, messages
// without the version are also found.
func TestRecover_VersionOnlyInTheFirstMessage(t *testing.T) {
	var b bytes.Buffer
	w := osi.NewWriter(&b)
	var middle int
	for n := range int64(10) {
		var m []byte
		if n == 0 {
			m = wire.AppendInterfaceVersion(nil, 1, 3, 5, 0)
		}
		if n == 5 {
			middle = b.Len()
		}
		m = wire.AppendTimestamp(m, 2, n+1, 0)
		require.NoError(t, w.Write(wire.AppendBytes(m, 100, []byte("some content"))))
	}
	content := b.Bytes()
	copy(content[middle:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	loss, err := osi.Recover(bytes.NewReader(content), int64(len(content)), trace.Validator(""),
		func([]byte) error { return nil })
	require.NoError(t, err)
	require.Equal(t, 9, loss.Messages)
}
