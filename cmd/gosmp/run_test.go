//go:build linux && cgo

package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/run"
	"gosmp/internal/packed"
	"gosmp/internal/testfmu"
)

// TestRunCommand runs the scripts in testdata/run. There, "unruly FILE [2|3] [osmp] [clocks]
// [nolibrary] [ORDER ...]" builds the test FMU; an ORDER is one word, with commas instead of
// blanks. "pack PROGRAM FILE" packs a model of this module, "example NAME" copies one of the
// examples, "zip FILE MEMBER ..." creates an archive.
func TestRunCommand(t *testing.T) {
	folder := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/run",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", e.WorkDir+"/cache")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"interrupt": interruptCommand,
			"format":    formatCommand,
			"samehash": func(ts *testscript.TestScript, _ bool, arguments []string) {
				// standard output contains the trace hash of the file
				hash := regexp.MustCompile(`"traceHash": "[0-9a-f]{64}"`)
				want, got := hash.FindString(ts.ReadFile(arguments[0])),
					hash.FindString(ts.ReadFile("stdout"))
				if want == "" || want != got {
					ts.Fatalf("found %s, expected %s", got, want)
				}
			},
			"pack": func(ts *testscript.TestScript, _ bool, arguments []string) {
				// pack PROGRAM FILE.fmu
				file, err := packed.FMU(folder, arguments[0])
				ts.Check(err)
				fmu, err := os.ReadFile(file)
				ts.Check(err)
				to := ts.MkAbs(arguments[1])
				ts.Check(os.MkdirAll(filepath.Dir(to), 0o700))
				ts.Check(os.WriteFile(to, fmu, 0o600))
			},
			"example": func(ts *testscript.TestScript, _ bool, arguments []string) {
				// example NAME copies a folder of examples
				ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS("../../examples/"+arguments[0])))
			},
			"zip": func(ts *testscript.TestScript, _ bool, arguments []string) {
				// zip FILE MEMBER ...
				f, err := os.Create(ts.MkAbs(arguments[0]))
				ts.Check(err)
				z := zip.NewWriter(f)
				for _, name := range arguments[1:] {
					w, err := z.Create(name)
					ts.Check(err)
					_, err = io.WriteString(w, ts.ReadFile(name))
					ts.Check(err)
				}
				ts.Check(z.Close())
				ts.Check(f.Close())
			},
			"unruly": func(ts *testscript.TestScript, _ bool, arguments []string) {
				r := testfmu.Recipe{}
				for _, word := range arguments[1:] {
					switch word {
					case "2", "3":
						r.Version = int(word[0] - '0')
					case "osmp":
						r.OSMP = true
					case "view": // the FMU sends SensorViews
						r.Describe = func(xml string) string {
							return strings.ReplaceAll(xml, "type=SensorData;", "type=SensorView;")
						}
					case "clocks": // a clock of a tenth of a second, and one for events
						r.Clocks = `<Clock name="beat" valueReference="90" causality="input" intervalVariability="constant" intervalDecimal="0.1" shiftDecimal="0.05"/>
<Clock name="alarm" valueReference="94" causality="output" intervalVariability="triggered"/>
<Clock name="trigger" valueReference="93" causality="input" intervalVariability="triggered"/>
<Float64 name="alarmed" valueReference="106" causality="output" variability="discrete" clocks="94"/>`
					case "tunable":
						r.Clocks = `<Clock name="beat" valueReference="90" causality="input" ` +
							`intervalVariability="tunable" intervalDecimal="0.1"/>`
					case "nolibrary":
						r.Platform = "win64"
					case "60Hz": // proposes 1/60 s and a tolerance
						r.Describe = func(xml string) string {
							return strings.Replace(xml, `stepSize="0.1"`,
								`stepSize="0.016666666666666666" tolerance="0.0001"`, 1)
						}
					case "nospan": // proposes an experiment that cannot be run
						r.Describe = func(xml string) string {
							return regexp.MustCompile(`<DefaultExperiment[^>]*>`).ReplaceAllString(
								xml,
								`<DefaultExperiment startTime="1" stopTime="0" stepSize="0"/>`)
						}
					case "once": // one instance per process
						r.Describe = func(xml string) string {
							return strings.Replace(xml, `modelIdentifier="unruly"`,
								`modelIdentifier="unruly" `+
									`canBeInstantiatedOnlyOncePerProcess="true"`, 1)
						}
					case "fixed":
						r.Describe = func(xml string) string {
							return strings.Replace(xml,
								` canHandleVariableCommunicationStepSize="true"`, "", 1)
						}
					default:
						r.Orders = append(r.Orders, strings.ReplaceAll(word, ",", " "))
					}
				}
				content, err := os.ReadFile(testfmu.Build(t, r))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(arguments[0]), content, 0o600))
			},
		},
	})
}

// Rule 39 of a host: isolation protects against accidents only, and the help says so.
func TestRule39_HelpSaysWhatIsolationIsNot(t *testing.T) {
	require.Contains(t, run.Command{}.Help(),
		"protects against faults, not against malicious code: an FMU is native code that runs "+
			"with your privileges")
}
