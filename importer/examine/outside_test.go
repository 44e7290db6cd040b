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
	created := "create\t" + f.Name() + "\t3\n"
	removed := created + "remove\t" + f.Name() + "\t4\n"
	opened := "write\t" + f.Name() + "\t3\n"
	file, writes := []string{f.Name()}, []string{"writes " + f.Name()}
	before := map[string]bool{f.Name(): true}
	for _, c := range []struct {
		notes      string
		before     map[string]bool
		list, left []string
	}{
		{created, nil, nil, file},
		{removed, nil, nil, nil},      // what is there now is the file of another life
		{opened, before, writes, nil}, // the file of another program
		{created, before, writes, nil},
		{opened, nil, writes, nil},
	} {
		x := &exam{scratch: t.TempDir(), before: c.before}
		foreign := new(subject).strangers(c.notes+"write\t/dev/null\t5\n", x)
		require.Equal(t, c.list, foreign.list, c.notes)
		left, unknown := x.leftovers(c.notes + "read\t/dev/shm\t9\n")
		require.Equal(t, c.left, left.list, c.notes)
		require.Empty(t, unknown.list)
		require.Equal(t, len(c.left)*3, left.at)
	}
	require.NoError(t, os.Remove(f.Name()))
	left, _ := new(exam).leftovers(created)
	require.Empty(t, left.list)
	left, unknown := new(exam).leftovers("leave\tsemaphores\t3\nshare\tmemory\t4\n")
	require.Equal(t, uses{[]string{"semaphores"}, 3}, left)
	require.Equal(t, uses{[]string{"memory"}, 4}, unknown)
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
