package scxml_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
)

// suiteRoot is the directory in which scripts/scxml_suite.sh installs the public test suite: the
// npm package @scion-scxml/test-framework.
const suiteRoot = "testdata/suite/test"

// script is the file next to a chart of the suite: the configurations to expect.
type script struct {
	Initial []string `json:"initialConfiguration"`
	Events  []struct {
		Event struct {
			Name string          `json:"name"`
			Data json.RawMessage `json:"data"`
		} `json:"event"`
		After int64    `json:"after"` // ms
		Next  []string `json:"nextConfiguration"`
	} `json:"events"`
	Legacy *script `json:"legacySemantics"`
}

// The pairs whose results differ from their JSON, with the reason. A pair that passes must be
// removed from the list.
var deviations = map[string]string{
	"w3c-ecma/test201.txml": "needs the optional BasicHTTP processor: refused on purpose, " +
		"experiments run offline",
	"w3c-ecma/test230.txml": "a manual test: the JSON expects a state pass that the " +
		"chart does not have",
	"w3c-ecma/test250.txml": "a manual test: the JSON expects a state pass that the " +
		"chart does not have",
	"w3c-ecma/test307.txml": "a manual test: the JSON expects a state pass that the " +
		"chart does not have",
	"more-parallel/test10": "the first block contradicts Appendix D; legacySemantics is what the " +
		"algorithm gives",
	"more-parallel/test10b": "the first block contradicts Appendix D; legacySemantics is what " +
		"the algorithm gives",
}

func suite(t *testing.T) (charts []string) {
	t.Helper()
	if _, err := os.Stat(suiteRoot); err != nil {
		t.Skip("the public SCXML suite is absent: run scripts/scxml_suite.sh, which needs npm")
	}
	require.NoError(t, filepath.WalkDir(suiteRoot, func(path string, _ fs.DirEntry,
		err error) error {
		if strings.HasSuffix(path, ".scxml") {
			charts = append(charts, strings.TrimSuffix(strings.TrimPrefix(path, suiteRoot+"/"),
				".scxml"))
		}
		return err
	}))
	return charts
}

func readScript(name string) (*script, error) {
	text, err := os.ReadFile(filepath.Join(suiteRoot, name+".json"))
	if err != nil {
		return nil, err
	}
	s := new(script)
	return s, json.Unmarshal(text, s)
}

func TestSuite(t *testing.T) {
	passed, pairs := 0, 0
	for _, name := range suite(t) {
		s, err := readScript(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err, name)
		pairs++
		t.Run(name, func(t *testing.T) {
			err := play(filepath.Join(suiteRoot, name+".scxml"), s)
			if why, listed := deviations[name]; listed {
				require.Error(t, err, "passes now, take it off the list: %s", why)
				return
			}
			require.NoError(t, err)
			passed++
		})
	}
	require.Equal(t, 316, pairs)
	t.Logf("%d of %d pairs", passed, pairs)
	require.GreaterOrEqual(t, passed, 310)
}

type mismatch struct{ step, got, want string }

func (e *mismatch) Error() string {
	return e.step + ": the configuration is " + e.got + ", expected " + e.want
}

func compare(step string, got, want []string) error {
	want = slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return nil
	}
	return &mismatch{step, strings.Join(got, " "), strings.Join(want, " ")}
}

func play(file string, s *script) error {
	chart, err := ecmascript.Load(file)
	if err != nil {
		return err
	}
	sys := scxml.NewSystem(scxml.Options{})
	m, err := sys.Add("", chart)
	if err != nil {
		return err
	}
	if err := m.Start(); err != nil {
		return err
	}
	if err := compare("start", m.Configuration(), s.Initial); err != nil {
		return err
	}
	for _, e := range s.Events {
		if err := sys.Advance(sys.Now() + timebase.Time(e.After)*timebase.Millisecond); err != nil {
			return err
		}
		if m.Running() {
			v, _ := scxml.JSON(string(e.Event.Data))
			if err := m.Handle(scxml.Event{Name: e.Event.Name, Data: v}); err != nil {
				return err
			}
		}
		if err := compare(e.Event.Name, m.Configuration(), e.Next); err != nil {
			return err
		}
	}
	return nil
}
