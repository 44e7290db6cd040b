package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
	"gosmp/scenario"
)

// TestCorpus_Runs runs all scenarios below the folder GOSMP_XOSC, for at most 60 s. Each one ends,
// is given up, or is refused with the place of the unsupported construct. The test logs a line for
// each.
func TestCorpus_Runs(t *testing.T) {
	folder := os.Getenv("GOSMP_XOSC")
	if folder == "" {
		t.Skip("GOSMP_XOSC names no folder with scenarios")
	}
	counts := map[string]int{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.EqualFold(filepath.Ext(path), ".xosc") {
			return err
		}
		d, err := scenario.Open(path)
		if err == nil && d.Root.Child("Storyboard") == nil { // a catalog or a distribution
			return nil
		}
		outcome := "refused"
		if err == nil {
			outcome, err = corpusRun(path)
		}
		counts[outcome]++
		text := ""
		if err != nil {
			text, _, _ = strings.Cut(err.Error(), "\n")
			text = ": " + text
			if !errors.As(err, new(*fault.Error)) && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is refused without a place%s", path, text)
			}
		}
		t.Logf("%s %s%s", outcome, path, text)
		return nil
	}))
	t.Logf("%v", counts)
	require.NotEmpty(t, counts)
}

// corpusRun runs a scenario, and returns its outcome.
func corpusRun(path string) (outcome string, err error) {
	o := Defaults(path)
	longest := 60.0
	o.Duration = &longest
	s, err := OpenScenario(o)
	if err != nil {
		return "refused", err
	}
	r, err := s.Run(context.Background())
	return string(r.Outcome), err
}
