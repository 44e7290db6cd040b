package dds

import (
	"sync"
	"time"
)

// What others may send. Packets beyond it wait in the buffers of the system, which drops them if
// there are too many, so that a flood takes only part of the computer's time.
const (
	rateIn    = 256 << 20              // bytes a second from all participants
	costIn    = 8 << 10                // what handling a submessage counts in addition to its bytes
	costFound = 64 << 10               // what a change of participants or endpoints counts
	costPart  = 128                    // what each number or fragment in a submessage counts
	savedIn   = 500 * time.Millisecond // an unused share that may be saved up
)

// intake limits the rate of packets, for all sockets of a participant together.
type intake struct {
	mu   sync.Mutex
	next time.Time // until when admitted bytes use up the rate
}

// admit counts bytes and returns how long to wait before the next packet is read.
func (i *intake) admit(now time.Time, bytes int) time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	if saved := now.Add(-savedIn); i.next.Before(saved) {
		i.next = saved
	}
	i.next = i.next.Add(time.Duration(bytes) * time.Second / rateIn)
	return i.next.Sub(now)
}
