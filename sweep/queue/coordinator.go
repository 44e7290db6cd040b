package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gosmp/internal/pause"
	"gosmp/sweep"
)

// Experiment is the part that all runs of a sweep share.
type Experiment struct {
	Base string                // digest of the files and of the version of gosmp
	Name string                // name of the description among the files
	Pack func(io.Writer) error // writes the files as a package; an error ends the sweep
}

// Coordinator puts the runs of a sweep into a queue and collects their rows.
type Coordinator struct {
	Server     Server
	Experiment Experiment
	Version    string // version of gosmp that workers must have
	Attempts   int    // at a run whose process ends or hangs; at least 1
	Timeout    time.Duration
	Log        Log
	Rerun      []string      // outcomes of runs to compute again, even if the server has rows
	Idle       time.Duration // time without a row before the queue is examined; default 10 s

	js      jetstream.JetStream
	runs    jetstream.Stream
	ended   jetstream.Stream      // of rows
	waiting map[string]sweep.Case // by the identity of the run
	alone   bool                  // the absence of workers was reported
	said    string                // the last problem that was reported
	damaged int                   // number of rows that could not be read
	earlier uint64                // the last refusal that existed when the sweep began
	refused map[string]bool       // machines whose refusals have been reported
	clock   serverClock
}

// Run lets the server's workers run all cases. It calls done as [sweep.Pool.Run] does. When the
// context ends or done wants no more rows, it removes from the queue the cases that no worker has
// started.
func (q *Coordinator) Run(ctx context.Context, cases []sweep.Case, done func(sweep.Case,
	sweep.Row) (more bool, err error)) error {
	if q.Idle <= 0 {
		q.Idle = 10 * time.Second
	}
	_, js, err := q.Server.reach(ctx, patience, q.Log)
	if err != nil {
		return err
	}
	defer func() { q.js.Conn().Close() }()
	q.js, q.waiting = js, make(map[string]sweep.Case, len(cases))
	for _, x := range cases {
		q.waiting[x.ID(q.Experiment.Base)] = x
	}
	if err := q.follow(ctx, done); err != nil || len(q.waiting) > 0 {
		q.withdraw() //nolint:contextcheck // the context may have ended
		return errors.Join(err, context.Cause(ctx))
	}
	return nil
}

// follow collects rows until none is missing. Once the connection has worked, it retries requests
// that the server is temporarily unable to serve.
func (q *Coordinator) follow(ctx context.Context, done func(sweep.Case, sweep.Row) (bool,
	error)) error {
	r := &reader{}
	var failing pause.Allowance // while all attempts fail
	defer failing.End()
	tried := false
	for good := false; len(q.waiting) > 0 && ctx.Err() == nil; {
		began := time.Now()
		more, err := q.round(ctx, r, done, &good)
		if !tried || time.Since(began) > 2*patience { // it has sent or received something
			tried = true
			failing.Renew(patience)
		}
		var stop *stopped
		switch {
		case errors.As(err, &stop):
			return stop.err
		case err == nil && !more:
			return nil
		case err != nil && ctx.Err() == nil && !good && (hopeless(err) ||
			failing.Spent()):
			return q.Server.wrong(err)
		case err != nil && ctx.Err() == nil:
			q.report(q.Server.wrong(err).Error())
			rest(ctx)
			if err := q.reopen(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// reopen opens another connection if the server has ended the present one with an error. A lost
// connection is reopened by the library.
func (q *Coordinator) reopen(ctx context.Context) error {
	if !q.js.Conn().IsClosed() {
		return nil
	}
	_, js, err := q.Server.reach(ctx, 0, q.Log)
	switch {
	case err == nil:
		q.js = js
	case ctx.Err() == nil:
		return err
	}
	return nil
}

// report logs a problem only once while it lasts.
func (q *Coordinator) report(problem string) {
	if q.said != problem {
		q.Log(problem)
	}
	q.said = problem
}

// stopped is an error from a function of the caller, which ends everything.
type stopped struct{ err error }

func (s *stopped) Error() string { return s.err.Error() }

// reader follows the rows of a stream across connections.
type reader struct {
	begun bool
	known uint64 // the last row that existed when the sweep began
}

// round creates everything that is missing on the server, and takes rows until an error occurs.
func (q *Coordinator) round(ctx context.Context, r *reader, done func(sweep.Case, sweep.Row) (bool,
	error), good *bool) (more bool, err error) {
	if q.runs, err = runs(ctx, q.js); err != nil {
		return true, err
	}
	stream, err := rows(ctx, q.js)
	if err != nil {
		return true, err
	}
	q.ended = stream
	if q.refused == nil {
		s, err := refusals(ctx, q.js)
		if err != nil {
			return true, err
		}
		q.earlier, q.refused = s.CachedInfo().State.LastSeq, map[string]bool{}
	}
	if last := stream.CachedInfo().State.LastSeq; !r.begun || last < r.known {
		r.begun, r.known = true, last
	}
	if err := q.upload(ctx); err != nil {
		return true, err
	}
	consumer, err := stream.OrderedConsumer(ctx,
		jetstream.OrderedConsumerConfig{FilterSubjects: []string{rowsOf(q.Experiment.Base) + "*"}})
	if err != nil {
		return true, err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(500))
	if err != nil {
		return true, err
	}
	defer messages.Stop()
	if consumer.CachedInfo().NumPending == 0 {
		if err := q.publish(ctx, q.missing(nil)); err != nil {
			return true, err
		}
		*good = true
	}
	for len(q.waiting) > 0 {
		m, err := messages.Next(jetstream.NextMaxWait(q.Idle))
		switch {
		case ctx.Err() != nil:
			return false, nil
		case errors.Is(err, nats.ErrTimeout):
			err = q.repair(ctx)
			*good = *good || err == nil
		case err == nil:
			more, err = q.take(ctx, m, r, done, good)
			if err == nil && !more {
				return false, nil
			}
		}
		if err != nil {
			return true, err
		}
	}
	return false, nil
}

// take takes one row. The row of a run that was lost before this sweep began does not count,
// because such runs are computed again. Once the existing rows have been read, the remaining runs
// go into the queue.
func (q *Coordinator) take(ctx context.Context, m jetstream.Msg, r *reader, done func(sweep.Case,
	sweep.Row) (bool, error), good *bool) (more bool, err error) {
	about, err := m.Metadata()
	if err != nil {
		return true, err
	}
	q.clock.seen(about.Timestamp, time.Now())
	row, err := rowIn(m.Subject(), m.Data())
	x, wanted := q.waiting[row.ID]
	if err == nil && wanted {
		err = checkSeed(&row, &x)
	}
	if err != nil {
		q.unreadable(m.Subject(), err)
	}
	more = true
	old := about.Sequence.Stream <= r.known
	if err == nil && wanted && old && slices.Contains(q.Rerun, row.Outcome) {
		// a worker that receives the run a second time would mistake it for its row
		if err := q.ended.Purge(ctx, jetstream.WithPurgeSubject(m.Subject())); err != nil {
			return true, err
		}
		wanted = false
	}
	if err == nil && wanted && (row.Final() || !old) {
		delete(q.waiting, row.ID)
		q.said = ""
		// a worker that could not start the run has not read the seed
		row.Seed = cmp.Or(row.Seed, x.Seed)
		if more, err = done(x, row); err != nil {
			return false, &stopped{err}
		}
	}
	if !*good && about.NumPending == 0 && more {
		if err := q.publish(ctx, q.missing(nil)); err != nil {
			return true, err
		}
		*good = true
	}
	return more, nil
}

// checkSeed refuses the row of a run with another seed. A worker that could not start the run has
// not read the seed.
func checkSeed(row *sweep.Row, x *sweep.Case) error {
	unread := row.Seed == 0 && slices.Contains([]string{sweep.Faulty, sweep.Lost, sweep.Hung},
		row.Outcome)
	if x.Seed == 0 || row.Seed == x.Seed || unread {
		return nil
	}
	return fmt.Errorf("found the seed %d, expected %d", row.Seed, x.Seed)
}

// mostUnreadable is the number of rows that are reported, because others may flood a server.
const mostUnreadable = 20

// unreadable reports a row that cannot be read.
func (q *Coordinator) unreadable(subject string, err error) {
	switch q.damaged++; {
	case q.damaged <= mostUnreadable:
		q.Log(fmt.Sprintf("the row %.200s cannot be read: %v", subject, err))
	case q.damaged == mostUnreadable+1:
		q.Log("more rows cannot be read; they are not listed")
	}
}

// missing returns the runs without a row that are not in the queue.
func (q *Coordinator) missing(queued map[string]uint64) (list []string) {
	prefix := runsOf(q.Version, q.Experiment.Base)
	for id := range q.waiting {
		if queued[prefix+id] == 0 {
			list = append(list, id)
		}
	}
	return list
}

// repair requeues runs that the queue lost, and reports if there are no workers.
func (q *Coordinator) repair(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	sent := time.Now()
	about, err := q.runs.Info(ctx, jetstream.WithSubjectFilter(runsOf(q.Version, q.Experiment.Base)+
		"*"))
	if err != nil {
		return err
	}
	if q.clock.back(about.TimeStamp, sent, time.Now()) {
		return q.free(ctx)
	}
	if list := q.missing(about.State.Subjects); len(list) > 0 {
		if err := q.upload(ctx); err != nil {
			return err
		}
		return q.publish(ctx, list)
	}
	c, err := q.runs.Consumer(ctx, workersOf(q.Version))
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	if alone := err != nil || c.CachedInfo().NumWaiting+c.CachedInfo().NumAckPending == 0; alone &&
		!q.alone {
		q.Log(
			fmt.Sprintf(
				"no worker of gosmp %s asks for runs yet; start some with gosmp work --nats URL",
				q.Version))
		q.alone = true
	}
	return q.refusals(ctx)
}
