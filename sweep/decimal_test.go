package sweep_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/sweep"
)

// TestCases_DecimalRanges: each value of a range is the one nearest to the decimal number, which
// the test computes from the digits.
func TestCases_DecimalRanges(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		scale := rapid.IntRange(0, 15).Draw(r, "decimals")
		from := rapid.Int64Range(-1e14, 1e14).Draw(r, "from")
		width := rapid.Int64Range(1, 1e12).Draw(r, "width")
		count := rapid.IntRange(2, 50).Draw(r, "count")
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		number := func(k int) *big.Rat {
			n := new(big.Int).Mul(big.NewInt(width), big.NewInt(int64(k)))
			return new(big.Rat).SetFrac(n.Add(n, big.NewInt(from)), ten)
		}
		text := fmt.Sprintf("experiment: a.exc\nparameters: {a.b: {from: %s, to: %s, step: %s}}\n",
			number(0).FloatString(scale),
			number(count-1).FloatString(scale), new(big.Rat).Sub(number(1), number(0)).FloatString(
				scale))
		p, err := sweep.Read("a", strings.NewReader(text))
		require.NoError(r, err, text)
		cases, err := p.Cases()
		require.NoError(r, err)
		require.Len(r, cases, count)
		for k, c := range cases {
			want, _ := number(k).Float64()
			require.Equal(r, want, c.Values[0], "value %d of %s", k, text)
		}
	})
}
