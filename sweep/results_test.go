package sweep_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/sweep"
)

const resultsPlan = `
experiment: braking.exc
parameters:
  gap: {from: 10, to: 30, step: 0.1}
  surface: {values: [dry, "a=b <", true, 3]}
  sensor.nominalrange: {values: [80.5, 1e300]}
set:
  lead.text: surface + "=" + gap
`

// save writes results in the same way as gosmp sweep.
func save(t require.TestingT, dir string, p *sweep.Plan, results []sweep.Result, cases int) {
	var rows, about bytes.Buffer
	require.NoError(t, p.WriteJSON(&rows, slices.Values(results)))
	require.NoError(t, p.About("there/braking.exc", cases, len(results), true).Write(&about))
	require.NoError(t, os.WriteFile(filepath.Join(dir, sweep.RowsFile), rows.Bytes(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, sweep.AboutFile), about.Bytes(), 0o600))
}

// TestWriteCSV_NamesEachColumnOnce: programs find columns by their names.
func TestWriteCSV_NamesEachColumnOnce(t *testing.T) {
	p := read(t, "experiment: braking.exc\nparameters:\n  judge.limit: {values: [3]}\n")
	cases, err := p.Cases()
	require.NoError(t, err)
	results := []sweep.Result{{Case: cases[0], Row: sweep.Row{ID: "a", Outcome: sweep.Passed,
		Metrics: map[string]float64{"judge.limit": 4, "judge.gap": 5}}}}
	var out bytes.Buffer
	require.NoError(t, p.WriteCSV(&out, []string{"judge.gap", "judge.limit"}, false,
		slices.Values(results)))
	require.Equal(t,
		"case,judge.limit,seed,outcome,cause,time,steps,traceHash,id,judge.gap,result "+
			"judge.limit\n1,3,0,passed,,0,0,,a,5,4\n", out.String())
}

// TestMetricNames: there is a column for each metric of any run; a run without it has an empty
// cell.
func TestMetricNames(t *testing.T) {
	p := read(t, "experiment: braking.exc\nparameters:\n  lead.gap: {values: [3, 4]}\n")
	cases, err := p.Cases()
	require.NoError(t, err)
	results := slices.Values([]sweep.Result{
		{Case: cases[0], Row: sweep.Row{ID: "a", Outcome: sweep.Failed, Cause: "a<b & c",
			Metrics: map[string]float64{"b": 1, "a": 2}}},
		{Case: cases[1], Row: sweep.Row{ID: "b", Outcome: sweep.Lost,
			Metrics: map[string]float64{"c": 3}}}})
	names := sweep.MetricNames(results)
	require.Equal(t, []string{"a", "b", "c"}, names)
	var out bytes.Buffer
	require.NoError(t, p.WriteCSV(&out, names, false, results))
	require.Equal(t, "case,lead.gap,seed,outcome,cause,time,steps,traceHash,id,a,b,c\n"+
		"1,3,0,failed,a<b & c,0,0,,a,2,1,\n2,4,0,lost,,0,0,,b,,,3\n", out.String())
	out.Reset()
	require.NoError(t, p.WriteJSON(&out, results))
	require.Contains(t, out.String(), `"cause":"a<b & c"`)
	require.NotContains(t, out.String(), "warnings")
	require.ErrorIs(t, p.WriteJSON(full{}, results), errFull)
	require.ErrorIs(t, p.WriteCSV(full{}, names, false, results), errFull)
}

// TestWriteCSV_Warnings: rows with warnings add a column, and warnings can be read back.
func TestWriteCSV_Warnings(t *testing.T) {
	p := read(t, "experiment: braking.exc\nparameters:\n  warnings: {values: [3, 4]}\nset:\n  lead.x: warnings\n")
	cases, err := p.Cases()
	require.NoError(t, err)
	list := []sweep.Result{
		{Case: cases[0], Row: sweep.Row{ID: "a", Outcome: sweep.Passed,
			Warnings: []string{"x, never", "y"}, Metrics: map[string]float64{"warnings": 7}}},
		{Case: cases[1], Row: sweep.Row{ID: "b", Outcome: sweep.Passed}}}
	var out bytes.Buffer
	require.NoError(t, p.WriteCSV(&out, []string{"m.n"}, true, slices.Values(list)))
	require.Equal(t, "case,warnings,seed,outcome,cause,time,steps,traceHash,id,m.n,result "+
		"warnings\n1,3,0,passed,,0,0,,a,,\"x, never; y\"\n2,4,0,passed,,0,0,,b,,\n", out.String())
	dir := t.TempDir()
	save(t, dir, p, list, 2)
	_, results, err := sweep.ReadResults(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"x, never", "y"}, results[0].Row.Warnings)
	require.Empty(t, results[1].Row.Warnings)
}

// full is a writer that fails like a full disk.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestReadResults reads results with arbitrary rows as they were written.
func TestReadResults(t *testing.T) {
	p := read(t, resultsPlan)
	cases, err := p.Cases()
	require.NoError(t, err)
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var results []sweep.Result
		for _, c := range cases {
			if rapid.IntRange(0, 300).Draw(t, "taken") != 7 {
				continue
			}
			row := sweep.Row{ID: "0", Outcome: rapid.SampledFrom(sweep.Outcomes).Draw(t, "outcome"),
				Cause: rapid.StringMatching(`[a-zé<"\\\n]*`).Draw(t, "cause"),
				Seed:  rapid.Uint64().Draw(t, "seed"), Time: rapid.Float64().Draw(t, "time"),
				Steps: rapid.Int64().Draw(t, "steps")}
			if rapid.Bool().Draw(t, "measured") {
				row.Metrics = map[string]float64{"judge.x": rapid.Float64().Draw(t, "metric")}
			}
			c.Seed = row.Seed
			results = append(results, sweep.Result{Case: c, Row: row})
		}
		save(t, dir, p, results, len(cases))
		about, found, err := sweep.ReadResults(dir)
		require.NoError(t, err)
		require.Equal(t, results, found)
		require.Equal(t,
			sweep.About{FormatVersion: 1, Plan: "aeb.sweep.yaml", Experiment: "there/braking.exc",
				Parameters: []string{"gap", "surface", "sensor.nominalrange"}, Cases: len(cases),
				Finished: len(results), Stopped: true}, *about)
	})
}

func TestReadResults_RefusesOthers(t *testing.T) {
	const about = `{"formatVersion":1,"experiment":"a.exc","parameters":["x"],"cases":2,"finished":2}`
	const first = `{"case":1,"parameters":{"x":1},"set":["x=1"],"outcome":"passed","seed":1}` + "\n"
	for _, c := range []struct{ about, rows, message string }{
		{"", first, "sweep.json: unusable results: expected the description of a sweep as JSON"},
		{"{}", first,
			`found formatVersion 0 and the experiment "", expected formatVersion 1 and the file ` +
				`of an experiment`},
		{strings.Replace(about, `":1,`, `":2,`, 1), first, "found formatVersion 2"},
		{about, first,
			"results.jsonl: unusable results: found 1 row, expected the 2 that sweep.json names"},
		{about, first + first,
			"results.jsonl:2: unusable results: found case 1 after case 1, expected cases in the " +
				"order of the table"},
		{about, first + `{"case":2,"param`,
			"results.jsonl:2: unusable results: expected a row as JSON"},
		{about, "case,x\n1,1\n", "results.jsonl:1: unusable results: expected a row as JSON"},
		{strings.Replace(about, "a.exc", "", 1), first,
			`found formatVersion 1 and the experiment ""`},
		{about, strings.Replace(first, `"case":1`, `"case":0`, 1),
			`found case 0 and outcome "passed", expected a case of at least 1`},
		{about, strings.Replace(first, "passed", "won", 1),
			`found case 1 and outcome "won", expected a case of at least 1, and one of the outcomes ` +
				`passed, finished, failed, undecided`},
		{about, strings.Replace(first, `"x":1`, `"y":1`, 1), "found <nil> as the value of x"},
		{about, strings.Replace(first, `"x":1`, `"x":[1]`, 1),
			"found [1] as the value of x, expected a number, a text, true or false"},
		{about, strings.Replace(first, `"x":1`, `"x":1,"y":2`, 1),
			"found 2 parameters, expected the 1 that sweep.json names"},
		{about, strings.Replace(first, `x=1`, `x`, 1), `found "x" in set, expected NAME=VALUE`},
		{strings.Replace(about, `"finished":2`, `"finished":1,"checksum":"00"`, 1), first,
			"results.jsonl: unusable results: found a file that has changed since the sweep " +
				"wrote it, expected the rows whose checksum sweep.json states; let gosmp sweep " +
				"write the results again"},
		{about, fmt.Sprintf("%s%s", first, strings.Repeat(" ", 17<<20)),
			"results.jsonl:2: unusable results: found a line of more than 16777216 bytes"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, sweep.RowsFile), []byte(c.rows), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, sweep.AboutFile), []byte(c.about),
			0o600))
		_, _, err := sweep.ReadResults(dir)
		require.ErrorIs(t, err, sweep.ErrResults)
		require.ErrorContains(t, err, c.message)
	}
	_, _, err := sweep.ReadResults(t.TempDir())
	require.ErrorContains(t, err,
		"sweep.json: unusable results: found no such file, expected the folder with sweep.json "+
			"and results.jsonl that gosmp sweep writes")
}

// TestReadResults_Durations: durations are read where present, and refused if they are invalid.
func TestReadResults_Durations(t *testing.T) {
	p := read(t, "experiment: a.exc\nparameters: {m.x: {from: 1, to: 3, step: 1}}")
	cases, err := p.Cases()
	require.NoError(t, err)
	var results []sweep.Result
	for _, c := range cases {
		results = append(results,
			sweep.Result{Case: c, Row: sweep.Row{ID: c.ID("x"), Outcome: sweep.Passed, Elapsed: 9}})
	}
	dir := t.TempDir()
	save(t, dir, p, results, 3)
	_, got, err := sweep.ReadResults(dir)
	require.NoError(t, err)
	require.Zero(t, got[1].Row.Elapsed, "rows do not have it")
	var text bytes.Buffer
	require.NoError(t, sweep.WriteDurations(&text, []sweep.Duration{{Case: 0, Seconds: 0.25},
		{Case: 2, Seconds: 1e6}}, nil))
	require.Equal(t, "case,seconds\n1,0.250\n3,1000000.000\n", text.String())
	name := filepath.Join(dir, sweep.DurationsFile)
	require.NoError(t, os.WriteFile(name, text.Bytes(), 0o600))
	_, got, err = sweep.ReadResults(dir)
	require.NoError(t, err)
	require.Equal(t, []float64{0.25, 0, 1e6}, []float64{got[0].Row.Elapsed, got[1].Row.Elapsed,
		got[2].Row.Elapsed})
	text.Reset()
	require.NoError(t, sweep.WriteDurations(&text, []sweep.Duration{{Case: 0, Seconds: 0.25},
		{Case: 2, Seconds: 1e6}}, map[int32]string{2: "a.fmu: a new process"}))
	require.Equal(t, "case,seconds,note\n1,0.250,\n3,1000000.000,a.fmu: a new process\n",
		text.String())
	require.NoError(t, os.WriteFile(name, text.Bytes(), 0o600))
	_, got, err = sweep.ReadResults(dir)
	require.NoError(t, err)
	require.Nil(t, got[0].Row.Notes)
	require.Equal(t, map[string]string{"": "a.fmu: a new process"}, got[2].Row.Notes)
	for _, bad := range []string{"case,seconds\n1,2,3\n", "case,seconds,note\n1,2\n",
		"case,seconds,note,more\n1,2,3,4\n", "case,seconds\nx,1\n", "case,seconds\n1,-1\n",
		"case,seconds\n1,NaN\n", "case,seconds\n1\n", "case,seconds\n1,\"\n"} {
		require.NoError(t, os.WriteFile(name, []byte(bad), 0o600))
		_, _, err = sweep.ReadResults(dir)
		require.ErrorIs(t, err, sweep.ErrResults)
		require.ErrorContains(t, err, "durations.csv:", bad)
	}
	for bad, line := range map[string]string{"case,seconds,note\n1,2,\"two\nlines\"\n2,x,\n": "4",
		"case,seconds\n1,2\n\n2,3,4\n": "4", "case\n1\n": "1"} {
		require.NoError(t, os.WriteFile(name, []byte(bad), 0o600))
		_, _, err = sweep.ReadResults(dir)
		require.ErrorContains(t, err, "durations.csv:"+line+": ", bad)
	}
}

// TestReadResults_LongRow: a row may be long, because its cause may be.
func TestReadResults_LongRow(t *testing.T) {
	p := read(t, "experiment: a.exc\nparameters: {m.x: {from: 1, to: 2, step: 1}}")
	cases, err := p.Cases()
	require.NoError(t, err)
	row := sweep.Row{ID: cases[0].ID("x"), Outcome: sweep.Failed,
		Cause: strings.Repeat("a long cause ", 1<<17)}
	dir := t.TempDir()
	save(t, dir, p, []sweep.Result{{Case: cases[0], Row: row}}, 1)
	_, got, err := sweep.ReadResults(dir)
	require.NoError(t, err)
	require.Equal(t, row.Cause, got[0].Row.Cause)
}
