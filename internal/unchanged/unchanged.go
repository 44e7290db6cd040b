// Package unchanged remembers facts about files for as long as the files do not change. A process
// that runs the same files again and again would otherwise read them each time.
//
// Type: [Memory].
package unchanged

import (
	"os"
	"sync"
	"time"
)

// Memory remembers a value for each file. Its methods may be called from several goroutines.
type Memory[T any] struct {
	mu    sync.Mutex
	known map[string]fact[T]
}

type fact[T any] struct {
	file   os.FileInfo
	status time.Time
	value  T
}

const (
	// settled is how long a file must not have changed before its value is remembered: file systems
	// resolve times coarsely, and two changes within a moment can leave the same times and size.
	settled = 2 * time.Second
	most    = 256 // number of files; beyond it, the memory starts again
)

// Of returns the value for a file: either the remembered one or the result of find. Values of
// folders, pipes and devices are not remembered.
func (m *Memory[T]) Of(name string, find func() T) T {
	before, err := os.Stat(name)
	if err != nil {
		return find()
	}
	return m.OfInfo(name, before, find)
}

// OfInfo is like Of, for a file that the caller has just examined.
func (m *Memory[T]) OfInfo(name string, before os.FileInfo, find func() T) T {
	if !before.Mode().IsRegular() {
		return find()
	}
	status := statusTime(before)
	m.mu.Lock()
	f, is := m.known[name]
	m.mu.Unlock()
	if is && os.SameFile(f.file, before) && f.file.Size() == before.Size() &&
		f.file.ModTime().Equal(before.ModTime()) && f.status.Equal(status) {
		return f.value
	}
	value := find()
	old := time.Now().Add(-settled)
	if before.ModTime().Before(old) && status.Before(old) {
		m.remember(name, before, value)
	}
	return value
}

func (m *Memory[T]) remember(name string, file os.FileInfo, value T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= most {
		m.known = map[string]fact[T]{}
	}
	m.known[name] = fact[T]{file, statusTime(file), value}
}
