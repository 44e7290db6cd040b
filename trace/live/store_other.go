//go:build !amd64 || race

package live

import "sync/atomic"

// store stores a value.
func store(to *atomic.Uint64, value uint64) { to.Store(value) }
