package examine

import (
	"encoding/binary"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/archive"
)

// TestStrangers_SharedMemory checks that shared memory counts if it is still there after the end of
// the process, as the kernel keeps it until it is removed.
func TestStrangers_SharedMemory(t *testing.T) {
	f, err := os.CreateTemp("/dev/shm", "gosmp-test-")
	if err != nil {
		t.Skip("there is no /dev/shm")
	}
	require.NoError(t, f.Close())
	notes := "write\t" + f.Name() + "\t3\nwrite\t/dev/null\t4\n"
	list, left, at := new(subject).strangers(notes, t.TempDir())
	require.Empty(t, list)
	require.Equal(t, []string{f.Name()}, left)
	require.Equal(t, 3, at)
	require.NoError(t, os.Remove(f.Name()))
	list, left, _ = new(subject).strangers(notes, t.TempDir())
	require.Empty(t, append(list, left...))
}

// TestBoth_Tolerance checks that a finding names the element that differs, not an earlier one whose
// difference is tolerated.
func TestBoth_Tolerance(t *testing.T) {
	v := &variable{Variable: &archive.Variable{Type: fmi.Float64}, size: 8, n: 3}
	array := func(list ...float64) (c cell) {
		c.v = v
		for _, x := range list {
			c.bytes = binary.NativeEndian.AppendUint64(c.bytes, math.Float64bits(x))
		}
		return c
	}
	given, found := array(0, 1, 5), array(math.Copysign(0, -1), 1+1e-15, 6)
	left, right := new(subject).both(given, found, 1e-12)
	require.Equal(t, "5 in element 3", left)
	require.Equal(t, "6 in element 3", right)
}

// TestWideInteger checks that the values of a type are exact and differ, and that they lose
// something in the next smaller type, with the other sign and as a floating-point number.
func TestWideInteger(t *testing.T) {
	for _, c := range []struct {
		kind  fmi.Type
		loses func(n int64) int64
	}{
		{fmi.Int16, func(n int64) int64 { return int64(int8(n)) }},
		{fmi.UInt16, func(n int64) int64 { return int64(int16(n)) }},
		{fmi.Integer, func(n int64) int64 { return int64(int16(n)) }},
		{fmi.Int32, func(n int64) int64 { return int64(uint16(n)) }},
		{fmi.UInt32, func(n int64) int64 { return int64(int32(n)) }},
		{fmi.Int64, func(n int64) int64 { return int64(float64(n)) }},
		{fmi.UInt64, func(n int64) int64 { return int64(int32(n)) }},
		{fmi.UInt64, func(n int64) int64 { return int64(uint32(n)) }},
		{fmi.UInt64, func(n int64) int64 { return int64(uint64(float64(uint64(n)))) }},
	} {
		seen := map[string]bool{}
		for n := range 16 {
			_, text := wideInteger(c.kind, n, n%2 == 0)
			_, err := c.kind.ParseValue(text)
			require.NoError(t, err)
			require.False(t, seen[text], text)
			seen[text] = true
			bits, ok := new(big.Int).SetString(text, 10)
			require.True(t, ok)
			value := int64(new(big.Int).And(bits, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
			require.NotEqual(t, value, c.loses(value), "%v %s", c.kind, text)
		}
	}
}
