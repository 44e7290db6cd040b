package queue

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gosmp/sweep"
)

// A run that a machine could not prepare is left to others, and the machine reports this in a
// message in a separate stream, because the server counts deliveries rather than machines. The
// subject names the machine and its process, so that the server knows which different machines
// refused a run.
const refusalsStream = "GOSMP_REFUSALS"

func refusals(ctx context.Context, js jetstream.JetStream) (jetstream.Stream, error) {
	return stream(ctx, js, jetstream.StreamConfig{Name: refusalsStream,
		Description: "runs that machines could not prepare", Subjects: []string{"gosmp.refusals.>"},
		MaxMsgsPerSubject: 1, MaxAge: kept, AllowDirect: true})
}

func refusalsOf(base string) string { return "gosmp.refusals." + short(base) + "." }

// refusal is the message about a run that a machine could not prepare.
type refusal struct {
	Machine string `json:"machine"`
	Reason  string `json:"reason"`
	Count   uint64 `json:"count"` // number of times this process refused the run
}

// refusedError is the reason why a run was not prepared here. If unfit is set, the fault lies with
// the machine, which cannot prepare other runs either; otherwise the machine lacks something that
// this run needs.
type refusedError struct {
	error
	unfit bool
}

func (e *refusedError) Unwrap() error { return e.error }

// refusedHere classifies an error in the preparation of a run: a refusal by the operating system is
// the fault of this machine, whereas damaged files are damaged for every machine.
func refusedHere(err error) error {
	var path *os.PathError
	var link *os.LinkError
	var call *os.SyscallError
	if errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &call) {
		return &refusedError{err, true}
	}
	return err
}

// machine returns the name of this machine for the server: its host, and the folder of its cache,
// because two accounts of one host may differ in quota and rights.
func (w *Crew) machine() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "host"
	}
	folder, err := filepath.Abs(w.Cache)
	if err != nil {
		folder = w.Cache
	}
	sum := sha256.Sum256([]byte(folder))
	return token(host) + "-" + hex.EncodeToString(sum[:4])
}

// counts holds the number of times this process refused each run, and the name of the process.
type counts struct {
	mu      sync.Mutex
	process string
	of      map[string]uint64
}

// name returns the name of the process.
func (c *counts) name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == "" {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		c.process = hex.EncodeToString(b[:])
	}
	return c.process
}

// next counts one more refusal of a run.
func (c *counts) next(run string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]uint64{}
	}
	c.of[run]++
	return c.of[run]
}

// refuse records on the server that this machine could not prepare a run, and returns the number of
// different machines that could not.
func (h *hand) refuse(ctx context.Context, base, id string, reason error) (machines int,
	count uint64, err error) {
	count = h.refused.next(base + "." + id)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := refusals(ctx, h.js); err != nil {
		return 0, count, err
	}
	text, err := json.Marshal(refusal{h.machine(), reason.Error(), count})
	if err != nil {
		return 0, count, err
	}
	subject := refusalsOf(base) + id + "." + h.machine() + "." + h.refused.name()
	if _, err := h.js.Publish(ctx, subject, text); err != nil {
		return 0, count, err
	}
	list, err := refusedBy(ctx, h.js, base, id)
	return len(machinesIn(list)), count, err
}

// refusedBy lists the subjects of the refusals of a run, or with "*" of all runs of an experiment.
func refusedBy(ctx context.Context, js jetstream.JetStream, base, id string) ([]string, error) {
	s, err := refusals(ctx, js)
	if err != nil {
		return nil, err
	}
	about, err := s.Info(ctx, jetstream.WithSubjectFilter(refusalsOf(base)+id+".*.*"))
	if err != nil {
		return nil, err
	}
	var list []string
	for subject := range about.State.Subjects {
		list = append(list, subject)
	}
	slices.Sort(list)
	return list, nil
}

// machinesIn returns the different machines in subjects of refusals, each with one of its subjects.
func machinesIn(subjects []string) map[string]string {
	list := map[string]string{}
	for _, s := range subjects {
		parts := strings.Split(s, ".")
		list[parts[len(parts)-2]] = s
	}
	return list
}

// vanished returns how many workers vanished with a run, which is the number of deliveries that no
// machine refused.
func (h *hand) vanished(ctx context.Context, base, id string, deliveries uint64) uint64 {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := refusedBy(ctx, h.js, base, id)
	if err != nil {
		return 0 // as long as it is unknown
	}
	deliveries--
	for _, subject := range list {
		r, _ := refusalAt(ctx, h.js, subject)
		deliveries -= min(r.Count, deliveries)
	}
	return deliveries
}

// refusalAt reads the refusal with a subject, and its number in the stream.
func refusalAt(ctx context.Context, js jetstream.JetStream, subject string) (r refusal,
	at uint64) {
	s, err := refusals(ctx, js)
	if err != nil {
		return r, at
	}
	m, err := s.GetLastMsgForSubject(ctx, subject)
	if err != nil || json.Unmarshal(m.Data, &r) != nil {
		return refusal{}, at
	}
	return r, m.Sequence
}

// purge removes refusals and attempts at a run, even if the crew ends meanwhile, so that a later
// sweep does not count them. A run whose refusals are removed must already have left the queue. If
// it came again, its deliveries would look like vanished workers.
func (h *hand) purge(ctx context.Context, subjects string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if s, err := refusals(ctx, h.js); err == nil {
		_ = s.Purge(ctx, jetstream.WithPurgeSubject(subjects)) // or they expire
	}
}

// leave decides about a run that could not be prepared here: it goes to another machine, unless too
// many different machines could not prepare it, or no machine can. Such a run is given the row.
func (h *hand) leave(ctx context.Context, base, id string, deliveries uint64, err error) (
	row sweep.Row, lost bool, wait time.Duration) {
	h.Log(fmt.Sprintf("run %s: %v", id, err))
	var here *refusedError
	if !errors.As(err, &here) { // the same everywhere
		return sweep.Row{Outcome: sweep.Lost, Cause: err.Error()}, deliveries >= Deliveries,
			h.Ping / 2
	}
	machines, count, e := h.refuse(ctx, base, id, err)
	if e != nil && ctx.Err() == nil {
		h.Log("that it was left to others cannot be stored: " + e.Error())
	}
	if machines < Deliveries {
		return row, false, h.Ping / 2 * time.Duration(min(count, 6))
	}
	return sweep.Row{Outcome: sweep.Lost, Cause: fmt.Sprintf(
		"%d machines could not prepare it; the last one: %v", machines, err)}, true, 0
}

// mostFailures is the number of successive failures to prepare a run after which a machine gives
// up.
const mostFailures = 5

// fitness tracks whether this machine can prepare runs. After a run that it could not prepare, the
// machine pauses and then tries a single run, doubling the pause each time.
type fitness struct {
	mu       sync.Mutex
	failures int
	next     time.Time // time before which no run is taken
	trying   bool
	why      error
}

// admit reports whether a worker may take a run, and whether that run is a trial.
func (f *fitness) admit(now time.Time) (ok, trial bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.failures == 0:
		return true, false
	case f.trying || now.Before(f.next):
		return false, false
	}
	f.trying = true
	return true, true
}

// release ends a trial for which no run arrived.
func (f *fitness) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trying = false
}

// settle records the result of preparing a run. Runs that were taken before the first failure add
// no information. It reports whether the machine gives up.
func (f *fitness) settle(err error, trial bool, pause time.Duration) (hopeless bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if trial {
		f.trying = false
	}
	var here *refusedError
	unfit := errors.As(err, &here) && here.unfit
	switch {
	case !unfit && (trial || f.failures == 0):
		f.failures, f.why = 0, nil
	case unfit && (trial || f.failures == 0):
		f.failures++
		f.why, f.next = err, time.Now().Add(pause<<(f.failures-1))
	}
	return f.failures >= mostFailures
}

// err returns the reason why the machine is currently unfit.
func (f *fitness) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failures == 0 {
		return nil
	}
	return fmt.Errorf("this machine cannot prepare runs, and takes no more of them: %w", f.why)
}
