package live

// copyLines copies whole cache lines, bypassing this processor's caches, which would otherwise wait
// for each line of to that another processor read last. An atomic store that follows becomes
// visible after the bytes, because it waits for them.
//
//go:noescape
func copyLines(to, from *byte, lines int)

// deposit copies from to to, which has the same length.
func deposit(to, from []byte) {
	whole := len(from) &^ (lineSize - 1)
	if whole > 0 {
		copyLines(&to[0], &from[0], whole/lineSize)
	}
	copy(to[whole:], from[whole:])
}
