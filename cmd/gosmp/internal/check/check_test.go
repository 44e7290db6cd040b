package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
)

func TestFrequenciesArePlainNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 5: "5", 99.998: "100", 9999.6: "10000", 100_000: "100000",
		123_456.7: "123457", 1e9: "1000000000", 33.333333: "33.33", 333.33: "333.3", 0.1: "0.1",
		1.0 / 3600: "0.0002778", 1e-9: "0.000000001", 0.09999999: "0.1",
	} {
		require.Equal(t, want, cli.Plain(v))
	}
}
