//go:build linux && cgo

package bench

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/chost"
)

// numbers reads the rows of a CSV file without a header.
func numbers(t *testing.T, text string) (rows [][]float64) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	require.NoError(t, err)
	for _, line := range lines {
		var row []float64
		for _, word := range line {
			x, err := strconv.ParseFloat(word, 64)
			require.NoError(t, err)
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	return rows
}

// every runs a chain for some steps in each host that a benchmark compares. The gosmp host and the
// plain host must record the same rows, otherwise they have not done the same work.
func every(t *testing.T, chain []station, step float64, steps int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plain.csv")
	program := chost.Compile(t, t.TempDir(), "host.c")
	theirs(t, program, chain, step, steps, path)
	theirs(t, program, chain, step, steps, "-")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var want [][]float64
	for _, row := range numbers(t, string(content)) {
		if len(row) > 1 { // the plain host starts a row for each FMU
			want = append(want, row)
		}
	}
	require.Len(t, want, steps)
	for _, shared := range []bool{false, true} {
		var text strings.Builder
		ours(t, chain, step, steps, shared, &text)
		_, rest, _ := strings.Cut(text.String(), "\n") // the header
		_, rest, _ = strings.Cut(rest, "\n")           // the row for the start
		got := numbers(t, rest)
		require.Len(t, got, steps)
		for k := range want {
			require.InDeltaSlice(t, want[k], got[k], 1e-9, "row %d", k)
		}
	}
}

func TestHost_EachWayRecordsTheSame(t *testing.T) { every(t, lone(t), 0.001, 200) }

func TestHost_FMPyRuns(t *testing.T) {
	interpreter := python()
	if interpreter == "" {
		t.Skip("no Python with FMPy: GOSMP_PYTHON names one")
	}
	chain := lone(t)
	require.NotZero(t, fmpy(t, interpreter, chain[0].fmu.Path, 100, chain[0].recorded))
}

func TestHostChain_EachWayRecordsTheSame(t *testing.T) {
	every(t, three(t, func(_, name string) string {
		path := filepath.Join("..", "..", "dist", name+".fmu")
		if _, err := os.Stat(path); err != nil {
			t.Skipf("no FMU: %v; make examples packs it", err)
		}
		return path
	}), 0.02, 20)
}

func TestHostStart_Runs(t *testing.T) {
	path := packed()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no FMU: %v; make fmu packs it", err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	require.NotEmpty(t, start(t, path).SHA256)
}
