//go:build !asan

package export

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sanitizer aborts a process that requests this much memory.
func TestHeap_ExhaustionIsAnError(t *testing.T) {
	h := &heap{}
	block, address, err := h.Allocate(math.MaxInt)
	require.ErrorContains(t, err, "out of memory: "+strconv.Itoa(math.MaxInt)+" bytes requested")
	require.Nil(t, block)
	require.Zero(t, address)
	require.Empty(t, h.blocks)
}
