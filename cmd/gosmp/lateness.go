package main

import (
	"fmt"
	"math/bits"
	"time"
)

// lateness is how much later than planned something happened, in real time.
type lateness struct {
	count   int
	sum     float64 // ns: whole numbers would overflow when a replay cannot keep up
	longest time.Duration
	buckets [64]int // number of values with that many binary digits
}

func (l *lateness) add(d time.Duration) {
	d = max(d, 0)
	l.count++
	l.sum += float64(d)
	l.longest = max(l.longest, d)
	l.buckets[bits.Len64(uint64(d))]++
}

// mostly is a bound that 99 % do not exceed, accurate to a factor of two.
func (l *lateness) mostly() time.Duration {
	sum := 0
	for digits, n := range l.buckets {
		if sum += n; float64(sum) >= 0.99*float64(l.count) {
			return min(time.Duration(1)<<digits-1, l.longest)
		}
	}
	return l.longest
}

func (l *lateness) String() string {
	mean := time.Duration(l.sum / float64(max(l.count, 1)))
	return fmt.Sprintf("mean %s\t99 %% below %s\tlongest %s", short(mean), short(l.mostly()), short(l.longest))
}

// short is a duration in seconds with the digits down to microseconds.
func short(d time.Duration) string { return fmt.Sprintf("%.6f s", d.Seconds()) }
