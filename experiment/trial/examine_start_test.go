package trial_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
)

// TestExamine_StartValuesThatNameFiles (BI05): start values that name a file which cannot be read
// are reported with their places. Names are looked up next to the experiment and inside the FMU.
func TestExamine_StartValuesThatNameFiles(t *testing.T) {
	dir := t.TempDir()
	whole, empty := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "empty.csv")
	require.NoError(t, os.WriteFile(whole, []byte("1"), 0o600))
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	open := func(p experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: p.Name, Files: []string{"resources/maps/packed.csv"},
			New: func(trial.Given) (cosim.Participant, error) {
				b := newBrake()
				for _, name := range []string{"map.file", "mode", "logFile", "dir.pathName"} {
					b.variables = append(b.variables, cosim.Variable{Name: name,
						Kind: cosim.String, Role: cosim.Parameter, Size: 1})
				}
				b.variables = append(b.variables, cosim.Variable{Name: "fileCount",
					Kind: cosim.Int32, Role: cosim.Parameter, Size: 1})
				return b, nil
			}}, nil
	}
	for start, want := range map[string]string{
		"mode=fast": "", "mode=": "", "map.file=": "", "fileCount=3": "",
		"map.file=" + whole: "", "mode=" + whole: "", "map.file=" + dir: "",
		"map.file=demo.png": "", "map.file=packed.csv": "", "map.file=maps/packed.csv": "",
		"map.file=acked.csv": "it is not there", "map.file=none.csv": "it is not there",
		"dir.pathName=none":             "it is not there",
		"map.file=" + empty:             "it is empty",
		"mode=" + empty:                 "it is empty",
		"map.file=" + dir + "/none.csv": "it is not there",
		"logFile=" + dir + "/none.csv":  "",
		"mode=" + whole + "/none.csv":   "not a directory",
	} {
		name, value, _ := strings.Cut(start, "=")
		m := files(t, true, "", "")
		m["demo.bibi"].Data = []byte(strings.Replace(string(m["demo.bibi"].Data),
			`src="aeb.fmu"/>`, `src="aeb.fmu"><g:start name="`+name+`" value="`+value+
				`"/></g:fmu>`, 1))
		list := trial.Examine("demo.exc", m["demo.exc"].Data, trial.Options{Files: m, FMU: open})
		got := ""
		for _, f := range list {
			if strings.Contains(f.Message, "names the file") {
				require.Equal(t, "BI05", f.ID)
				require.Equal(t, "demo.bibi", f.Place.File)
				require.Greater(t, f.Place.Line, 1)
				require.Greater(t, f.Place.Column, 1)
				require.Contains(t, f.Message, "the start value "+name+" names the file \""+value)
				got += f.Message
			}
		}
		if want == "" {
			require.Empty(t, got, start)
		} else {
			require.Contains(t, got, want, start)
		}
	}
}

// TestExamine_StartValuesThatMeanNothing (BI05): NaN and what is not the number of an item are
// reported with their places.
func TestExamine_StartValuesThatMeanNothing(t *testing.T) {
	open := func(p experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant, error) {
			b := newBrake()
			b.variables = append(b.variables,
				cosim.Variable{Name: "gain", Kind: cosim.Float64, Role: cosim.Parameter, Size: 2},
				cosim.Variable{Name: "name", Kind: cosim.String, Role: cosim.Parameter, Size: 1},
				cosim.Variable{Name: "gear", Kind: cosim.Int32, Role: cosim.Parameter, Size: 1,
					Enumeration: true, Items: []cosim.Item{{Name: "R", Value: -1},
						{Name: "D", Value: 1}}})
			return b, nil
		}}, nil
	}
	for start, want := range map[string]string{
		"gain=1 NaN": "the start value gain=NaN is not a number",
		"gain=1 INF": "", "gain=-1 2e3": "", "name=NaN": "", "gear=-1": "", "gear=1": "",
		"gear=0": "the start value gear=0 is not the number of an item of its enumeration",
	} {
		name, value, _ := strings.Cut(start, "=")
		m := files(t, true, "", "")
		m["demo.bibi"].Data = []byte(strings.Replace(string(m["demo.bibi"].Data),
			`src="aeb.fmu"/>`, `src="aeb.fmu"><g:start name="`+name+`" value="`+value+
				`"/></g:fmu>`, 1))
		got := ""
		for _, f := range trial.Examine("demo.exc", m["demo.exc"].Data,
			trial.Options{Files: m, FMU: open}) {
			if strings.Contains(f.Message, "the start value") {
				require.Equal(t, "BI05", f.ID)
				require.Greater(t, f.Place.Line, 1)
				got += f.Message
			}
		}
		require.Equal(t, want, got, start)
	}
}
