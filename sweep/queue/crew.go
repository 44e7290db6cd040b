package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gosmp/internal/pause"
	"gosmp/sweep"
)

// Deliveries is the number of processes that may vanish with a run they compute alone, or of
// different machines that may fail to prepare it, before the run is lost.
const Deliveries = 10

// Crew computes runs of a queue on this machine.
type Crew struct {
	Server  Server
	Version string // of gosmp
	Workers int    // at least 1
	Cache   string // folder for the files of experiments
	// Unpack writes the files of a package into a folder and returns the digest of the experiment
	// in it, as [Experiment] has it.
	Unpack func(archive, dir, name string) (base string, err error)
	// Identify returns the digest of the experiment in a folder, with which files of an earlier
	// crew are checked before they are used. Nil trusts them.
	Identify func(dir, name string) (base string, err error)
	// Verify returns an error if a file that a setting names on this machine differs from the one
	// that the sweep found; dir holds the files of the experiment. Several goroutines may call it.
	// Nil accepts every file.
	Verify func(dir string, f sweep.File) error
	// Start starts a worker for the experiment with that name in a folder.
	Start func(dir, name string) (sweep.Worker, error)
	Log   Log
	Idle  time.Duration // time without a run after which the crew ends; 0 means no limit
	// interval between signs of life; a worker counts as vanished after three intervals without
	// one; default 10 s
	Ping time.Duration

	js       jetstream.JetStream
	room     sync.RWMutex    // locked by a run that is computed alone in this process
	fetching sync.Mutex      // guards fetching the files of an experiment
	intact   map[string]bool // the folders in the cache that were checked
	refused  counts
	fitness  fitness
	stop     func()          // stops taking further runs
	idle     pause.Allowance // until the next run
	computed atomic.Int64
}

// Run computes runs until the context ends, which abandons the current runs, or until drain is
// closed, which completes them. It returns the number of computed runs. It waits for a server that
// has not started yet, and for one that is gone; an unusable server is an error. A machine that
// cannot prepare runs pauses and tries again; giving up or ending in this state is also an error.
func (w *Crew) Run(ctx context.Context, drain <-chan struct{}) (int64, error) {
	if w.Ping <= 0 {
		w.Ping = 10 * time.Second
	}
	fresh, cancel := context.WithCancel(ctx) // to take new runs
	defer cancel()
	w.stop = cancel
	go func() {
		select {
		case <-drain:
			cancel()
		case <-fresh.Done():
		}
	}()
	w.idle.Renew(w.Idle)
	defer w.idle.End()
	for {
		again, err := w.session(ctx, fresh, drain)
		if !again || fresh.Err() != nil || closed(drain) || w.idle.Spent() {
			return w.computed.Load(), err
		}
		rest(fresh)
	}
}

// session computes runs over one connection. After one that the server has ended with an error, the
// crew may try again with another connection.
func (w *Crew) session(ctx, fresh context.Context, drain <-chan struct{}) (again bool, err error) {
	c, js, err := w.Server.reach(fresh, w.Idle, w.Log)
	if err != nil {
		return false, err
	}
	defer c.Close()
	w.js = js
	connected, cancel := ended(fresh, c)
	defer cancel()
	if err := w.probe(connected); err != nil {
		return false, w.Server.wrong(err)
	}
	w.idle.Renew(w.Idle)
	var all sync.WaitGroup
	for range w.Workers {
		all.Go(func() { w.work(ctx, connected, drain) })
	}
	all.Wait()
	switch {
	case c.IsClosed() && ctx.Err() == nil:
		w.Log(fmt.Sprintf("the NATS server has ended the connection: %v; trying again",
			c.LastError()))
		return true, w.fitness.err()
	case ctx.Err() != nil:
		return false, nil
	}
	return false, w.fitness.err()
}

// probe fails for a server that workers cannot use, such as one without JetStream. It repeats
// requests that the server is temporarily unable to serve, and waits for one that is gone. It
// returns nil if the context ends.
func (w *Crew) probe(ctx context.Context) error {
	var allowed, all pause.Allowance
	defer allowed.End()
	defer all.End()
	allowed.Renew(patience)
	if w.Idle > 0 {
		all.Renew(max(w.Idle, patience))
	}
	for ; ctx.Err() == nil; rest(ctx) {
		lost := watch(w.js.Conn())
		_, err := w.consumer(ctx)
		if lost.occurred() {
			allowed.Renew(patience)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil: // the loop ends
		case hopeless(err) || allowed.Spent() || all.Spent():
			return err
		default:
			w.Log(w.Server.wrong(err).Error())
		}
	}
	return nil
}

// workersOf returns the name of the consumer that all workers of a version share.
func workersOf(version string) string { return "workers-" + token(version) }

func (w *Crew) consumer(ctx context.Context) (jetstream.Consumer, error) {
	s, err := runs(ctx, w.js)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := s.Consumer(ctx, workersOf(w.Version))
	if !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return c, err
	}
	return s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: workersOf(w.Version),
		FilterSubject: "gosmp.runs." + token(w.Version) + ".>",
		AckPolicy:     jetstream.AckExplicitPolicy, AckWait: 3 * w.Ping, MaxDeliver: -1,
		MaxAckPending: -1, MaxWaiting: 100000})
}

// work takes runs one at a time. It checks drain itself, because fresh ends a little later.
func (w *Crew) work(ctx, fresh context.Context, drain <-chan struct{}) {
	h := &hand{Crew: w}
	defer h.release()
	var c jetstream.Consumer
	for fresh.Err() == nil && !closed(drain) && !w.idle.Spent() {
		may, trial := w.fitness.admit(time.Now())
		if !may {
			rest(fresh)
			continue
		}
		if c == nil {
			var err error
			if c, err = w.attend(fresh); err != nil {
				w.untried(trial)
				rest(fresh)
				continue
			}
		}
		if err := h.take(ctx, fresh, c, trial); err != nil && fresh.Err() == nil {
			c = nil // the server may have lost the consumer
			rest(fresh)
		}
	}
}

// closed reports whether a channel that carries no values was closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// untried ends a trial for which no run arrived.
func (w *Crew) untried(trial bool) {
	if trial {
		w.fitness.release()
	}
}

// attend creates everything on the server that workers need. While the connection is lost, it
// reports nothing.
func (w *Crew) attend(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, w.wait())
	defer cancel()
	c, err := w.consumer(ctx)
	if err != nil && w.js.Conn().IsConnected() && ctx.Err() == nil {
		w.Log(w.Server.wrong(err).Error())
	}
	return c, err
}

// wait returns how long a worker waits for a run before it checks the clock.
func (w *Crew) wait() time.Duration {
	if w.Idle > 0 {
		return min(max(w.Idle/2, 100*time.Millisecond), 5*time.Second)
	}
	return 5 * time.Second
}

// next requests a run; both results are nil if none arrives in time.
func next(ctx context.Context, c jetstream.Consumer, limit time.Duration) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	batch, err := c.Fetch(1, jetstream.FetchContext(ctx))
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return m, nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err,
		context.DeadlineExceeded) {
		return nil, err
	}
	return nil, nil //nolint:nilnil // no run, and no error
}

// rest waits before another attempt, unless the context ends.
func rest(ctx context.Context) { pause.For(time.Second, ctx.Done()) }

// sortByIndex sorts runs by their index in the table.
func sortByIndex(ids []string, cases map[string]sweep.Case) {
	slices.SortFunc(ids, func(a, b string) int { return cases[a].Index - cases[b].Index })
}
