//go:build !race

package live

import "sync/atomic"

// store stores a value without waiting for earlier stores, as an atomic store does: copies past the
// caches may become visible after it.
//
//go:noescape
func store(to *atomic.Uint64, value uint64)
