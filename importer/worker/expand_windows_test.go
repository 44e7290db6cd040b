//go:build amd64

package worker

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExpand(t *testing.T) {
	text := []byte("abc\x00")
	words := func(all ...uintptr) []uintptr { return all }
	real := func(v float64) uintptr { return uintptr(math.Float64bits(v)) }
	for _, c := range []struct {
		format, want string
		arguments    []uintptr
	}{
		{"plain", "plain", nil},
		{"100 %", "100 %", nil},
		{"100%%", "100%", nil},
		{"%d and %i", "-1 and 7", words(uintptr(math.MaxUint32), 7)},
		{"%lld %I64d %zu", "-1 -1 18446744073709551615",
			words(math.MaxUint, math.MaxUint, math.MaxUint)},
		{"%hhd %hu", "-1 65535", words(255, 65535)},
		{"%5d|%-5d|%05d", "    1|2    |00003", words(1, 2, 3)},
		{"%*d", "    4", words(5, 4)},
		{"%s %c", "abc x", words(address0(text), 'x')},
		{"%.2f %e %g", "0.12 1.250000e-01 0.125", words(real(0.125), real(0.125), real(0.125))},
		{"%lf", "0.500000", words(real(0.5))},
		{"%x %X %#x", "ff FF 0xff", words(255, 255, 255)},
		{"%d %d", "1 %d", words(1)},
		{"%q %d", "%q 2", words(2)},
		{"%", "%", nil},
	} {
		require.Equal(t, c.want, expand(c.format, c.arguments), c.format)
	}
}
