package osmp_test

import (
	"math"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/mock"
	"gosmp/osmp"
)

// The message is address space without any memory behind it: reading a single byte of it would end
// the test.
func TestB5_MessageOf2GiBIsAnErrorAndNoData(t *testing.T) {
	huge, err := syscall.Mmap(-1, 0, math.MaxInt32+1, syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no 2 GiB of address space: %v", err)
	}
	defer func() { require.NoError(t, syscall.Munmap(huge)) }()

	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("live"))
	live, _ := r.output()
	var published error
	require.Equal(t, fmi.Error, r.doStep(func() error {
		published = r.out.Publish(huge)
		return published
	}))
	require.ErrorIs(t, published, osmp.ErrTooLarge)
	require.EqualError(t, published,
		"message of 2 GiB or more: found 2147483648 bytes, expected at most 2147483647, the "+
			"maximum of the size variable")
	require.Nil(t, r.received(dataOut))
	_, err = r.memory.Read(live, 4)
	require.NoError(t, err)
	r.close()
}
