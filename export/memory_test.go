package export

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The previous content of a block, perhaps from another owner, must not be visible in the next one.
func TestHeap_BlocksComeEmpty(t *testing.T) {
	h := &heap{}
	for range 100 {
		block, address, err := h.Allocate(100)
		require.NoError(t, err)
		require.NotZero(t, address)
		require.Equal(t, make([]byte, 100), block)
		for k := range block {
			block[k] = 0xAA
		}
		require.Equal(t, block, h.View(address, 100))
		h.Free(address)
		require.Empty(t, h.blocks)
	}
}

func TestHeap_FreesTheBlockAtTheAddress(t *testing.T) {
	h := &heap{}
	var addresses []uint64
	for range 3 {
		_, address, err := h.Allocate(10)
		require.NoError(t, err)
		addresses = append(addresses, address)
	}
	h.Free(addresses[1])
	h.Free(addresses[1]) // already freed
	require.Len(t, h.blocks, 2)
	h.Free(addresses[0])
	h.Free(addresses[2])
	require.Empty(t, h.blocks)
}
