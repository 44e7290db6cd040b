package scxml

import "math/bits"

// stateSet is the OrderedSet of Appendix D for states: a bit for each state of the chart, by its
// index in document order. Document order is entry order, so iterating upwards gives entry order
// and iterating downwards gives exit order. An empty slice is a set without states.
type stateSet []uint64

func newStateSet(states int) stateSet { return make(stateSet, words(states)) }

// words returns the number of words needed for a set of that many states.
func words(states int) int { return (states + 63) / 64 }

func (s stateSet) add(q *State)           { s[q.index>>6] |= 1 << (q.index & 63) }
func (s stateSet) delete(q *State)        { s[q.index>>6] &^= 1 << (q.index & 63) }
func (s stateSet) isMember(q *State) bool { return s[q.index>>6]>>(q.index&63)&1 != 0 }
func (s stateSet) clear()                 { clear(s) }

// addRange adds the members of another set that are in a range.
func (s stateSet) addRange(from stateSet, r exitSet) {
	for w := r.first >> 6; r.first <= r.last && w <= r.last>>6; w++ {
		word := from[w]
		if w == r.first>>6 {
			word &= ^uint64(0) << (r.first & 63)
		}
		if w == r.last>>6 {
			word &= ^uint64(0) >> (63 - r.last&63)
		}
		s[w] |= word
	}
}

// next returns the first member at or after index i in document order, or -1.
func (s stateSet) next(i int) int {
	for w := i >> 6; w < len(s); w++ {
		word := s[w]
		if w == i>>6 {
			word &= ^uint64(0) << (i & 63)
		}
		if word != 0 {
			return w<<6 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// previous returns the last member at or before index i in document order, or -1.
func (s stateSet) previous(i int) int {
	for w := i >> 6; i >= 0 && w >= 0; w-- {
		word := s[w]
		if w == i>>6 {
			word &= ^uint64(0) >> (63 - i&63)
		}
		if word != 0 {
			return w<<6 + 63 - bits.LeadingZeros64(word)
		}
	}
	return -1
}
