package scxml

import (
	"slices"

	"gosmp/timebase"
)

// appointment is an event waiting for its time in a machine's external queue.
type appointment struct {
	due      timebase.Time
	sequence uint64   // equal times are handled in the order of sending
	from, to *Machine // to is nil for an event that leaves the system
	delayed  bool     // sent with a delay: dropped by cancel and by the end of the sender
	event    Event
	id       string // of the send, for cancel; set even if the event itself has none
	kind     string // the processor's type and the target of an event that leaves the system
	target   string
	line     int // of the element that sent it
}

func (a *appointment) before(b *appointment) bool {
	return a.due < b.due || a.due == b.due && a.sequence < b.sequence
}

// agenda is a heap of appointments, the next one first. It is implemented here because
// container/heap allocates for each event.
type agenda []appointment

func (h *agenda) push(a appointment) {
	*h = append(*h, a)
	list := *h
	for i := len(list) - 1; i > 0; {
		parent := (i - 1) / 2
		if !list[i].before(&list[parent]) {
			break
		}
		list[i], list[parent] = list[parent], list[i]
		i = parent
	}
}

func (h *agenda) pop() appointment {
	list := *h
	first, last := list[0], len(list)-1
	list[0] = list[last]
	list[last] = appointment{}
	*h = list[:last]
	h.down(0)
	return first
}

func (h agenda) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].before(&h[child]) {
			child++
		}
		if !h[child].before(&h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// drop removes the matching appointments and returns their number.
func (h *agenda) drop(match func(*appointment) bool) int {
	before := len(*h)
	*h = slices.DeleteFunc(*h, func(a appointment) bool { return match(&a) })
	for i := len(*h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	return before - len(*h)
}
