package osmp

// SplitAddress splits an address into base.lo and base.hi: the same bits, reinterpreted as signed
// integers.
func SplitAddress(address uint64) (lo, hi int32) {
	return int32(uint32(address)), int32(uint32(address >> 32))
}

// JoinAddress joins the halves again. Converting through uint32 prevents the sign of the low half
// from extending into the high one.
func JoinAddress(lo, hi int32) uint64 {
	return uint64(uint32(hi))<<32 | uint64(uint32(lo))
}
