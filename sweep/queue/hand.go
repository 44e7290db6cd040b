package queue

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gosmp/sweep"
)

// hand is one worker of a crew, with the process it keeps between runs of one experiment.
type hand struct {
	*Crew
	base   string
	worker sweep.Worker
}

// take takes a run, if one arrives in time, and serves it. It requests none while another run of
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
	h.idle.Renew(h.Idle)
	return nil
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
	if ctx.Err() != nil || h.js.Conn().IsClosed() {
		h.untried(trial)
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
// forgive, it also removes the server's data about earlier attempts.
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

// live informs the server that the run is being computed.
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
		_ = h.worker.Close() // no data can be lost anymore
	}
	h.worker = nil
}

// store publishes a row until the server has it, or until the context or the connection ends.
func (h *hand) store(ctx context.Context, subject string, row sweep.Row) bool {
	text, err := json.Marshal(row)
	if err != nil {
		// plain values
		text, _ = json.Marshal(sweep.Row{ID: row.ID, Outcome: sweep.Faulty, Seed: row.Seed,
			Cause: "its row cannot be written: " + err.Error()})
	}
	reduced := false
	for said := ""; ctx.Err() == nil && !h.js.Conn().IsClosed(); {
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
		rest(ctx)
	}
	return false
}
