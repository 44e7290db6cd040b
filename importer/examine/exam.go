package examine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// Options control how an FMU is examined.
type Options struct {
	Time time.Duration // when it ends; 0: 60 s
	// Limit is the time after which a call of the FMU counts as endless, except in trials of calls
	// that often are. 0: 50 times as long as the longest call of a life, but 3 to 10 s.
	Limit    time.Duration
	Lives    int      // number of lives after which resources are compared; 0: 180
	Only     []string // ids of rules, "FMI2-R9" or "R9"; empty: all
	Progress func(done, all int, now string)
	// Found receives each refuted rule as a finding as soon as its verdict is certain. The order is
	// the same in each examination, but it is not the order of the rules. Calls of Found and
	// Progress do not overlap. Both may be nil.
	Found func(finding.Finding)
}

// exam is an examination in progress.
type exam struct {
	s        *subject
	o        Options
	ctx      context.Context
	file     string
	begun    time.Time
	deadline time.Time
	scratch  string

	mu        sync.Mutex
	processes int
	folders   int
	mistakes  []string // of the examiner
	err       error

	plain, driven *run            // ordinary lives of n steps with which others are compared
	before        map[string]bool // files of memory and queues that others have created
	n             int             // number of steps of most lives
	broken        string          // the rule that explains why there is no ordinary life
}

// trial tests one or more rules.
type trial struct {
	rules []string
	// lacks explains why the trial cannot be made with this FMU. It is empty if the trial can be
	// made.
	lacks func(x *exam) string
	make  func(a *attempt)
	// alone means that the trial does not need an ordinary life.
	alone bool
}

// attempt is a trial in progress.
type attempt struct {
	x        *exam
	s        *subject
	outcomes []outcome
	heard    []outcome // observed in the runs of the trial
	expired  bool      // a run ended, or was not begun, because the examination ran out of time
	late     int       // number of outcomes before that
	judged   int       // number of calls that had to be refused
}

// outcome is the result of an attempt for one rule.
type outcome struct {
	rule     string
	outcome  Outcome
	severity finding.Severity
	why      string
	found    string
	expected string
	cause    string // of a crash: the signal and the function
	unless   string // a rule whose refutation explains this one
	timeless bool   // there was no time left to test all that belongs to the rule
	play     *play
	run      *run // of play
	at       int  // the operation that demonstrates this
	evidence *evidence
	note     string // what a shorter script shows
}

// Examine examines an FMU. An error comes from importer.Open or from the host, and means that
// nothing is known about the FMU.
func Examine(ctx context.Context, path string, o Options) (*Report, error) {
	x, remove, err := open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer remove()
	outcomes := x.all()
	if x.err != nil {
		return nil, x.err
	}
	r := x.report(outcomes)
	if f, is := r.untested(); is && o.Found != nil && ctx.Err() == nil {
		o.Found(f)
	}
	return r, nil
}

// open opens an FMU for an examination; remove deletes the unpacked files.
func open(ctx context.Context, path string, o Options) (x *exam, remove func(), err error) {
	if err := probe.Supported(); err != nil {
		return nil, nil, err
	}
	o.Time = cmp.Or(o.Time, time.Minute)
	x = &exam{o: o, ctx: ctx, file: path, begun: time.Now(), broken: "R2"}
	x.deadline, x.before = x.begun.Add(o.Time), lastingFiles()
	if x.scratch, err = os.MkdirTemp("", "gosmp-examine-"); err != nil {
		return nil, nil, err
	}
	remove = func() { _ = removeAll(x.scratch) } // an FMU may keep a file open in it
	if x.s, err = newSubject(path, filepath.Join(x.scratch, "fmu")); err != nil {
		remove()
		return nil, nil, err
	}
	x.n = x.s.steps(5, x.s.step)
	return x, remove, nil
}

// report builds the report from the outcomes.
func (x *exam) report(outcomes []outcome) *Report {
	s := x.s
	return &Report{File: x.file, SHA256: s.fmu.SHA256, Model: s.model.ModelName,
		Tool: s.model.GenerationTool, Version: s.model.FMIVersion, Platform: s.fmu.Platform,
		Verdicts: x.verdicts(outcomes), Time: time.Since(x.begun), Trials: x.processes,
		mistakes: x.mistakes}
}

// removeAll removes a folder whose permissions an FMU may have restricted.
func removeAll(folder string) error {
	_ = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) // any error appears when the folder is removed
		}
		return nil
	})
	return os.RemoveAll(folder)
}

// wanted reports whether a trial tests any of the requested rules.
func (x *exam) wanted(t *trial) bool {
	if len(x.o.Only) == 0 {
		return true
	}
	return slices.ContainsFunc(t.rules, func(id string) bool {
		return slices.Contains(x.o.Only, id) || slices.Contains(x.o.Only, full(x.s.major, id))
	})
}

// all makes all trials: first the ones on which others rely, then the rest concurrently.
func (x *exam) all() []outcome {
	first, rest := trialsOf(x.s)
	rest = slices.DeleteFunc(rest, func(t trial) bool { return !x.wanted(&t) })
	l := x.newLedger(slices.Concat(first, rest))
	for k := range first {
		l.make(k)
	}
	jobs := make(chan int)
	var wait sync.WaitGroup
	for range max(1, min(4, runtime.NumCPU())) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for k := range jobs {
				l.make(k)
			}
		}()
	}
	for k := range rest {
		jobs <- len(first) + k
	}
	close(jobs)
	wait.Wait()
	return l.outcomes
}

// attempt makes a trial and repeats it if it refutes a rule.
func (x *exam) attempt(t *trial) *result {
	late := x.ctx.Err() == nil && time.Now().After(x.deadline)
	if late && x.driven == nil { // not known yet what hinders the trial
		return &result{outcomes: x.unfinished(t)}
	}
	if why := x.hindrance(t); why != "" {
		return &result{outcomes: skipAll(t, why)}
	}
	if late {
		return &result{outcomes: x.unfinished(t)}
	}
	a := &attempt{x: x, s: x.s}
	t.make(a)
	a.unlessExpired(t)
	refuted := slices.ContainsFunc(a.outcomes, func(o outcome) bool { return o.outcome == Refuted })
	if !refuted || x.ctx.Err() != nil {
		return &result{a.outcomes, a.heard}
	}
	again := &attempt{x: x, s: x.s, heard: a.heard}
	t.make(again)
	if again.expired {
		return &result{a.unrepeated(), again.heard}
	}
	a.compare(again)
	return &result{a.outcomes, again.heard}
}

// compare weakens the refutations that a second attempt did not show.
func (a *attempt) compare(again *attempt) {
	for k := range a.outcomes {
		o := &a.outcomes[k]
		repeated := slices.ContainsFunc(again.outcomes, func(b outcome) bool {
			return b.rule == o.rule && b.outcome == Refuted
		})
		switch {
		case o.outcome != Refuted || repeated:
		case strings.HasPrefix(o.found, noAnswer):
			// the machine was busy
			o.outcome, o.why = NotTested, o.found+"; a second attempt did not show it"
		default:
			o.severity = finding.Note
			o.found += "; a second attempt did not show it"
		}
	}
}

func skipAll(t *trial, why string) (list []outcome) {
	for _, rule := range t.rules {
		list = append(list, outcome{rule: rule, outcome: NotTested, why: why})
	}
	return list
}

// noLife explains why a rule cannot be tested without an ordinary life.
func (x *exam) noLife() string {
	return "an ordinary life does not work, see " + full(x.s.major, x.broken)
}

// hindrance explains why a trial cannot be made.
func (x *exam) hindrance(t *trial) string {
	switch {
	case x.ctx.Err() != nil:
		return "the examination was ended"
	case !t.alone && x.plain == nil:
		return x.noLife()
	case t.lacks != nil:
		return t.lacks(x)
	}
	return ""
}

// play runs a script in a new process, in an empty working directory.
func (a *attempt) play(p *play, readings ...reading) *run {
	return a.playWith(p, probe.Options{}, readings...)
}

func (a *attempt) playWith(p *play, o probe.Options, readings ...reading) *run {
	x := a.x
	given := o
	if !time.Now().Before(x.deadline) {
		return a.tooLate(p, readings)
	}
	x.mu.Lock()
	x.processes++
	x.folders++
	x.mistakes = append(x.mistakes, p.illegal...)
	o.Dir = filepath.Join(x.scratch, fmt.Sprintf("work%d", x.folders))
	x.mu.Unlock()
	o.Limit, o.All = x.limits(o.Limit)
	err := os.Mkdir(o.Dir, 0o755)
	var result *probe.Result
	if err == nil {
		result, err = probe.Run(x.ctx, p.ops, o)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		x.mu.Lock()
		x.err = cmp.Or(x.err, err)
		x.mu.Unlock()
	}
	if result == nil {
		result = &probe.Result{Records: make([]probe.Record, len(p.ops)), Stopped: -1, Last: -1}
	}
	if result.Expired {
		a.expire()
	}
	for k := range result.Messages {
		result.Messages[k].Text = x.unlocated(result.Messages[k].Text)
	}
	r := &run{Result: result, play: p, readings: readings, options: given}
	a.listen(r)
	if entries, err := os.ReadDir(o.Dir); err == nil {
		for _, e := range entries {
			r.files = append(r.files, e.Name())
		}
	}
	return r
}

// proved records that a rule holds.
func (a *attempt) proved(rule string) { a.remark(rule, "") }

// remark records that a rule holds, with a remark.
func (a *attempt) remark(rule, text string) {
	a.outcomes = append(a.outcomes, outcome{rule: rule, outcome: Proved, why: text})
}

// untested records why a rule was not tested.
func (a *attempt) untested(rule, format string, values ...any) {
	a.outcomes = append(a.outcomes, outcome{rule: rule, outcome: NotTested,
		why: fmt.Sprintf(format, values...)})
}

// refuted records that operation at of a run refutes a rule.
func (a *attempt) refuted(rule string, r *run, at int, expected, format string,
	values ...any) *outcome {
	o := outcome{rule: rule, outcome: Refuted, severity: -1, found: fmt.Sprintf(format, values...),
		expected: expected, at: at}
	if r != nil {
		o.play, o.run = r.play, r
	}
	a.outcomes = append(a.outcomes, o)
	return &a.outcomes[len(a.outcomes)-1]
}

// explained marks all outcomes from the given index on: they count only if the given rule is not
// refuted.
func (a *attempt) explained(rule string, from int) {
	for k := from; k < len(a.outcomes); k++ {
		a.outcomes[k].unless = rule
	}
}

// as changes the severity of a refutation.
func (o *outcome) as(s finding.Severity) { o.severity = s }
