package trace

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// reference runs the zstd command.
func reference(in []byte, arguments ...string) ([]byte, error) {
	c := exec.Command("zstd", append(arguments, "--quiet", "--stdout")...)
	c.Stdin = bytes.NewReader(in)
	return c.Output()
}

func ours(in []byte) ([]byte, error) {
	d, err := newZstdReader(bytes.NewReader(in))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(d)
}

// lines returns a text that is worth compressing.
func lines(n int) []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // repeatable
	for k := range n {
		fmt.Fprintf(&b, "%d %d line of text %d\n", k, r.IntN(1000), k*k)
	}
	return b.Bytes()
}

// TestNewZstdReader_AgreesWithTheReference: gosmp reads what the zstd command writes. Of damaged
// frames without a checksum, it refuses some that the command unpacks: those with a block whose
// streams do not end where its sizes say. What both unpack is the same, and what the command
// refuses gosmp refuses, too.
func TestNewZstdReader_AgreesWithTheReference(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil || testing.Short() {
		t.Skip("needs the zstd command and 200 of its processes")
	}
	plain := lines(3000)
	for _, arguments := range [][]string{{"-1"}, {"-19"}, {"--ultra", "-22"}, {"--fast=5"},
		{"--long=27"}, {"--no-check"}, {"--no-content-size"}, {"-T2", "-B64K"}, {"--rsyncable"},
		{"--no-compress-literals"}, {"--target-compressed-block-size=2000"}} {
		packed, err := reference(plain, arguments...)
		if err != nil {
			t.Log(arguments, "is not supported by this zstd")
			continue
		}
		skippable := []byte("\x50\x2a\x4d\x18\x03\x00\x00\x00abc")
		for _, b := range [][]byte{packed, slices.Concat(packed, skippable, packed)} {
			want, err := reference(b, "--decompress")
			require.NoError(t, err, arguments)
			got, err := ours(b)
			require.NoError(t, err, arguments)
			require.True(t, bytes.Equal(want, got), arguments)
		}
	}

	packed, err := reference(plain, "--no-check")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // repeatable
	both, stricter := 0, 0
	for k := range 150 {
		b := bytes.Clone(packed)
		at := r.IntN([]int{60, len(b)}[k%2])
		b[at] ^= 1 << r.IntN(8)
		want, refused := reference(b, "--decompress")
		got, err := ours(b)
		switch {
		case refused != nil:
			require.Error(t, err, "byte %d", at)
		case err == nil:
			both++
			require.True(t, bytes.Equal(want, got), "byte %d", at)
		default:
			stricter++
			require.Regexp(t, "corruption detected|unexpected EOF", err.Error())
		}
	}
	require.Positive(t, both)
	require.Positive(t, stricter)
}
