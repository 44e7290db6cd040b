//go:build linux && cgo

package importer_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/testfmu"
)

// reserve returns a Reserve that is closed at the end of the test.
func reserve(t *testing.T) *importer.Reserve {
	t.Helper()
	r := &importer.Reserve{}
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// waiting waits until a reserve has prepared n processes.
func waiting(t *testing.T, r *importer.Reserve, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return r.Waiting() == n }, time.Minute, time.Millisecond)
}

// observed runs an FMU and returns everything that can be observed.
func observed(t *testing.T, f *importer.FMU, r *importer.Reserve) (x *run, err error) {
	t.Helper()
	x = newRun(f, "out", "clock", "steps")
	x.pool.Reserve, x.pool.Options.LogCalls = r, true
	x.options.LoggingOn = true
	x.options.Start = []importer.StartValue{{Name: "in", Value: "2.5"}}
	err = x.do(t)
	return x, err
}

func TestReserve_RunsAsWithoutOne(t *testing.T) {
	for _, recipe := range []testfmu.Recipe{
		{}, {Version: 3},
		{Orders: []string{"load print 3", "DoStep print 5 2", "DoStep log 2 3"}},
		{Orders: []string{"DoStep status 3 4"}},
		{Orders: []string{"DoStep crash 0 4"}},
		{Orders: []string{"unload crash"}},
		{Orders: []string{"load crash"}},
		{Orders: []string{"load floats"}},
		{Needs: "libabsent.so"},
	} {
		f := open(t, recipe)
		alone, wanted := observed(t, f, nil)
		r := reserve(t)
		for n := range 3 {
			x, err := observed(t, f, r)
			if wanted == nil {
				require.NoError(t, err)
				waiting(t, r, 1)
			} else {
				require.Error(t, err)
				require.Equal(t, wanted.Error(), err.Error())
			}
			require.Equal(t, alone.csv.String(), x.csv.String(), "%v, run %d", recipe.Orders, n)
			require.Equal(t, alone.calls(), x.calls())
			require.Equal(t, alone.printed, x.printed)
			require.Equal(t, alone.warnings, x.warnings)
			require.Equal(t, alone.result, x.result)
		}
	}
}

// TestReserve_KeepsTreesThatWereNotChanged checks that a run finds the original content of the FMU,
// regardless of what earlier runs have written.
func TestReserve_KeepsTreesThatWereNotChanged(t *testing.T) {
	f, r := open(t, testfmu.Recipe{Orders: []string{"DoStep ok 4711"}}), reserve(t)
	var folders []string
	for range 5 {
		x, err := observed(t, f, r)
		require.NoError(t, err)
		folders = append(folders, x.folder)
		waiting(t, r, 1)
	}
	require.Equal(t, folders[2], folders[4])
	for _, change := range []func(folder string) error{
		func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "resources", "unruly.txt"),
				[]byte("DoStep status 3\n"), 0o600)
		},
		func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "resources", "new"), nil, 0o600)
		},
		func(folder string) error { return os.Chmod(filepath.Join(folder, "resources"), 0o500) },
		func(folder string) error {
			return os.Remove(filepath.Join(folder, "modelDescription.xml"))
		},
	} {
		pool := &importer.Pool{Reserve: r}
		pool.Options.LogCalls = true
		i, err := f.NewInstance("x", pool, importer.Options{})
		require.NoError(t, err)
		_, _, err = i.Bind(nil, nil)
		require.NoError(t, err)
		require.NoError(t, change(i.Folder()))
		require.NoError(t, pool.Close())
		waiting(t, r, 1)
		for range 3 {
			x, err := observed(t, f, r)
			require.NoError(t, err)
			require.NotEqual(t, i.Folder(), x.folder)
			waiting(t, r, 1)
		}
		require.NoDirExists(t, i.Folder())
	}
}

// TestReserve_ReadsWhatIsThere checks that a replaced file is read again.
func TestReserve_ReadsWhatIsThere(t *testing.T) {
	r := reserve(t)
	first, second := testfmu.Build(t, testfmu.Recipe{}),
		testfmu.Build(t, testfmu.Recipe{Version: 3})
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(first, old, old))
	a, err := r.Open(first)
	require.NoError(t, err)
	b, err := r.Open(first)
	require.NoError(t, err)
	require.Same(t, a.Model, b.Model)
	require.NoError(t, os.Rename(second, first))
	future := time.Now().Add(1000 * time.Hour) // as after the clock was set back
	require.NoError(t, os.Chtimes(first, future, future))
	c, err := r.Open(first)
	require.NoError(t, err)
	require.Equal(t, 3, int(c.Model.Major()))
	again, err := r.Open(first)
	require.NoError(t, err)
	require.NotSame(t, c.Model, again.Model)
	_, err = r.Open(filepath.Join(t.TempDir(), "absent.fmu"))
	require.ErrorIs(t, err, importer.ErrInvalid)
}

// TestReserve_HasProcessesForOptions checks that a process prepared for different options is not
// used.
func TestReserve_HasProcessesForOptions(t *testing.T) {
	f, r := open(t, testfmu.Recipe{}), reserve(t)
	_, err := observed(t, f, r)
	require.NoError(t, err)
	waiting(t, r, 1)
	x := newRun(f, "out")
	x.pool.Reserve, x.quiet = r, true
	require.NoError(t, x.do(t))
	require.Empty(t, x.messages) // calls are not logged
	waiting(t, r, 2)
}

// TestReserve_EndsEverything checks that no process remains after Close, even if some are being
// prepared.
func TestReserve_EndsEverything(t *testing.T) {
	f, r := open(t, testfmu.Recipe{}), &importer.Reserve{}
	_, err := observed(t, f, r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	require.Zero(t, r.Waiting())
	require.Zero(t, children(t))
}
