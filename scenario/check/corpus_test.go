package check_test

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/scenario"
	"gosmp/scenario/check"
)

// corpus returns a folder with public scenarios and their catalogs and maps.
func corpus(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("GOSMP_XOSC")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data", "xosc")
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

func findings(t *testing.T, file string) finding.List {
	t.Helper()
	d, err := scenario.Open(file)
	if err != nil {
		f, ok := check.Unreadable(err)
		require.True(t, ok, err)
		return finding.List{f}
	}
	return check.Document(d)
}

// expected returns the findings of another checker, qc-openscenarioxml, by file and rule.
func expected(t *testing.T, root string) map[string]map[string]int {
	t.Helper()
	f, err := os.Open(filepath.Join(root, "reference", "qc", "qc.csv"))
	if err != nil {
		t.Skip("no findings to compare with")
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	counts := map[string]map[string]int{}
	for _, row := range rows[1:] {
		if counts[row[0]] == nil {
			counts[row[0]] = map[string]int{}
		}
		counts[row[0]][row[1]]++
	}
	return counts
}

// TestCorpus_LabelledFiles checks that a file labelled as negative has as many findings for its
// folder's rule as another checker reports, and that a positive file has none.
func TestCorpus_LabelledFiles(t *testing.T) {
	root := corpus(t)
	folder := filepath.Join(root, "qc-openscenarioxml")
	counts := expected(t, root)
	for _, file := range files(t, folder) {
		name, err := filepath.Rel(folder, file)
		require.NoError(t, err)
		topic := filepath.Dir(name)
		if topic == "transition_time_should_be_non_negative" {
			topic = "non_negative_transition_time_in_light_state_action"
		}
		found := map[string]int{}
		for _, f := range findings(t, file) {
			found[f.ID]++
		}
		for id, n := range counts[name] {
			if strings.HasSuffix(id, "."+topic) && found[id] < n {
				t.Errorf("%s: %s: found %d, expected %d", name, id, found[id], n)
			}
		}
		for id, n := range found {
			if strings.HasSuffix(id, "."+topic) && strings.Contains(filepath.Base(name),
				"positive") &&
				!strings.Contains(name, "negative") {
				t.Errorf("%s: %s: found %d, expected none", name, id, n)
			}
		}
	}
}

// TestCorpus_NoFalseErrors checks that the public scenarios for ALKS and Euro NCAP have no errors.
func TestCorpus_NoFalseErrors(t *testing.T) {
	root := corpus(t)
	counts := map[string]int{}
	for _, set := range []string{"alks", "ncap", "esmini"} {
		for _, file := range files(t, filepath.Join(root, set)) {
			for _, f := range findings(t, file) {
				counts[set+" "+f.ID]++
				if f.Severity == finding.Error && set != "esmini" ||
					os.Getenv("GOSMP_VERBOSE") != "" && f.Severity > finding.Note {
					t.Errorf("%v", f)
				}
			}
		}
	}
	t.Log(counts)
}
