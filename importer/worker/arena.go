//go:build linux && cgo

package worker

// #include "worker.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Arena is the memory in which the workers of a run store the texts and binaries that they read.
// Each worker has an area that it can write; all workers can read all areas. A value returned by
// [Plan.Blob] and passed to [Plan.SetBlob] of another worker with the same arena is therefore not
// copied: the other FMU reads it in place.
type Arena struct {
	file   *os.File
	memory []byte
	size   uint64 // of an area

	mu    sync.Mutex
	taken []bool
}

// The sizes of an arena: the number of areas and the bytes in each. They are address space, not
// memory: only pages that are accessed use memory.
var arenaSizes = []struct {
	areas int
	size  uint64
}{{64, 2 << 30}, {64, 64 << 20}, {8, 16 << 20}}

// NewArena creates an arena. It must be closed after the workers.
func NewArena() (*Arena, error) { return newArena(arenaSizes[0].areas) }

// newArena creates an arena with at most n areas.
func newArena(n int) (*Arena, error) {
	descriptor, err := unix.MemfdCreate("gosmp-arena", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	a := &Arena{file: os.NewFile(uintptr(descriptor), "gosmp-arena")}
	for _, s := range arenaSizes {
		areas := min(n, s.areas)
		a.size, a.taken = s.size, make([]bool, areas)
		whole := int64(areas) * int64(s.size)
		if err = a.file.Truncate(whole); err == nil {
			a.memory, err = unix.Mmap(descriptor, 0, int(whole), unix.PROT_READ|unix.PROT_WRITE,
				unix.MAP_SHARED|unix.MAP_NORESERVE)
		}
		if err == nil {
			// exclude the unused address space from core files
			_ = unix.Madvise(a.memory, unix.MADV_DONTDUMP)
			return a, nil
		}
	}
	_ = a.file.Close()
	return nil, fmt.Errorf("shared memory: %w", err)
}

// Close releases the memory. All values in it become invalid.
func (a *Arena) Close() error {
	if a.memory == nil {
		return nil
	}
	err := unix.Munmap(a.memory)
	a.memory = nil
	return errors.Join(err, a.file.Close())
}

// take assigns an area to a worker; ok is false if no area is left.
func (a *Arena) take() (offset uint64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for k := range a.taken {
		if !a.taken[k] {
			a.taken[k] = true
			return uint64(k) * a.size, true
		}
	}
	return 0, false
}

// release returns the area of a closed worker and the memory used by its values.
func (a *Arena) release(offset uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.memory == nil {
		return
	}
	// if this fails, the next worker overwrites the contents
	_ = unix.Fallocate(int(a.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE,
		int64(offset), int64(a.size))
	a.taken[offset/a.size] = false
}

// find returns the offset of bytes in the arena, if they are in it.
func (a *Arena) find(bytes []byte) (offset uint64, ok bool) {
	offset = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(bytes))) - uintptr(unsafe.Pointer(
		unsafe.SliceData(a.memory))))
	return offset, len(bytes) > 0 && offset < uint64(len(a.memory))
}

// arenaBytes returns bytes that the worker claims to have stored in its area.
func (p *Process) arenaBytes(offset, size uint64) ([]byte, error) {
	begin, end := p.area, p.area+p.arena.size
	switch {
	case size == 0:
		return nil, nil
	case offset < begin || offset > end || size > end-offset || size > math.MaxInt32:
		return nil, fmt.Errorf("%w: %d bytes at %d, its area is from %d to %d", ErrProtocol, size,
			offset, begin, end)
	}
	return p.arena.memory[offset : offset+size : offset+size], nil
}
