package mock_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/internal/mock/ordered"
)

var (
	_ fmu.Memory     = (*mock.Memory)(nil)
	_ fmu.Model      = (*mock.Model)(nil)
	_ fmu.Terminator = (*mock.Model)(nil)
	_ fmu.Model      = (*ordered.Model)(nil)
)

// Each forbidden access is made once, to verify that it is detected.
func TestMemory_NoticesForbiddenAccess(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(m *mock.Memory, own, host uint64, bytes []byte)
		want string
	}{
		{"nothing", func(*mock.Memory, uint64, uint64, []byte) {}, ""},
		{"good use", func(m *mock.Memory, own, host uint64, b []byte) {
			b[7] = 1
			m.View(host+1, 2)
			m.View(own, 8)
			m.Free(own)
		}, ""},
		{"double free", func(m *mock.Memory, own, _ uint64, _ []byte) { m.Free(own); m.Free(own) },
			"double free"},
		{"free inside a block", func(m *mock.Memory, own, _ uint64, _ []byte) { m.Free(own + 1) },
			"not a block"},
		{"free of 0", func(m *mock.Memory, _, _ uint64, _ []byte) { m.Free(0) }, "not a block"},
		{"free of the host's", func(m *mock.Memory, _, host uint64, _ []byte) { m.Free(host) },
			"belongs to the host"},
		{"write after free", func(m *mock.Memory, own, _ uint64,
			b []byte) {
			m.Free(own)
			b[0] = 1
		}, "after it was given back"},
		{"view after free", func(m *mock.Memory, own, _ uint64,
			_ []byte) {
			m.Free(own)
			m.View(own, 1)
		}, "no longer valid"},
		{"view of protected", func(m *mock.Memory, _, h uint64,
			_ []byte) {
			m.Protect(h)
			m.View(h, 1)
		}, "no longer valid"},
		{"view beyond", func(m *mock.Memory, _, host uint64, _ []byte) { m.View(host+1, 3) },
			"runs past the end of its block"},
		{"view of nowhere", func(m *mock.Memory, _, host uint64, _ []byte) { m.View(host-1, 1) },
			"nothing ever was"},
		{"view of 0", func(m *mock.Memory, _, _ uint64, _ []byte) { m.View(0, 1) },
			"contract excludes"},
		{"view of no bytes", func(m *mock.Memory, _, host uint64, _ []byte) { m.View(host, 0) },
			"contract excludes"},
		{"protect of the FMU's", func(m *mock.Memory, own, _ uint64, _ []byte) { m.Protect(own) },
			"not a buffer of the host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mock.NewMemory()
			bytes, own, err := m.Allocate(8)
			require.NoError(t, err)
			host := m.Provide([]byte{1, 2, 3})
			require.Greater(t, own, uint64(1)<<32)

			c.do(m, own, host, bytes)
			if c.want == "" {
				require.NoError(t, m.Faults())
			} else {
				require.ErrorContains(t, m.Faults(), c.want)
			}
		})
	}
}

func TestMemory_LimitsAllocations(t *testing.T) {
	m := mock.NewMemory()
	m.Allocations = 1
	_, first, err := m.Allocate(16)
	require.NoError(t, err)
	_, _, err = m.Allocate(16)
	require.ErrorIs(t, err, mock.ErrExhausted)

	blocks, size := m.Live()
	require.Equal(t, []int{1, 16}, []int{blocks, size})
	m.Free(first)
	blocks, _ = m.Live()
	require.Zero(t, blocks)
}
