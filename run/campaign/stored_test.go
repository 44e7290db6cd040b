package campaign_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run/campaign"
	"gosmp/sweep"
)

// TestReadStored_ChangedOutcome: a report never shows an outcome that no run had.
func TestReadStored_ChangedOutcome(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	_, err := campaign.Run(t.Context(), campaign.Options{File: "testdata/driving.sweep.yaml",
		Out: out, Store: t.TempDir()})
	require.NoError(t, err)
	_, err = campaign.ReadStored(out, "")
	require.NoError(t, err)
	name := filepath.Join(out, sweep.RowsFile)
	rows, err := os.ReadFile(name)
	require.NoError(t, err)
	changed := bytes.Replace(rows, []byte(`"failed"`), []byte(`"passed"`), 1)
	require.NotEqual(t, rows, changed)
	require.NoError(t, os.WriteFile(name, changed, 0o600))
	_, err = campaign.ReadStored(out, "")
	require.ErrorIs(t, err, sweep.ErrResults)
	require.ErrorContains(t, err, "results.jsonl: unusable results: found a file that has changed")
}
