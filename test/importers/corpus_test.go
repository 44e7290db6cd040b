// Package importers_test runs public FMUs in gosmp and in FMPy, and compares what they compute.
package importers_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/archive"
)

const (
	mostSteps = 1000
	timeLimit = 60 * time.Second
	// FMPy computes each step size as the difference of two points in time, which is not the same
	// number in every step. Solvers propagate these last digits.
	alike = 1e-9
)

// outcome is the result of a host's run of an FMU.
type outcome struct {
	version string // FMI version, as FMPy reads it
	times   struct{ Start, Stop, Step float64 }
	known   bool // whether there are times
	names   []string
	rows    []row
	failed  string // the reason, if it has no rows
}

type row struct {
	time  float64
	cells [][]float64
}

// TestCorpus runs every FMU below the folder that GOSMP_FMUS names in gosmp and in FMPy, each in a
// process of its own, and compares every output in every row. GOSMP_PYTHON names a Python that has
// FMPy. With -v it prints the result for each FMU.
func TestCorpus(t *testing.T) {
	folder := os.Getenv("GOSMP_FMUS")
	if folder == "" {
		t.Skip("GOSMP_FMUS does not name a folder with FMUs of others")
	}
	python := interpreter(t)
	gosmp := build(t)
	counts, wrong := map[string]int{}, 0
	for _, path := range distinct(t, folder) {
		there := runFMPy(t, python, path)
		there.negate(t, path)
		here := runGosmp(t, gosmp, path, &there)
		verdict, detail := compare(&here, &there)
		if verdict == differ && there.version == "2.0" {
			even := runFMPy(t, python, path, "even")
			if same, _ := compare(&here, &even); same == equal {
				verdict = steps
			}
		}
		counts[verdict]++
		name, err := filepath.Rel(folder, path)
		require.NoError(t, err)
		t.Logf("%-12s %s: %s", verdict, name, detail)
		if verdict == onlyThere || verdict == differ {
			wrong++
		}
	}
	t.Logf("%v", counts)
	require.Zero(t, wrong, "FMUs that run only in FMPy, or differ")
}

const (
	equal     = "equal"
	neither   = "neither"
	onlyHere  = "only here"
	onlyThere = "only there"
	differ    = "differ"
	// steps is equal, in each digit that alike has, if FMPy gives the FMU the same number as its
	// communicationStepSize in each step, as FMI 2.0 4.3.1 wants it for FMUs that cannot handle
	// others, and as a solver or sampler in this FMU needs it.
	steps = "steps"
)

// compare judges the outcomes of one FMU.
func compare(here, there *outcome) (verdict, detail string) {
	switch {
	case here.failed != "" && there.failed != "":
		return neither, here.failed + " | " + there.failed
	case there.failed != "":
		return onlyHere, there.failed
	case here.failed != "":
		return onlyThere, here.failed
	case len(here.rows) != len(there.rows):
		return differ, fmt.Sprintf("%d rows, FMPy %d", len(here.rows), len(there.rows))
	}
	values := 0
	for k, name := range there.names {
		column := slices.Index(here.names, name)
		if column < 0 {
			return differ, "no column " + name
		}
		for n := range there.rows {
			a, b := here.rows[n].cells[column], there.rows[n].cells[k]
			if !same(a, b) || !near(here.rows[n].time, there.rows[n].time) {
				return differ, fmt.Sprintf("%s in row %d: %v at %v s, FMPy %v at %v s", name, n, a,
					here.rows[n].time, b, there.rows[n].time)
			}
			values += len(b)
		}
	}
	return equal, fmt.Sprintf("%d rows, %d values", len(here.rows), values)
}

// negate gives negated aliases of FMI 1.0 the sign that they have in the standard (3.4). FMPy reads
// the values of the variables to which they belong.
func (o *outcome) negate(t *testing.T, path string) {
	t.Helper()
	if o.version != "1.0" || len(o.rows) == 0 {
		return
	}
	m, err := archive.Open(path)
	require.NoError(t, err)
	for k := range m.Model.Variables {
		v := &m.Model.Variables[k]
		column := slices.Index(o.names, v.Name)
		if column < 0 || !v.Negated || v.Type == fmi.Boolean {
			continue
		}
		for _, r := range o.rows {
			for k := range r.cells[column] {
				r.cells[column][k] = -r.cells[column][k]
			}
		}
	}
}

func same(a, b []float64) bool { return slices.EqualFunc(a, b, near) }

func near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= alike*max(1, math.Abs(a),
		math.Abs(b))
}

func interpreter(t *testing.T) string {
	t.Helper()
	for _, path := range []string{os.Getenv("GOSMP_PYTHON"), filepath.Join("..", "..", ".venv",
		"bin", "python")} {
		if path != "" && exec.Command(path, "-c", "import fmpy").Run() == nil {
			return path
		}
	}
	t.Skip("no Python with FMPy: GOSMP_PYTHON names one")
	return ""
}

// build builds the command.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gosmp")
	out, err := exec.Command("go", "build", "-o", path, "gosmp/cmd/gosmp").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// distinct lists the FMUs in a folder, each content once.
func distinct(t *testing.T, folder string) (paths []string) {
	t.Helper()
	seen := map[[sha256.Size]byte]bool{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry,
		err error) error {
		if err != nil || entry.IsDir() || !strings.EqualFold(filepath.Ext(path), ".fmu") {
			return err
		}
		content, err := os.ReadFile(path)
		if sum := sha256.Sum256(content); err == nil && !seen[sum] {
			seen[sum] = true
			paths = append(paths, path)
		}
		return err
	}))
	require.NotEmpty(t, paths)
	return paths
}

// command runs a program in a folder of its own, where FMUs may write. It returns its output and
// the last line of its errors.
func command(t *testing.T, name string, arguments ...string) (output []byte, failed string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	c := exec.CommandContext(ctx, name, arguments...)
	c.Dir, c.WaitDelay = t.TempDir(), time.Second
	var out, errors bytes.Buffer
	c.Stdout, c.Stderr = &out, &errors
	if err := c.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(errors.String()), "\n")
		failed = fmt.Sprintf("%v: %s", err, lines[len(lines)-1])
		if k := slices.IndexFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, "error")
		}); k >= 0 {
			failed = lines[k]
		}
	}
	return out.Bytes(), failed
}

func runFMPy(t *testing.T, python, path string, mode ...string) (o outcome) {
	t.Helper()
	script, err := filepath.Abs("corpus.py")
	require.NoError(t, err)
	path, err = filepath.Abs(path)
	require.NoError(t, err)
	out, failed := command(t, python, append([]string{script, path, strconv.Itoa(mostSteps)},
		mode...)...)
	o.failed = failed
	for line := range strings.Lines(string(out)) {
		word, content, _ := strings.Cut(line, " ")
		switch word { // the FMU may print, too
		case "version":
			require.NoError(t, json.Unmarshal([]byte(content), &o.version))
		case "experiment":
			require.NoError(t, json.Unmarshal([]byte(content), &o.times))
			o.known = true
		case "result":
			if failed != "" && !strings.HasSuffix(line, "\n") {
				continue // it was ended while it wrote the rows
			}
			o.failed = "" // errors at the end of its process do not matter
			o.read(t, content)
		}
	}
	return o
}

// read reads the rows of FMPy.
func (o *outcome) read(t *testing.T, content string) {
	t.Helper()
	var result struct {
		Names []string
		Rows  [][2]json.RawMessage
	}
	// Python writes NaN and Infinity, which JSON does not have.
	content = strings.NewReplacer("NaN", "null", "-Infinity", "-1e999", "Infinity",
		"1e999").Replace(content)
	require.NoError(t, json.Unmarshal([]byte(content), &result))
	o.names = result.Names
	for _, r := range result.Rows {
		next := row{time: decimal(r[0])}
		var cells []json.RawMessage
		require.NoError(t, json.Unmarshal(r[1], &cells))
		for _, c := range cells {
			var list []json.RawMessage
			if json.Unmarshal(c, &list) != nil {
				list = []json.RawMessage{c}
			}
			var values []float64
			for _, v := range list {
				values = append(values, decimal(v))
			}
			next.cells = append(next.cells, values)
		}
		o.rows = append(o.rows, next)
	}
}

// decimal parses a number from Python or CSV; null becomes NaN.
func decimal[T ~[]byte | ~string](text T) float64 {
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !math.IsInf(value, 0) {
		return math.NaN()
	}
	return value
}

func runGosmp(t *testing.T, gosmp, path string, there *outcome) (o outcome) {
	t.Helper()
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "out.csv")
	arguments := []string{"run", path, "-o", file, "--timeout", "30s"}
	if there.known {
		for name, v := range map[string]float64{"start-time": there.times.Start,
			"stop-time": there.times.Stop, "step-size": there.times.Step} {
			arguments = append(arguments, fmt.Sprintf("--%s=%s", name, strconv.FormatFloat(v, 'g',
				-1, 64)))
		}
	}
	for _, name := range there.names { // without outputs FMPy records other variables
		arguments = append(arguments, "--output-variable", name)
	}
	if _, o.failed = command(t, gosmp, arguments...); o.failed != "" {
		return o
	}
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	table, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	require.NoError(t, err)
	o.names = table[0][1:]
	for _, record := range table[1:] {
		next := row{time: decimal(record[0])}
		for _, text := range record[1:] {
			var values []float64
			for _, word := range strings.Fields(text) {
				values = append(values, decimal(word))
			}
			next.cells = append(next.cells, values)
		}
		o.rows = append(o.rows, next)
	}
	return o
}
