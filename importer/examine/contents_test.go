package examine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// TestPack_Repetitions checks that a program makes the same bytes from a few numbers, whatever
// their size.
func TestPack_Repetitions(t *testing.T) {
	object := []byte{0x1a, 9, 8, 1, 0x12, 5, 0x11, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}
	var objects []byte
	for k := range 500 {
		object[3] = byte(k)
		objects = append(objects, object...)
	}
	for name, c := range map[string]struct {
		content []byte
		most    int // numbers
	}{
		"nothing":       {nil, 0},
		"a few bytes":   {[]byte{1, 2, 1, 2, 1}, 5},
		"zeros":         {make([]byte, 10<<20), 3},
		"a sequence":    {bytes.Repeat([]byte("abc"), 1000), 5},
		"objects":       {objects, 5000},
		"end of a run":  {append(make([]byte, 100), 7), 4},
		"a late period": {append([]byte("0123456789"), "x0123456789"...), 13},
	} {
		list, size := examine.Pack(c.content)
		require.Equal(t, len(c.content), size, name)
		require.LessOrEqual(t, len(list), c.most, name)
		require.True(t, bytes.Equal(c.content, unpacked(list)), name)
	}
}

// TestPack_Limit checks that the beginning of a long content without repetitions is kept.
func TestPack_Limit(t *testing.T) {
	content := make([]byte, 100_000)
	for k, random := 0, rand.New(rand.NewPCG(1, 2)); k < len(content); k++ {
		content[k] = byte(random.Uint32())
	}
	list, size := examine.Pack(content)
	require.Less(t, size, len(content))
	require.Greater(t, size, 50_000)
	require.True(t, bytes.Equal(content[:size], unpacked(list)))
}

// TestBlob_Size checks that a program passes the size of the bytes that it has.
func TestBlob_Size(t *testing.T) {
	content := make([]byte, 100_000)
	for k, random := 0, rand.New(rand.NewPCG(1, 2)); k < len(content); k++ {
		content[k] = byte(random.Uint32())
	}
	_, size := examine.Pack(content)
	for n, passed := range map[int]int{3: 3, 5000: 5000, len(content): size} {
		statement, lacks := examine.Blob(content[:n])
		require.Contains(t, statement, fmt.Sprintf("BINARIES(fmi3SetBinary, c[0], 1, L(7), L(%d), ",
			passed))
		require.Equal(t, passed < n, len(lacks) == 1)
	}
}

// unpacked does in Go what unpack() does in a program.
func unpacked(list []int) (b []byte) {
	for k := 0; k < len(list); k++ {
		if list[k] >= 0 {
			b = append(b, byte(list[k]))
			continue
		}
		for range list[k+1] {
			b = append(b, b[len(b)+list[k]])
		}
		k++
	}
	return b
}
