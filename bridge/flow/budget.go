package flow

import (
	"math"
	"time"
)

// Messages from clients may take up to a fixed fraction of the time of a run. Further messages
// wait, and the oldest are dropped if there are too many. Small messages are always handled in the
// step.
const (
	part  = 0.25                   // of the time
	saved = 100 * time.Millisecond // amount of time that may be saved up
	small = 4 << 10                // bytes in a step, regardless of the time they take
)

// budget limits the time for messages from clients. It may use the computer's clock, because it
// affects only when a message arrives in the run, which depends on clients and the network anyway.
type budget struct {
	unlimited bool
	now       func() time.Time
	left      time.Duration // negative after a message that took long
	at        time.Time     // time at which left was updated
	begun     time.Time     // when handling began; zero while idle
	bytes     int           // taken in the step
}

// begin starts the messages of a step.
func (b *budget) begin() {
	if b.unlimited {
		return
	}
	b.settle()
	now := b.now()
	if b.at.IsZero() {
		b.left = saved
	} else {
		b.left = min(saved, b.left+time.Duration(part*float64(now.Sub(b.at))))
	}
	b.at, b.begun, b.bytes = now, now, 0
}

// room returns the maximum length of the next message.
func (b *budget) room() int {
	if b.unlimited || b.now().Sub(b.begun) < b.left {
		return math.MaxInt
	}
	return small - b.bytes
}

// settle ends the handling of the messages of a step.
func (b *budget) settle() {
	if !b.begun.IsZero() {
		b.left -= b.now().Sub(b.begun)
		b.begun = time.Time{}
	}
}
