package experiment_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
)

// corpus is the folder of a copy of the public experiments of the Neurorobotics Platform. They have
// no licence, so they are not part of this repository.
const corpus = "GOSMP_NRP_EXPERIMENTS"

func each(t *testing.T, ext string, visit func(file string, document []byte)) (n int) {
	t.Helper()
	root := os.Getenv(corpus)
	if root == "" {
		t.Skip(corpus + " does not name a copy of the public experiments")
	}
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ext) {
			return err
		}
		document, err := os.ReadFile(path)
		require.NoError(t, err)
		n++
		visit(path, document)
		return nil
	}))
	return n
}

// TestRead_PublicExperiments reads all 79 experiments. The expected deviations were counted by
// another program from the elements and attributes of the files.
func TestRead_PublicExperiments(t *testing.T) {
	count := map[string]int{}
	seconds := []float64{1e9, 0}
	n := each(t, ".exc", func(file string, document []byte) {
		d, list := experiment.Read(file, document, experiment.Options{})
		require.NotNil(t, d, file)
		for _, f := range list {
			count[kindOf(f)]++
		}
		again, relist := experiment.Read(file, []byte(d.XML()), experiment.Options{})
		require.Equal(t, withoutPlaces(d), withoutPlaces(again), file)
		require.Len(t, relist, len(list), file)
		seconds[0], seconds[1] = min(seconds[0], d.Timeout.Seconds), max(seconds[1],
			d.Timeout.Seconds)
	})
	require.Equal(t, 79, n)
	require.Equal(t, []float64{120, 100_000}, seconds)
	t.Log(count)
	require.Equal(t, map[string]int{
		"EX21 <tags>": 69, "EX21 <gzbridgesettings>": 13, "EX21 robotId": 74,
		"EX08 orientation": 2, "EX08 poses": 2,
	}, count)
}

// kindOf returns the rule with the word that distinguishes its deviations.
func kindOf(f experiment.Finding) string {
	for text, word := range map[string]string{"<tags>": "<tags>",
		"<gzbridgesettings>": "<gzbridgesettings>", "attribute robotId": "robotId",
		"ux, uy, uz and theta": "orientation", "<robotPose>, expected one": "poses"} {
		if strings.Contains(f.Message, text) {
			return f.ID + " " + word
		}
	}
	return f.ID + " " + f.Message
}

func TestReadBIBI_PublicExperiments(t *testing.T) {
	count := map[string]int{}
	functions, populations, steps, bad := 0, 0, 0, 0
	n := each(t, ".bibi", func(file string, document []byte) {
		b, list := experiment.ReadBIBI(file, document, experiment.Options{})
		require.NotNil(t, b, file)
		for _, f := range list {
			if f.ID != "BI03" {
				bad++
				t.Log(f)
			}
			count[f.ID]++
		}
		functions += len(b.Functions)
		populations += b.Populations
		if b.Step > 0 {
			steps++
		}
	})
	require.Equal(t, 78, n)
	require.Equal(t, []int{268, 194, 6, 0}, []int{functions, populations, steps, bad}, "%v", count)
}
