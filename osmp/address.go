package osmp

// SplitAddress cuts an address into the halves that base.lo and base.hi carry: the same bits, reinterpreted as signed.
func SplitAddress(address uint64) (lo, hi int32) {
	return int32(uint32(address)), int32(uint32(address >> 32))
}

// JoinAddress puts the halves together again. The detour through uint32 keeps the sign of the low half out of the high one.
func JoinAddress(lo, hi int32) uint64 {
	return uint64(uint32(hi))<<32 | uint64(uint32(lo))
}
