package sweep

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/internal/tabular"
)

// ErrResults is the kind of errors about folders with results.
var ErrResults = errors.New("unusable results")

// The files of a folder with results.
const (
	AboutFile     = "sweep.json"    // an [About]
	RowsFile      = "results.jsonl" // what [Plan.WriteJSON] writes
	TableFile     = "results.csv"   // what [Plan.WriteCSV] writes
	DurationsFile = "durations.csv" // from [WriteDurations]; differs between sweeps
)

// aboutVersion is the format of [AboutFile].
const aboutVersion = 1

// About describes the common part of the results of a sweep. Like the results, it does not depend
// on how the runs were computed.
type About struct {
	FormatVersion int    `json:"formatVersion"` // 1
	Plan          string `json:"plan"`          // the file, as given to the sweep
	// the file, as named in commands that repeat runs
	Experiment string `json:"experiment"`
	// folders with FMUs that are not at the paths in the experiment
	Library    []string `json:"libraryPath,omitempty"`
	Parameters []string `json:"parameters"` // in the order of the plan
	Cases      int      `json:"cases"`      // runs of the sweep or of its shard
	Finished   int      `json:"finished"`   // rows
	Stopped    bool     `json:"stopped"`    // early, by the runs that failed or passed
	// SHA-256 of [RowsFile], in hexadecimal; "" in results of earlier versions
	Checksum string `json:"checksum,omitempty"`
}

// About describes results of the plan.
func (p *Plan) About(experiment string, cases, finished int, stopped bool) About {
	a := About{FormatVersion: aboutVersion, Plan: p.File, Experiment: experiment,
		Parameters: []string{}, Cases: cases, Finished: finished, Stopped: stopped}
	for _, x := range p.Parameters {
		a.Parameters = append(a.Parameters, x.Name)
	}
	return a
}

// Write writes the description as JSON.
func (a About) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(a)
}

// resultsError returns an error in a file of a folder with results.
func resultsError(file string, line int, found, expected string) error {
	return fault.New(ErrResults, fault.Line(file, line), found, expected).
		WithHint("let gosmp sweep write the results again; finished runs are not computed again")
}

// ReadResults reads the folder written by a sweep. Errors are of the kind [ErrResults].
func ReadResults(dir string) (*About, []Result, error) {
	a, err := readAbout(filepath.Join(dir, AboutFile))
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Join(dir, RowsFile)
	f, err := openResult(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	sum := sha256.New()
	list, err := a.readRows(name, io.TeeReader(f, sum))
	if err == nil && len(list) != a.Finished {
		err = resultsError(name, 0, quantity.Of(len(list), "row"),
			fmt.Sprintf("the %d that %s names", a.Finished, AboutFile))
	}
	if err == nil && a.Checksum != "" && a.Checksum != hex.EncodeToString(sum.Sum(nil)) {
		err = resultsError(name, 0, "a file that has changed since the sweep wrote it",
			"the rows whose checksum "+AboutFile+" states")
	}
	if err == nil {
		err = readDurations(filepath.Join(dir, DurationsFile), list)
	}
	return a, list, err
}

// readDurations records the durations of runs, and the notes, if the file exists.
func readDurations(name string, list []Result) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	index := make(map[int]int, len(list))
	for k, r := range list {
		index[r.Case.Index] = k
	}
	lines := tabular.NewReader(f)
	lines.FieldsPerRecord = 0 // as many as in the header: 2, or 3 with notes
	for header := true; ; header = false {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			n := 0
			if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
				n = wrong.StartLine
			}
			return fault.New(ErrResults, fault.Line(name, n), "",
				"the number of a case and seconds").WithCause(err)
		}
		n, _ := lines.FieldPos(0) // a note may have several lines
		if len(fields) != 2 && len(fields) != 3 {
			return resultsError(name, n, quantity.Of(len(fields), "column"), "two or three")
		}
		if header {
			continue
		}
		number, e := strconv.Atoi(fields[0])
		seconds, err := decimal.Float(fields[1], 64)
		if e != nil || err != nil || !finite(seconds) || seconds < 0 {
			return resultsError(name, n, fmt.Sprintf("%q and %q", fields[0], fields[1]),
				"the number of a case and seconds")
		}
		if k, ok := index[number-1]; ok {
			list[k].Row.Elapsed = seconds
			if len(fields) == 3 && fields[2] != "" {
				list[k].Row.Notes = map[string]string{"": fields[2]}
			}
		}
	}
}

// openResult opens a file of the results.
func openResult(name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil,
			resultsError(name, 0, "no such file",
				fmt.Sprintf("the folder with %s and %s that gosmp sweep writes", AboutFile,
					RowsFile))
	}
	return f, err
}

func readAbout(name string) (*About, error) {
	f, err := openResult(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, largestPlan+1))
	if err != nil {
		return nil, err
	}
	a := &About{}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fault.New(ErrResults, fault.In(name), "", "the description of a sweep as JSON").
			WithCause(err)
	}
	if a.FormatVersion != aboutVersion || a.Experiment == "" {
		return nil,
			resultsError(name, 0,
				fmt.Sprintf("formatVersion %d and the experiment %q", a.FormatVersion,
					a.Experiment), fmt.Sprintf("formatVersion %d and the file of an experiment",
					aboutVersion))
	}
	return a, nil
}

// longestRow bounds a line, in bytes.
const longestRow = 16 << 20

// readRows reads a row from each line.
func (a *About) readRows(name string, from io.Reader) (list []Result, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longestRow)
	before := -1
	n := 0
	for lines.Scan() {
		n++
		r, err := a.readRow(name, n, lines.Bytes())
		if err != nil {
			return nil, err
		}
		if r.Case.Index <= before {
			return nil,
				resultsError(name, n,
					fmt.Sprintf("case %d after case %d", r.Case.Index+1, before+1),
					"cases in the order of the table, each once")
		}
		before = r.Case.Index
		list = append(list, r)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, resultsError(name, n+1, fmt.Sprintf("a line of more than %d bytes", longestRow),
			"a row")
	}
	return list, lines.Err()
}

// writtenRow is a line of the rows file, as written by [Plan.WriteJSON].
type writtenRow struct {
	Case       int            `json:"case"`
	Parameters map[string]any `json:"parameters"`
	Set        []string       `json:"set"`
	Row
}

func (a *About) readRow(name string, line int, text []byte) (Result, error) {
	var w writtenRow
	if err := json.Unmarshal(bytes.TrimSpace(text), &w); err != nil {
		return Result{}, fault.New(ErrResults, fault.Line(name, line), "", "a row as JSON").
			WithCause(err)
	}
	switch {
	case w.Case < 1 || !slices.Contains(Outcomes, w.Outcome):
		return Result{},
			resultsError(name, line, fmt.Sprintf("case %d and outcome %q", w.Case, w.Outcome),
				"a case of at least 1, and one of the outcomes "+strings.Join(Outcomes, ", "))
	case len(w.Parameters) != len(a.Parameters):
		return Result{},
			resultsError(name, line, fmt.Sprintf("%d parameters", len(w.Parameters)),
				fmt.Sprintf("the %d that %s names", len(a.Parameters), AboutFile))
	}
	r := Result{Case: Case{Index: w.Case - 1, Seed: w.Seed}, Row: w.Row}
	for _, p := range a.Parameters {
		v, ok := w.Parameters[p]
		switch v.(type) {
		case float64, string, bool:
		default:
			ok = false
		}
		if !ok {
			return Result{},
				resultsError(name, line, fmt.Sprintf("%v as the value of %s", v, p),
					"a number, a text, true or false")
		}
		r.Case.Values = append(r.Case.Values, v)
	}
	for _, s := range w.Set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return Result{}, resultsError(name, line, fmt.Sprintf("%q in set", s), "NAME=VALUE")
		}
		r.Case.Set = append(r.Case.Set, Setting{key, value})
	}
	return r, nil
}
