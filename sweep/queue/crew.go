package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gosmp/sweep"
)

// Deliveries is the number of processes that may vanish with a run that they compute alone, or of
// different machines that may fail to prepare it, before it is lost.
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
	// Verify returns an error if a file that a setting names differs on this machine from the one
	// that the sweep has found; dir holds the files of the experiment. Several goroutines may call
	// it. Nil accepts every file.
	Verify func(dir string, f sweep.File) error
	// Start starts a worker for the experiment with that name in a folder.
	Start func(dir, name string) (sweep.Worker, error)
	Log   Log
	Idle  time.Duration // time without a run after which the crew ends; 0 means no limit
	// interval between signs of life; a worker has vanished after three intervals without one; by
	// default 10 s
	Ping time.Duration

	js       jetstream.JetStream
	room     sync.RWMutex    // locked by a run that is computed alone in this process
	fetching sync.Mutex      // guards fetching the files of an experiment
	intact   map[string]bool // the folders in the cache that were checked
	refused  counts
	fitness  fitness
	stop     func()       // stops taking further runs
	began    time.Time    // with a monotonic reading, because the wall clock may jump
	last     atomic.Int64 // relative to began
	computed atomic.Int64
}

// Run computes runs until the context ends, which abandons the current runs, or until drain, which
// completes them. It returns the number of computed runs. It waits for a server that has not
// started yet, and for one that is gone; an unusable server is an error. A machine that cannot
// prepare runs pauses and tries again; it is an error, too, if it gives up or ends in this state.
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
	c, js, err := w.Server.reach(fresh, w.Idle, w.Log)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	w.js = js
	if err := w.probe(ctx); err != nil {
		return 0, w.Server.wrong(err)
	}
	w.began = time.Now()
	w.last.Store(0)
	var all sync.WaitGroup
	for range w.Workers {
		all.Go(func() { w.work(ctx, fresh, drain) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return w.computed.Load(), nil
	}
	return w.computed.Load(), w.fitness.err()
}

// probe fails for a server without JetStream.
func (w *Crew) probe(ctx context.Context) error {
	_, err := w.consumer(ctx)
	return err
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

// hand is one worker of a crew, with the process that it keeps between runs of one experiment.
type hand struct {
	*Crew
	base   string
	worker sweep.Worker
}

// work takes one run after the other. It looks at drain itself, because fresh ends a little later.
func (w *Crew) work(ctx, fresh context.Context, drain <-chan struct{}) {
	h := &hand{Crew: w}
	defer h.release()
	var c jetstream.Consumer
	for fresh.Err() == nil && !closed(drain) && !w.bored() {
		may, trial := w.fitness.admit(time.Now())
		if !may {
			pause(fresh)
			continue
		}
		if c == nil {
			var err error
			if c, err = w.attend(fresh); err != nil {
				w.untried(trial)
				pause(fresh)
				continue
			}
		}
		if err := h.take(ctx, fresh, c, trial); err != nil && fresh.Err() == nil {
			c = nil // the server may have lost the consumer
			pause(fresh)
		}
	}
}

// take takes a run, if one arrives in time, and serves it. It asks for none while another run of
// this process is computed alone.
func (h *hand) take(ctx, fresh context.Context, c jetstream.Consumer, trial bool) error {
	h.room.RLock()
	h.room.RUnlock() //nolint:staticcheck // an empty section: it only waits
	m, err := next(fresh, c, h.wait())
	if m == nil {
		h.untried(trial)
		return err
	}
	h.serve(ctx, m, trial)
	h.last.Store(int64(time.Since(h.began)))
	return nil
}

// closed reports whether a channel, on which nothing is sent, has been closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// untried ends a trial for which no run has arrived.
func (w *Crew) untried(trial bool) {
	if trial {
		w.fitness.release()
	}
}

// attend creates everything on the server that workers need. While the connection is lost it
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

// wait returns how long a worker waits for a run before it looks at the clock.
func (w *Crew) wait() time.Duration {
	if w.Idle > 0 {
		return min(max(w.Idle/2, 100*time.Millisecond), 5*time.Second)
	}
	return 5 * time.Second
}

// bored reports whether no run has arrived for the time after which the crew ends.
func (w *Crew) bored() bool {
	return w.Idle > 0 && time.Since(w.began)-time.Duration(w.last.Load()) > w.Idle
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

// serve runs one case and stores its row before the run leaves the queue. A trial is the run with
// which a machine that could not prepare others tries again.
func (h *hand) serve(ctx context.Context, m jetstream.Msg, trial bool) {
	about, err := m.Metadata()
	if err != nil {
		h.untried(trial)
		return // a message of another kind; it comes again
	}
	signs, end := context.WithCancel(ctx)
	defer end()
	go h.live(signs, m)
	h.room.RLock()
	defer h.room.RUnlock()
	base, id := baseIn(m.Subject()), lastToken(m.Subject())
	if about.NumDelivered > 1 && h.stored(ctx, base, id) {
		h.untried(trial)
		_ = m.Ack() // the run comes again
		return
	}
	row, err := h.attempt(ctx, m, about.NumDelivered)
	if ctx.Err() != nil {
		_ = m.Nak() // the run comes again without it, after a while
		return
	}
	if h.fitness.settle(err, trial, h.Ping/2) {
		h.stop()
	}
	if err != nil {
		lost, is, wait := h.leave(ctx, base, id, about.NumDelivered, err)
		if !is {
			_ = m.NakWithDelay(wait)
			return
		}
		row = lost
	}
	row.ID = id
	if h.store(ctx, rowsOf(base)+id, row) {
		h.finish(ctx, m, base, id, row.Outcome == sweep.Lost || about.NumDelivered > together)
		h.computed.Add(1)
	}
}

// finish removes a run whose row is stored from the queue, even if the crew ends meanwhile. With
// forgive, it also removes what the server knows about earlier attempts.
func (h *hand) finish(ctx context.Context, m jetstream.Msg, base, id string, forgive bool) {
	if !forgive {
		_ = m.Ack() // if it is lost, the run comes again and has a row
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if m.DoubleAck(ctx) == nil {
		h.purge(ctx, refusalsOf(base)+id+".>")
	}
}

// baseIn returns the experiment in a subject.
func baseIn(subject string) string {
	rest := subject[:len(subject)-len(lastToken(subject))-1]
	return lastToken(rest)
}

// live tells the server that the run is being computed.
func (h *hand) live(ctx context.Context, m jetstream.Msg) {
	t := time.NewTicker(h.Ping)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			_ = m.InProgress() // the next one may succeed
		}
	}
}

// stored reports whether a run has a row that counts.
func (h *hand) stored(ctx context.Context, base, id string) bool {
	s, err := rows(ctx, h.js)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := s.GetLastMsgForSubject(ctx, rowsOf(base)+id)
	if err != nil {
		return false
	}
	row, err := rowIn(m.Subject, m.Data)
	return err == nil && row.Final()
}

// compute runs a case. An error means that this worker cannot run it, but another one may.
func (h *hand) compute(ctx context.Context, m jetstream.Msg) (row sweep.Row, err error) {
	o, unusable := orderIn(m)
	if unusable != nil {
		row = sweep.Row{Outcome: sweep.Lost, Cause: unusable.Error()}
		return row, nil //nolint:nilerr // the row has it
	}
	dir, err := h.files(ctx, o)
	if err != nil {
		return row, refusedHere(err)
	}
	for _, f := range o.Files {
		if h.Verify == nil {
			break
		}
		if err := h.Verify(dir, f); err != nil {
			return row, &refusedError{err, false}
		}
	}
	if h.base != o.Base {
		h.release()
		h.base = o.Base
	}
	p := &sweep.Pool{Attempts: max(1, o.Attempts),
		Timeout: time.Duration(o.Timeout * float64(time.Second)),
		Start:   func() (sweep.Worker, error) { return h.Start(dir, o.Experiment) }}
	if row, err = p.Do(ctx, sweep.Case{Set: o.Set, Seed: o.Seed}, &h.worker); err != nil {
		return row, &refusedError{err, true} // no process, or one that could not prepare the run
	}
	return row, nil
}

// release ends the process of the last experiment.
func (h *hand) release() {
	if h.worker != nil {
		_ = h.worker.Close() // no data can be lost any more
	}
	h.worker = nil
}

// store publishes a row until the server has it, or until the context ends.
func (h *hand) store(ctx context.Context, subject string, row sweep.Row) bool {
	text, err := json.Marshal(row)
	if err != nil {
		// plain values
		text, _ = json.Marshal(sweep.Row{ID: row.ID, Outcome: sweep.Faulty, Seed: row.Seed,
			Cause: "its row cannot be written: " + err.Error()})
	}
	reduced := false
	for said := ""; ctx.Err() == nil; {
		short, cancel := context.WithTimeout(ctx, patience)
		_, err := h.js.Publish(short, subject, text)
		cancel()
		if err == nil {
			return true
		}
		most := int(h.js.Conn().MaxPayload())
		if errors.Is(err, nats.ErrMaxPayload) && !reduced { // it would not help to wait
			text, _ = json.Marshal(row.Oversized(len(text), most))
			reduced = true
			continue
		}
		reason := "a row cannot be stored yet: " + err.Error()
		if _, err := rows(ctx, h.js); err != nil {
			reason += "; " + h.Server.wrong(err).Error()
		}
		if reason != said && ctx.Err() == nil { // an outage is reported once
			h.Log(reason)
			said = reason
		}
		pause(ctx)
	}
	return false
}

// files returns the folder with the files of an experiment, which is fetched once.
func (h *hand) files(ctx context.Context, o order) (string, error) {
	h.fetching.Lock()
	defer h.fetching.Unlock()
	dir := filepath.Join(h.Cache, short(o.Base))
	if h.usable(dir, o) {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil { // its remains are useless
		return "", err
	}
	if err := os.MkdirAll(h.Cache, 0o777); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(h.Cache, "new-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temporary) }() // it is no longer needed
	archive, unpacked := filepath.Join(temporary, "package.zip"), filepath.Join(temporary, "files")
	if err := h.download(ctx, short(o.Base), archive); err != nil {
		err = fmt.Errorf("the files of %s cannot be fetched: %w", o.Experiment, err)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return "", err // for all machines
		}
		return "", &refusedError{err, true}
	}
	switch base, err := h.Unpack(archive, unpacked, o.Experiment); {
	case err != nil:
		return "", fmt.Errorf("the files of %s: %w", o.Experiment, err)
	case base != o.Base:
		return "",
			fmt.Errorf(
				"the files of %s are not those of the sweep: found the digest %s, expected %s",
				o.Experiment, base, o.Base)
	}
	err = os.Rename(unpacked, dir)
	if _, e := os.Stat(dir); e == nil {
		return dir, nil // possibly another crew was first
	}
	return "", err
}

// usable reports whether the cache has the files of an experiment, complete and unchanged.
func (h *hand) usable(dir string, o order) bool {
	if _, err := os.Stat(dir); err != nil {
		return false
	}
	if h.Identify == nil || h.intact[dir] {
		return true
	}
	base, err := h.Identify(dir, o.Experiment)
	if err != nil || base != o.Base {
		h.Log(fmt.Sprintf("the files of %s in %s have changed; they are fetched again",
			o.Experiment, dir))
		return false
	}
	if h.intact == nil {
		h.intact = map[string]bool{}
	}
	h.intact[dir] = true
	return true
}

// download fetches an object into a file. It may take any time as long as data keep arriving.
func (h *hand) download(ctx context.Context, name, to string) error {
	s, err := experiments(ctx, h.js)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &steadyReader{limit: 3 * patience, timer: time.AfterFunc(3*patience,
		func() { cancel(errSilent) })}
	defer r.timer.Stop()
	object, err := s.Get(ctx, name)
	if err == nil {
		r.Reader = object
		err = errors.Join(writeFile(to, r), object.Close())
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// errSilent is the error of a download from which data no longer arrive.
var errSilent = fmt.Errorf("the server has sent nothing for %v", 3*patience)

// steadyReader resets a timer whenever data arrive.
type steadyReader struct {
	io.Reader
	timer *time.Timer
	limit time.Duration
}

func (r *steadyReader) Read(b []byte) (n int, err error) {
	if n, err = r.Reader.Read(b); n > 0 {
		r.timer.Reset(r.limit)
	}
	return n, err
}

// writeFile writes the content of a reader to a new file.
func writeFile(path string, r io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// pause waits before another attempt, unless the context ends.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// sortByIndex sorts runs by their index in the table.
func sortByIndex(ids []string, cases map[string]sweep.Case) {
	slices.SortFunc(ids, func(a, b string) int { return cases[a].Index - cases[b].Index })
}
