package queue

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The server gives a run to another worker if it has not heard from the run's worker for a while,
// which it measures using the time of day. If that clock were set back, a run whose worker has
// vanished would stay with that worker until the clock caught up.

// setBack is how far the server's clock must go back to count as set back: a smaller step only
// delays runs by that amount.
const setBack = 10 * time.Second

// serverClock compares the server's time of day with the monotonic clock of this computer.
type serverClock struct {
	began time.Time     // zero until the server's time is known
	most  time.Duration // by which it has been ahead since it was set back
}

// seen records a server time that just arrived and may have been in transit for a long time.
func (c *serverClock) seen(stamp, now time.Time) {
	if c.began.IsZero() {
		c.began = now
		c.most = c.ahead(stamp, now)
	}
	c.most = max(c.most, c.ahead(stamp, now))
}

// back evaluates the time in the server's answer to a request that was sent before now, and reports
// whether the server's clock was set back.
func (c *serverClock) back(stamp, sent, now time.Time) bool {
	if c.began.IsZero() || c.most-c.ahead(stamp, sent) <= setBack {
		c.seen(stamp, now)
		return false
	}
	c.most = c.ahead(stamp, now)
	return true
}

// ahead returns by how much a time of the server is ahead of a local time, whose monotonic reading
// counts.
func (c *serverClock) ahead(stamp, here time.Time) time.Duration {
	return stamp.Sub(c.began) - here.Sub(c.began)
}

// free makes all runs taken by workers available to others as well, by making the server forget the
// assignments. Workers create the consumer again; a run that is still being computed may be
// computed twice.
func (q *Coordinator) free(ctx context.Context) error {
	q.Log("the clock of the queue's server was set back; unfinished runs are handed out again")
	err := q.runs.DeleteConsumer(ctx, workersOf(q.Version))
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	return err
}
