//go:build linux && cgo

package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/testfmu"
)

var process = regexp.MustCompile(`\b[0-9]{3,}\b`)

// shownRun is the part of a run that a user can see.
type shownRun struct {
	CSV, Error        string
	Messages          []importer.Message
	Printed, Warnings []string
}

// watched runs an FMU without a log of its calls.
func watched(t *testing.T, f *importer.FMU, r *importer.Reserve) shownRun {
	t.Helper()
	x := newRun(f, "out", "clock", "steps")
	x.quiet = true
	x.pool.Reserve = r
	x.options.LoggingOn = true
	x.options.Start = []importer.StartValue{{Name: "in", Value: "2.5"}}
	err := x.do(t)
	s := shownRun{x.csv.String(), fmt.Sprint(err), x.messages, x.printed, x.warnings}
	for k, line := range s.Printed {
		s.Printed[k] = process.ReplaceAllString(strings.ReplaceAll(line, x.folder, "FOLDER"), "ID")
	}
	return s
}

// TestReserve_CopiesAreLikeNewProcesses compares runs in copies with a run in a new process. The
// FMUs include some that remember earlier instances or end their process.
func TestReserve_CopiesAreLikeNewProcesses(t *testing.T) {
	for _, orders := range [][]string{
		nil,
		{"Instantiate remember", "DoStep remember"},
		{"DoStep status 3 4"},
		{"DoStep discard 0 3"},
		{"DoStep print 5 2", "DoStep log 2 3", "DoStep logthread"},
		{"DoStep where 0 1", "DoStep environment 0 1", "DoStep handlers 0 1"},
		{"DoStep crash 0 4"},
		{"DoStep exit 3 4"},
		{"DoStep trap", "DoStep floats"},
		{"FreeInstance crash"},
		{"unload crash"},
		{"unload remember"},
		{"DoStep thread 0 2", "DoStep open", "DoStep share"},
		{"DoStep child 0 2", "DoStep daemon 0 3"},
		{"DoStep close 0 5"},
		{"load flush", "DoStep denormals"},
	} {
		for version := 2; version <= 3; version++ {
			f := open(t, testfmu.Recipe{Version: version, Orders: orders})
			alone := watched(t, f, nil)
			r := reserve(t)
			for n := range 4 {
				if n > 0 {
					waiting(t, r, 1)
					require.Positive(t, r.Originals(), "%v", orders)
				}
				require.Equal(t, alone, watched(t, f, r), "%v, FMI %d, run %d", orders, version, n)
			}
		}
	}
}

// TestReserve_CopiesOnlyWhatACopyCanHave checks that new processes run a library if loading it
// leaves more than memory.
func TestReserve_CopiesOnlyWhatACopyCanHave(t *testing.T) {
	for _, order := range []string{"thread", "open", "share", "alarm", "print 5", "remember"} {
		f := open(t, testfmu.Recipe{Orders: []string{"load " + order, "DoStep remember 0 1"}})
		alone := watched(t, f, nil)
		r := reserve(t)
		for n := range 3 {
			if n > 0 {
				waiting(t, r, 1)
				require.Zero(t, r.Originals(), order)
			}
			require.Equal(t, alone, watched(t, f, r), order)
		}
	}
}

// TestReserve_CopiesUnchangedFolders checks that a copy never sees files that the previous copy
// wrote to the FMU's folder.
func TestReserve_CopiesUnchangedFolders(t *testing.T) {
	f, r := open(t, testfmu.Recipe{}), reserve(t)
	for range 4 {
		pool := &importer.Pool{Reserve: r}
		i, err := f.NewInstance("x", pool, importer.Options{})
		require.NoError(t, err)
		_, _, err = i.Bind(nil, nil)
		require.NoError(t, err)
		left := filepath.Join(i.Folder(), "resources", "left")
		require.NoFileExists(t, left)
		require.NoError(t, os.WriteFile(left, nil, 0o600))
		require.NoError(t, pool.Close())
		waiting(t, r, 1)
	}
}

// TestReserve_Fresh checks that nothing is prepared if the user requests new processes.
func TestReserve_Fresh(t *testing.T) {
	f, r := open(t, testfmu.Recipe{}), &importer.Reserve{Fresh: true}
	for range 2 {
		watched(t, f, r)
		require.Zero(t, r.Waiting())
		require.Zero(t, r.Originals())
	}
	require.NoError(t, r.Close())
}
