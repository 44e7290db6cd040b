//go:build linux && cgo

package system_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/internal/finding"
	"gosmp/timebase"
)

// TestPublicSystems reads all systems in the folder named by GOSMP_SYSTEMS, such as local copies of
// the examples of libcosim, ecos, OpenMCx and openMSL. It takes 20 steps with each system without
// findings that prevent a run. docs/SSP.md contains the counts.
func TestPublicSystems(t *testing.T) {
	folder := os.Getenv("GOSMP_SYSTEMS")
	if folder == "" {
		t.Skip("GOSMP_SYSTEMS does not name a folder with systems of others")
	}
	read, ran, findings := 0, 0, map[string]int{}
	require.NoError(t, filepath.WalkDir(folder, func(name string, entry fs.DirEntry,
		err error) error {
		if ending := strings.ToLower(filepath.Ext(name)); err != nil || entry.IsDir() ||
			ending != ".ssd" && ending != ".ssp" {
			return err
		}
		list, err := ssp.Check(name, ssp.Options{})
		require.NoError(t, err, name)
		read++
		sound, seen := true, map[string]bool{}
		for _, f := range list {
			seen[f.ID] = true
			sound = sound && !prevents(f)
		}
		for id := range seen {
			findings[id]++
		}
		if sound {
			runBriefly(t, name)
			ran++
		}
		return nil
	}))
	require.Positive(t, read)
	t.Logf("%d systems read, %d run; how many have each finding: %v", read, ran, findings)
}

// prevents reports whether a finding prevents a system from running: FMUs that are missing, built
// for other platforms or based on FMI 1.0, contradictory values, and files that no tool can read.
// Findings in other descriptions in a package do not prevent a run.
func prevents(f finding.Finding) bool {
	variant := filepath.Ext(f.Place.Entry) == ".ssd" && f.Place.Entry != "SystemStructure.ssd"
	return slices.Contains([]string{"SSP-S1", "SSP-S5", "SSP-S7", "SSP-X1", "SSP-Z1"},
		f.ID) && !variant ||
		strings.Contains(f.Message, "has a scheme")
}

// runBriefly takes 20 steps.
func runBriefly(t *testing.T, name string) {
	s, err := system.Read(name, "")
	require.NoError(t, err, name)
	s.Negotiate()
	step := 0.001
	if s.Step.Origin != "" {
		step = s.Step.Number
	}
	start, err := timebase.FromSeconds(s.Start.Number)
	require.NoError(t, err)
	grid := cosim.Every(step)
	pool := &importer.Pool{}
	e, err := s.Engine(cosim.Spec{Start: start, Stop: grid.Point(start, 20), Step: grid}, pool,
		func(*system.Part) importer.Options { return importer.Options{} })
	require.NoError(t, err, name)
	result, err := e.Run(context.Background())
	require.NoError(t, err, name)
	require.NoError(t, pool.Close())
	require.Equal(t, int64(20), result.Steps, name)
}
