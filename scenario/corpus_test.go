package scenario_test

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/scenario"
)

// corpus returns a folder with public scenarios and their catalogs and maps.
func corpus(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("GOSMP_XOSC")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data", "xosc")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no public scenarios: GOSMP_XOSC names a folder with them")
	}
	return folder
}

func files(t *testing.T, folder string) (list []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.EqualFold(filepath.Ext(path), ".xosc") {
			list = append(list, path)
		}
		return err
	}))
	return list
}

// TestCorpus_LoadsAndResolves reads three sets of public scenarios: all of them are valid against
// the schema of their version, and all their parameters have values.
func TestCorpus_LoadsAndResolves(t *testing.T) {
	root := corpus(t)
	for _, set := range []string{"alks", "ncap", "esmini"} {
		for _, file := range files(t, filepath.Join(root, set)) {
			d, err := scenario.Open(file)
			require.NoError(t, err, file)
			for _, f := range d.Validate() {
				if f.Severity > finding.Note {
					t.Errorf("%v", f)
				}
			}
			if d.Root.Child("Catalog") != nil {
				continue
			}
			s, err := d.Resolve(nil)
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			for _, f := range s.Notes {
				t.Log(f)
			}
		}
	}
}

// TestCorpus_Distributions compares the numbers of points, and of points that satisfy the
// constraints, with the numbers from an independent computation.
func TestCorpus_Distributions(t *testing.T) {
	root := corpus(t)
	f, err := os.Open(filepath.Join(root, "reference", "variations.csv"))
	if err != nil {
		t.Skip("no numbers to compare with")
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		d, err := scenario.Open(filepath.Join(root, row[0]))
		require.NoError(t, err)
		points, err := d.Distribution()
		require.NoError(t, err)
		require.Equal(t, row[2], strconv.Itoa(points.Len()), row[0])
		s, err := scenario.Open(points.Scenario)
		require.NoError(t, err)
		if points.Len() < 10_000 || !testing.Short() {
			allowed, err := points.AllowsAll(s)
			require.NoError(t, err)
			require.Equal(t, row[4], strconv.Itoa(allowed), row[0])
		}
	}
}
