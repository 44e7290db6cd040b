//go:build !race

package live

import "sync/atomic"

// store stores a value without waiting for earlier stores, unlike an atomic store. Copies that
// bypass the caches may become visible after it.
//
//go:noescape
func store(to *atomic.Uint64, value uint64)
