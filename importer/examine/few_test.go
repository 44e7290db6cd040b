package examine

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/worker/probe"
)

// TestGrowth_FewLives checks that a block that is allocated once in each loop does not count as a
// leak if a slow machine made only few lives, and that blocks of every life and descriptors do.
func TestGrowth_FewLives(t *testing.T) {
	run := func(name string, lives, each int) *run {
		r := &run{Result: &probe.Result{}}
		for k := range 3 {
			r.Records = append(r.Records,
				probe.Record{Out: fmt.Appendf(nil, "%s=%d\n", name, k*each)},
				probe.Record{Runs: lives})
		}
		r.Records = append(r.Records, probe.Record{Out: fmt.Appendf(nil, "%s=%d\n", name, 3*each)})
		return r
	}
	itself := func(k int) int { return k }
	for _, c := range []struct {
		name        string
		lives, each int
		fewest      int
		grows       bool
	}{
		{"heap", 2, 400, fewLives, false},
		{"heap", 60, 2000, fewLives, true},
		{"heap", 2, 4096, fewLives, true},
		{"descriptors", 1, 1, 0, true},
	} {
		slack := map[string]float64{"heap": leak, "descriptors": 0.2}[c.name]
		g := growth{at: []int{0, 2, 4, 6}, loops: []int{1, 3, 5}, name: c.name, slack: slack,
			fewest: c.fewest}
		_, lives, grows := g.least(run(c.name, c.lives, c.each), itself)
		require.Equal(t, c.grows, grows, "%+v", c)
		require.Equal(t, 3*c.lives, lives)
	}
}

// TestCNumber_Sign checks that a program sets -0 and not the integer 0.
func TestCNumber_Sign(t *testing.T) {
	require.Equal(t, "-0.0", cNumber(math.Copysign(0, -1)))
	require.Equal(t, "0", cNumber(0))
}

// TestPayload checks that bytes that are no blob are refused, such as numbers with a sign.
func TestPayload(t *testing.T) {
	content, ok := payload(binary.NativeEndian.AppendUint64(nil, 0))
	require.True(t, ok)
	require.Empty(t, content)
	content, ok = payload(append(binary.NativeEndian.AppendUint64(nil, 2), 7, 8))
	require.True(t, ok)
	require.Equal(t, []byte{7, 8}, content)
	for _, size := range []uint64{isNull, isWrong, math.Float64bits(-1.5), 3, math.MaxInt64} {
		_, ok = payload(append(binary.NativeEndian.AppendUint64(nil, size), 7, 8))
		require.False(t, ok, size)
		require.LessOrEqual(t, blobs(binary.NativeEndian.AppendUint64(nil, size), 1), 8, size)
	}
}

// TestSettings_Runtime checks that the signal handlers of a language's runtime do not hide a setting
// that differs only in the life.
func TestSettings_Runtime(t *testing.T) {
	folder := t.TempDir()
	program, err := os.Executable() // has the runtime of Go
	require.NoError(t, err)
	require.NoError(t, os.Symlink(program, filepath.Join(folder, "own.so")))
	measured := func(locale, handler string) probe.Record {
		return probe.Record{Runs: 1, Out: []byte("locale=" + locale + "\nsignal 11=" + handler + "\n")}
	}
	for locale, expected := range map[string]Outcome{"C": Proved, "de_DE": Refuted} {
		a := &attempt{x: &exam{}, s: &subject{library: filepath.Join(folder, "own.so")}}
		r := &run{Result: &probe.Result{}, play: &play{}}
		r.Records = []probe.Record{measured("C", "0"), measured(locale, "1"), measured("C", "1")}
		a.settings(r, 0, 1, 2)
		require.Len(t, a.outcomes, 2)
		require.Equal(t, "Q6", a.outcomes[1].rule)
		require.Equal(t, expected, a.outcomes[1].outcome)
	}
}

// TestSlope_OddFunctions checks that equal difference quotients on both sides are no reason to
// trust them, because odd functions always have equal ones.
func TestSlope_OddFunctions(t *testing.T) {
	const step = 1e-5
	for _, c := range []struct {
		f    func(x float64) float64
		is   bool
		what string
	}{
		{func(x float64) float64 { return 3 * x }, true, "a line"},
		{math.Sin, true, "a smooth odd function"},
		{func(x float64) float64 { return math.Sin(1e5 * x) }, false, "a fast one"},
		{math.Cbrt, false, "one without a derivative"},
		{math.Abs, false, "an even one"},
		{math.Round, true, "steps"},
	} {
		p := points{c.f(-step), c.f(0), c.f(nearby * step), c.f(step)}
		_, _, is := p.slope(step)
		require.Equal(t, c.is, is, c.what)
	}
}

// TestBackTo checks that outcomes from before the time elapsed are kept if it elapses in a further
// life of the same trial.
func TestBackTo(t *testing.T) {
	refuted := []outcome{{rule: "R1", outcome: Proved}, {rule: "R2", outcome: Refuted}}
	a := &attempt{x: &exam{}}
	a.expire()
	a.backTo(refuted)
	a.unlessExpired(&trial{rules: []string{"R2", "S1"}})
	require.Len(t, a.outcomes, 3)
	require.Equal(t, refuted, a.outcomes[:2])
	require.Equal(t, "S1", a.outcomes[2].rule)
}
