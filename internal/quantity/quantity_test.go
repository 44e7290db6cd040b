package quantity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1 000",
		1234567: "1 234 567", -100: "-100", -1000: "-1 000", -123456: "-123 456"} {
		require.Equal(t, want, Grouped(n))
	}
}

func TestOf(t *testing.T) {
	require.Equal(t, "0 messages", Of(0, "message"))
	require.Equal(t, "1 message", Of(int64(1), "message"))
	require.Equal(t, "2 000 messages", Of(uint64(2000), "message"))
}
