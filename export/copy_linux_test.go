package export

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Unreadable memory causes no fault, regardless of where it begins.
func TestHeap_CopiesWhatCanBeRead(t *testing.T) {
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(memory)) }()
	copy(memory, bytes.Repeat([]byte{7}, page))
	require.NoError(t, syscall.Mprotect(memory[page:], syscall.PROT_NONE))
	start := uint64(uintptr(unsafe.Pointer(&memory[0])))
	h, to := &heap{}, make([]byte, page)
	require.True(t, h.Copy(to, start))
	require.Equal(t, memory[:page], to)
	require.True(t, h.Copy(to[:1], start+uint64(page)-1))
	for name, address := range map[string]uint64{
		"runs out": start + 1, "inaccessible": start + uint64(page), "low": 16,
		"of the kernel": 1 << 63, "nobody's": 0x7777_0000_1000,
	} {
		require.False(t, h.Copy(to, address), name)
	}
}
