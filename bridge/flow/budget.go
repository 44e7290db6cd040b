package flow

import (
	"math"
	"time"
)

// What clients send may take a part of the time of a run, and no more: the rest waits, and the
// oldest of it is dropped when it is too much. A step always takes what is small.
const (
	part  = 0.25                   // of the time
	saved = 100 * time.Millisecond // how much of it may be saved
	small = 4 << 10                // bytes in a step, whatever they take
)

// budget is the time for messages of clients. It uses the computer's clock: it decides only when a
// message arrives in the run, which depends on clients and the network anyway.
type budget struct {
	unlimited bool
	now       func() time.Time
	left      time.Duration // below zero after a message that has taken long
	at        time.Time     // when left was right
	begun     time.Time     // when handling began; zero while none is handled
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

// room returns how long the next message may be.
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
