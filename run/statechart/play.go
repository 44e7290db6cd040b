package statechart

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"strings"
	"time"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/draw"
	"gosmp/experiment/trial"
	"gosmp/internal/finding"
	"gosmp/report/signalpage"
	"gosmp/timebase"
)

// DefaultStop is the end of a run without a stop time, unless the machine ends earlier.
const DefaultStop = 3600 * timebase.Second

// Limits on the data kept for a timeline and a report.
const (
	mostRecords = 1_000_000
	longestText = 4 << 10
)

// Player runs one chart.
type Player struct {
	File string
	Text []byte
	Seed uint64
	Stop timebase.Time // 0 means DefaultStop, or no end while events come from a terminal
	Log  io.Writer     // receives a line for each record

	system  *scxml.System
	machine *scxml.Machine
	chart   *scxml.Chart
	judge   *trial.Alone
	fault   string // the first error that a check finds in the chart
	hash    hash.Hash
	records []scxml.Record // the newest records
	made    int            // total number of records
	failed  error          // of Log
}

// Summary is the outcome of a run. Its JSON form is part of the command's contract.
type Summary struct {
	Kind      string   `json:"kind"` // "statechart"
	File      string   `json:"file"`
	SHA256    string   `json:"sha256"` // of the file
	Seed      uint64   `json:"seed"`
	Time      float64  `json:"time"`    // reached, in seconds
	Outcome   string   `json:"outcome"` // the id of the final state, or undecided
	Result    any      `json:"result"`  // donedata of the final state
	States    []string `json:"states"`  // active atomic states at the end
	Records   int      `json:"records"`
	TraceHash string   `json:"traceHash"` // SHA-256 of the log
	// an error, or why the outcome is undecided: an unhandled error, what the machine waits for, or
	// Fault
	Cause string `json:"cause,omitempty"`
	// the first error that [Check] finds in the chart; because of it, only a failure counts
	Fault      string               `json:"fault,omitempty"`
	Errors     []trial.MachineError `json:"errors,omitempty"` // unhandled errors
	MoreErrors int                  `json:"moreErrors,omitempty"`
}

// Open reads the chart and starts the machine, which ends with the context, also later.
func (p *Player) Open(ctx context.Context) error {
	c, err := scxml.Parse(p.File, p.Text, config(p.File))
	if err != nil {
		return err
	}
	p.chart, p.hash, p.fault = c, sha256.New(), p.faulty()
	write := scxml.WriteLog(io.MultiWriter(p.hash, p.Log), &p.failed)
	name := cmp.Or(c.Name, "machine")
	p.judge = trial.NewAlone(name, p.File)
	// Requests from the chart to an experiment become lines in the log.
	alone := map[string]scxml.Processor{
		experiment.Processor: func(scxml.Message) error { return nil },
	}
	p.system = scxml.NewSystem(
		scxml.Options{Seed: p.Seed, Processors: alone, Observe: func(r scxml.Record) {
			p.made++
			p.judge.See(r)
			p.records = scxml.Keep(p.records, r, mostRecords, longestText)
			write(r)
		}},
	)
	p.system.EndWith(ctx)
	if p.machine, err = p.system.Add(name, c); err != nil {
		return err
	}
	return p.machine.Start()
}

// faulty returns the first error of the chart as a cause, or "". The standard wants charts with
// texts that do not parse to run, but what such a text guards may then never be judged.
func (p *Player) faulty() string {
	for _, f := range Check(p.File, p.Text, nil) {
		if f.Severity == finding.Error {
			return fmt.Sprintf("%s: %s [%s]", f.Place, f.Message, f.ID)
		}
	}
	return ""
}

// Play sends a list of events to the machine and runs it until it ends, until no more events are
// pending, or until the stop time.
func (p *Player) Play(events []Timed) error {
	stop := p.stop()
	for _, e := range events {
		if e.At > stop || !p.machine.Running() {
			break
		}
		if err := p.until(e.At, true); err != nil {
			return err
		}
		if !p.machine.Running() {
			break
		}
		if err := errors.Join(p.machine.Post(e.Event), p.system.Settle()); err != nil {
			return err
		}
	}
	return p.finish()
}

// stop returns the end of a run that does not end in another way.
func (p *Player) stop() timebase.Time {
	if p.Stop > 0 {
		return p.Stop
	}
	return DefaultStop
}

// finish runs the machine to the end once there are no more external events.
func (p *Player) finish() error { return errors.Join(p.until(p.stop(), p.Stop > 0), p.failed) }

// until handles all events that are due, one instant at a time. If the machine ends, the clock
// stays there. Otherwise the clock moves to end or, without move, stays at the last event.
func (p *Player) until(end timebase.Time, move bool) error {
	for p.machine.Running() && p.failed == nil {
		due, ok := p.system.Next()
		if !ok || due > end {
			break
		}
		if err := p.system.Advance(due); err != nil {
			return err
		}
	}
	if move && p.machine.Running() {
		return p.system.Advance(end)
	}
	return nil
}

// Interact runs the machine in real time. Each line of in is an event that occurs when it is read.
// After the end of the input, Interact handles all remaining events at once. It ends like
// [Player.Play], or with the context.
func (p *Player) Interact(ctx context.Context, in io.Reader, complain func(error)) error {
	lines, broken := make(chan string), make(chan error, 1)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, longestLine)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
		broken <- s.Err()
	}()
	begin := time.Now()
	for p.machine.Running() && p.failed == nil {
		var alarm <-chan time.Time
		if due, ok := p.wake(); ok {
			alarm = time.After(time.Duration(due) - time.Since(begin))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-alarm:
			if err := p.advance(begin); err != nil {
				return err
			}
			if p.Stop > 0 && p.system.Now() >= p.Stop {
				return nil
			}
		case line, open := <-lines:
			if !open {
				select {
				case <-ctx.Done():
					return nil
				case err := <-broken:
					return p.ended(begin, err)
				}
			}
			if err := p.line(begin, line, complain); err != nil {
				return err
			}
		}
	}
	return p.failed
}

// ended handles the remaining events after the end of the input.
func (p *Player) ended(begin time.Time, err error) error {
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if err := p.advance(begin); err != nil {
		return err
	}
	return p.finish()
}

// wake returns the time at which an event or the end is due next.
func (p *Player) wake() (timebase.Time, bool) {
	due, ok := p.system.Next()
	if p.Stop > 0 && (!ok || p.Stop < due) {
		return p.Stop, true
	}
	return due, ok
}

// advance moves the machine's clock to the wall clock.
func (p *Player) advance(begin time.Time) error {
	now := timebase.Time(time.Since(begin))
	if p.Stop > 0 {
		now = min(now, p.Stop)
	}
	return p.system.Advance(max(now, p.system.Now()))
}

func (p *Player) line(begin time.Time, line string, complain func(error)) error {
	if err := p.advance(begin); err != nil || !p.machine.Running() {
		return err
	}
	if line == "" {
		return nil
	}
	e, err := ParseEvent(line)
	if err != nil {
		complain(fmt.Errorf("%q: expected %w", line, err))
		return nil
	}
	if err := p.machine.Post(e); err != nil {
		return err
	}
	return p.system.Settle()
}

// Timeline draws the recorded states.
func (p *Player) Timeline(w io.Writer) error { return draw.Timeline(w, p.records) }

// Report writes a page with the recorded states.
func (p *Player) Report(w io.Writer) error {
	r := signalpage.New(filepath.Base(p.File))
	s := p.Summary(nil)
	if s.Cause != "" {
		r.Outcome, r.Text = s.Outcome, s.Cause
	}
	for _, e := range s.Errors {
		r.Details = append(r.Details, signalpage.Detail{Name: "unhandled error", Text: e.String()})
	}
	end := timebase.Time(0)
	if p.system != nil {
		end = p.system.Now()
	}
	r.States(p.records, end)
	return r.Write(w)
}

// Summary summarizes a run that ended with err.
func (p *Player) Summary(err error) Summary {
	sum := sha256.Sum256(p.Text)
	s := Summary{
		Kind:    "statechart",
		File:    p.File,
		SHA256:  hex.EncodeToString(sum[:]),
		Seed:    p.Seed,
		Records: p.made,
	}
	if p.machine != nil {
		s.Time, s.States = p.system.Now().Seconds(), p.machine.Configuration()
		final, data := p.machine.Outcome()
		s.Errors, s.MoreErrors = p.judge.Errors()
		s.Outcome, s.Cause = cmp.Or(final, trial.Undecided), p.judge.Cause(p.machine)
		s.Fault = p.fault
		if (len(s.Errors) > 0 || s.Fault != "") && !p.Failed() {
			s.Outcome = trial.Undecided
		}
		if s.Fault != "" && s.Outcome == trial.Undecided { // a failure has its own cause
			s.Cause = strings.TrimSuffix(s.Fault+"; a statechart with errors can be run, but not "+
				"judged; "+s.Cause, "; ")
		}
		if e := data.Decode(&s.Result); e != nil {
			s.Result = data.Display()
		}
		s.TraceHash = hex.EncodeToString(p.hash.Sum(nil))
	}
	if err != nil {
		s.Cause = err.Error()
	}
	return s
}

// Line returns the outcome and its cause in one line.
func (s *Summary) Line() string {
	text := fmt.Sprintf("%s: %s at %v s", s.File, s.Outcome, s.Time)
	if s.Cause != "" {
		text += ": " + strings.ReplaceAll(s.Cause, "\n", "; ")
	}
	return text
}

// Failed reports whether the verdict of the machine is negative: it ended in a final state
// "failure" (X35).
func (p *Player) Failed() bool {
	final, _ := p.machine.Outcome()
	return final == "failure"
}
