package mock

import (
	"bytes"
	"errors"
	"fmt"
)

// The address space begins where neither half of an address is merely a sign extension: above 4 GiB
// and with bit 31 set.
const (
	firstAddress = 0x0000_7FFF_8000_0010
	// bytes between two blocks, so that an overrun at the end of one never reaches the next.
	gap = 0x1000
)

// poison fills released memory. A read yields nonsense, and a changed byte reveals a late write.
const poison = 0xDD

// ErrExhausted is the error of Allocate when it exceeds the number of allocations that the test
// allows.
var ErrExhausted = errors.New("no memory left")

// block is a piece of the address space, owned by the FMU or by the host.
type block struct {
	address uint64
	bytes   []byte
	host    bool
	gone    bool // freed by the FMU or released by the host
}

// Memory is a simulated address space. It never reuses an address, so that a stale one is always
// detected. Faults reports all faults. Like an instance, a Memory must not be used by two threads
// at once.
type Memory struct {
	next   uint64
	blocks []*block
	faults []error

	// Allocations left before Allocate fails; negative means no limit.
	Allocations int
}

// NewMemory creates an empty address space without a limit.
func NewMemory() *Memory { return &Memory{next: firstAddress, Allocations: -1} }

func (m *Memory) add(b []byte, host bool) uint64 {
	address := m.next
	m.blocks = append(m.blocks, &block{address: address, bytes: b, host: host})
	m.next += uint64(len(b)+gap) &^ 15
	return address
}

// Allocate implements fmu.Memory. The block is filled with poison, because callers must not rely on
// zeros.
func (m *Memory) Allocate(n int) (memory []byte, address uint64, err error) {
	switch {
	case n <= 0:
		m.fault("allocation of %d bytes", n)
		return nil, 0, ErrExhausted
	case m.Allocations == 0:
		return nil, 0, ErrExhausted
	case m.Allocations > 0:
		m.Allocations--
	}
	memory = bytes.Repeat([]byte{poison}, n)
	memory = memory[:n:n]
	return memory, m.add(memory, false), nil
}

// Free implements fmu.Memory.
func (m *Memory) Free(address uint64) {
	b := m.at(address)
	switch {
	case b == nil || b.address != address:
		m.fault("free of %#x, which is not a block", address)
	case b.host:
		m.fault("free of %#x, which belongs to the host", address)
	case b.gone:
		m.fault("double free of %#x", address)
	default:
		b.retire()
	}
}

// View implements fmu.Memory: it returns live memory of the host or of an FMU. Any other access is
// a fault and returns nothing.
func (m *Memory) View(address uint64, n int) []byte {
	if address == 0 || n <= 0 {
		m.fault("view of %d bytes at %#x, which the contract excludes", n, address)
		return nil
	}
	data, err := m.Read(address, n)
	if err != nil {
		m.faults = append(m.faults, err)
	}
	return data
}

// Copy implements fmu.Memory. It reports an address that was never used to the caller; reading
// released memory is a fault.
func (m *Memory) Copy(to []byte, address uint64) bool {
	if m.at(address) == nil {
		return false
	}
	return copy(to, m.View(address, len(to))) == len(to)
}

// Read reads the memory at an address that an FMU has published, as a host does. It returns the
// bytes, or an error that states what is at the address instead. It records no fault.
func (m *Memory) Read(address uint64, n int) ([]byte, error) {
	b := m.at(address)
	switch {
	case b == nil:
		return nil, fmt.Errorf("read of %d bytes at %#x, where nothing ever was", n, address)
	case b.gone:
		return nil, fmt.Errorf("read of %d bytes at %#x, which is no longer valid", n, address)
	}
	offset := address - b.address
	if n < 0 || uint64(n) > uint64(len(b.bytes))-offset {
		return nil, fmt.Errorf("read of %d bytes at %#x runs past the end of its block of %d bytes",
			n, address, len(b.bytes))
	}
	return b.bytes[offset:][:n:n], nil
}

// Provide copies data to a buffer of the host and returns its address.
func (m *Memory) Provide(data []byte) (address uint64) { return m.add(bytes.Clone(data), true) }

// Protect releases a buffer of the host, as a host may do once a step has returned: from now on
// reading it is a fault.
func (m *Memory) Protect(address uint64) {
	if b := m.at(address); b != nil && b.host && !b.gone {
		b.retire()
		return
	}
	m.fault("protect of %#x, which is not a buffer of the host", address)
}

// Live returns the number of blocks that the FMU holds, and their bytes.
func (m *Memory) Live() (blocks, size int) {
	for _, b := range m.blocks {
		if !b.host && !b.gone {
			blocks++
			size += len(b.bytes)
		}
	}
	return blocks, size
}

// Faults reports every forbidden access so far, joined, including writes to released memory.
func (m *Memory) Faults() error {
	faults := m.faults
	for _, b := range m.blocks {
		if b.gone && len(bytes.Trim(b.bytes, string([]byte{poison}))) > 0 {
			faults = append(faults, fmt.Errorf("write into %#x after it was given back", b.address))
		}
	}
	return errors.Join(faults...)
}

func (m *Memory) at(address uint64) *block {
	for _, b := range m.blocks {
		if address >= b.address && address-b.address < uint64(len(b.bytes)) {
			return b
		}
	}
	return nil
}

func (m *Memory) fault(format string, args ...any) {
	m.faults = append(m.faults, fmt.Errorf(format, args...))
}

func (b *block) retire() {
	b.gone = true
	for k := range b.bytes {
		b.bytes[k] = poison
	}
}
