package sweep

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The outcomes of a run, which are a closed set. All but the last two are outcomes of an
// experiment's verdict.
const (
	Passed    = "passed"
	Finished  = "finished"  // reached its own end, without anything to judge it, such as an FMU
	Failed    = "failed"    // the verdict
	Undecided = "undecided" // an evaluation machine did not decide
	Timeout   = "timeout"   // the experiment's timeout, undecided until then
	Faulty    = "error"     // a participant or the experiment failed
	// the process of the run died in every attempt, or its machine had no space left.
	Lost = "lost"
	Hung = "hung" // the run took longer than the plan allows, in every attempt
)

// Outcomes lists all outcomes, in the order in which reports count them.
var Outcomes = []string{Passed, Finished, Failed, Undecided, Timeout, Faulty, Lost, Hung}

// Good reports whether nothing is wrong with a run of that outcome.
func Good(outcome string) bool { return outcome == Passed || outcome == Finished }

// Row is the result of a run. None of its fields except Elapsed and Notes depends on when, where
// and how fast it ran.
type Row struct {
	ID        string             `json:"id"`
	Outcome   string             `json:"outcome"`
	Cause     string             `json:"cause,omitempty"`
	Seed      uint64             `json:"seed"`
	Time      float64            `json:"time"` // s, simulated
	Steps     int64              `json:"steps"`
	TraceHash string             `json:"traceHash,omitempty"`
	Metrics   map[string]float64 `json:"metrics,omitempty"` // of state machines: MACHINE.NAME
	// about variables that were not numbers
	Warnings []string `json:"warnings,omitempty"`
	// s of real time of the last attempt; in [DurationsFile] only
	Elapsed float64 `json:"elapsed,omitempty"`
	// FMUs that need a new process for each run, as the process of this run found, with a sentence
	// about each; in [DurationsFile] only
	Notes map[string]string `json:"notes,omitempty"`
}

// ID returns the id of a run; base is a digest of the experiment's files and the version of gosmp.
func (c *Case) ID(base string) string {
	text := make([]byte, 0, 256)
	write := func(part string) {
		text = append(append(append(strconv.AppendInt(text, int64(len(part)), 10), ':'), part...),
			',')
	}
	write(base)
	for _, s := range c.Set {
		write(s.Name)
		write(s.Value)
	}
	write(strconv.FormatUint(c.Seed, 10))
	for _, f := range c.Files {
		write(f.Name)
		write(f.Digest)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:10])
}

// Result is a case with its row.
type Result struct {
	Case Case
	Row  Row
}

// Results yields the rows of cases, in the order of the cases. Cases without a row are left out.
// Another goroutine reads ahead.
func Results(cases []Case, row func(Case) (Row, bool)) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		stop, chunks := make(chan struct{}), make(chan []Result, 1)
		defer func() {
			close(stop)
			for range chunks { // until the reader has ended
			}
		}()
		go func() {
			defer close(chunks)
			for part := range slices.Chunk(cases, 256) {
				list := make([]Result, 0, len(part))
				for _, c := range part {
					if r, ok := row(c); ok {
						list = append(list, Result{c, r})
					}
				}
				select {
				case chunks <- list:
				case <-stop:
					return
				}
			}
		}()
		for list := range chunks {
			for _, r := range list {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Decided returns how many of the cases count: all of them, or the ones, in the order of the table,
// up to the run that reaches the limit that ends the sweep. The result does not depend on the order
// in which the runs ended.
func (p *Plan) Decided(cases []Case, row func(Case) (Row, bool)) (n int, stopped bool) {
	if !p.Stop.Early() {
		return len(cases), false
	}
	ending := 0
	for k, c := range cases {
		if r, ok := row(c); ok && p.Stop.counts(r.Outcome) {
			if ending++; ending == p.Stop.limit() {
				return k + 1, true
			}
		}
	}
	return len(cases), false
}

// Settled follows the cases, starting with the first one, as their rows arrive.
type Settled struct {
	plan   *Plan
	at     int // the first case without a row, among those examined so far
	ending int // runs before it that count towards the end of the sweep
}

// Settled returns a Settled without any rows yet.
func (p *Plan) Settled() *Settled { return &Settled{plan: p} }

// Enough reports whether the cases up to the first one without a row contain enough failures or
// passes to end the sweep. Each case is counted once, so that all calls together take linear time.
func (s *Settled) Enough(cases []Case, row func(Case) (Row, bool)) bool {
	stop := s.plan.Stop
	if !stop.Early() {
		return false
	}
	for ; s.ending < stop.limit() && s.at < len(cases); s.at++ {
		r, ok := row(cases[s.at])
		if !ok {
			return false
		}
		if stop.counts(r.Outcome) {
			s.ending++
		}
	}
	return s.ending >= stop.limit()
}

// MetricNames returns the names of the metrics of all results, sorted.
func MetricNames(results iter.Seq[Result]) []string {
	names := map[string]bool{}
	for r := range results {
		for name := range r.Row.Metrics {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// columns holds the columns of a table that come from neither a parameter nor a metric. The
// parameters come after the first column.
var columns = []string{"case", "seed", "outcome", "cause", "time", "steps", "traceHash", "id"}

// WriteCSV writes a line for each result: the number of the case, the parameters, the row, the
// metrics with these names, and the warnings if there are any. Column names are unique: if a
// parameter has the name of a metric, the metric's column gets the prefix "result ".
func (p *Plan) WriteCSV(w io.Writer, names []string, warned bool, results iter.Seq[Result]) error {
	if warned {
		names = append(slices.Clone(names), "warnings")
	}
	head := []string{columns[0]}
	for _, x := range p.Parameters {
		head = append(head, x.Name)
	}
	head = append(head, columns[1:]...)
	for _, name := range names {
		if slices.Contains(head, name) {
			name = "result " + name
		}
		head = append(head, name)
	}
	out := csv.NewWriter(w)
	_ = out.Write(head) // Flush keeps the error
	for r := range results {
		line := []string{strconv.Itoa(r.Case.Index + 1)}
		for _, v := range r.Case.Values {
			line = append(line, Text(v))
		}
		line = append(line, strconv.FormatUint(r.Row.Seed, 10), r.Row.Outcome, r.Row.Cause,
			Text(r.Row.Time), strconv.FormatInt(r.Row.Steps, 10), r.Row.TraceHash, r.Row.ID)
		for k, name := range names {
			v, ok := r.Row.Metrics[name]
			switch {
			case warned && k == len(names)-1:
				line = append(line, strings.Join(r.Row.Warnings, "; "))
			case ok:
				line = append(line, Text(v))
			default:
				line = append(line, "")
			}
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// WriteJSON writes one JSON document per line for each result.
func (p *Plan) WriteJSON(w io.Writer, results iter.Seq[Result]) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for r := range results {
		parameters := map[string]any{}
		for k, x := range p.Parameters {
			parameters[x.Name] = r.Case.Values[k]
		}
		set := make([]string, len(r.Case.Set))
		for k, s := range r.Case.Set {
			set[k] = s.Name + "=" + s.Value
		}
		// the bytes of the results must not depend on how the runs were computed
		r.Row.Elapsed, r.Row.Notes = 0, nil
		if err := e.Encode(writtenRow{r.Case.Index + 1, parameters, set, r.Row}); err != nil {
			return err
		}
	}
	return nil
}

// Duration is the duration of a run.
type Duration struct {
	Case    int32 // index of the case
	Seconds float32
}

// WriteDurations writes a line of CSV for each run: the number of the case and the seconds of real
// time and, if there are notes, the note that the run contributes. A note belongs to the index of a
// case.
func WriteDurations(w io.Writer, list []Duration, notes map[int32]string) error {
	out := csv.NewWriter(w)
	line := []string{"case", "seconds", "note"}
	if len(notes) == 0 {
		line = line[:2]
	}
	_ = out.Write(line) // Flush keeps the error
	for _, d := range list {
		line[0] = strconv.Itoa(int(d.Case) + 1)
		line[1] = strconv.FormatFloat(float64(d.Seconds), 'f', 3, 32)
		if len(notes) > 0 {
			line[2] = notes[d.Case]
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}
