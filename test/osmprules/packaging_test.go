package osmprules

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/sensor/dummysensor"
	"gosmp/sensor/simsensor"
	"gosmp/sensor/simsensor/demodrive"
	"gosmp/timebase"
)

func TestP1_PackedFMUIsASlaveWithAllFunctions(t *testing.T) {
	require.Contains(t, string(entry(t, "modelDescription.xml")), `fmiVersion="2.0"`)
	require.Contains(t, string(entry(t, "modelDescription.xml")), "<CoSimulation ")
	require.NotEmpty(t, entry(t, "resources/scenario.csv"))
	library, err := elf.NewFile(bytes.NewReader(entry(t, "binaries/linux64/OSMPDummySensor.so")))
	require.NoError(t, err)
	symbols, err := library.DynamicSymbols()
	require.NoError(t, err)
	exported := 0
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && strings.HasPrefix(s.Name, "fmi2") {
			exported++
		}
	}
	require.Equal(t, 34, exported)
}

// call is a call by the host and the states of FMI 2.0 in which it is legal.
type call struct {
	name  string
	legal []fmi.State
	do    func(*rig) fmi.Status
}

func calls(scenario string) []call {
	const instantiated, initialization, complete, terminated, erroneous = fmi.Instantiated,
		fmi.InitializationMode, fmi.StepComplete,
		fmi.Terminated, fmi.Erroneous
	always := []fmi.State{instantiated, initialization, complete, terminated, erroneous}
	return []call{
		{"setup", []fmi.State{instantiated}, func(r *rig) fmi.Status {
			return r.SetupExperiment(fmu.ExperimentSetup{})
		}},
		{"enter", []fmi.State{instantiated}, func(r *rig) fmi.Status {
			return r.EnterInitializationMode()
		}},
		{"exit", []fmi.State{initialization},
			func(r *rig) fmi.Status { return r.ExitInitializationMode() }},
		{"step", []fmi.State{complete}, (*rig).tryStep},
		{"terminate", []fmi.State{complete}, func(r *rig) fmi.Status { return r.Terminate() }},
		{"reset", always, func(r *rig) fmi.Status {
			r.now = 0
			return r.Reset()
		}},
		{"parameter", []fmi.State{instantiated, initialization}, func(r *rig) fmi.Status {
			return r.host.TrySet("replay.scenarioFile", scenario)
		}},
		{"input", []fmi.State{instantiated, initialization, complete}, func(r *rig) fmi.Status {
			return r.host.TryPoint(viewIn, 0, 0)
		}},
		{"cancel", nil, func(r *rig) fmi.Status { return r.CancelStep() }},
		{"ask", []fmi.State{complete, terminated}, func(r *rig) fmi.Status {
			_, status := r.RealStatus(fmu.LastSuccessfulTime)
			return status
		}},
		{"get", []fmi.State{initialization, complete, terminated, erroneous},
			func(r *rig) fmi.Status {
				_, status := r.host.TryGet("replay.rows")
				return status
			}},
		{"save", always, func(r *rig) fmi.Status {
			_, status := r.GetFMUstate(nil)
			return status
		}},
	}
}

// Legal sequences succeed, illegal calls return fmi2Error and log one line, and nothing panics.
func TestP2_RandomCallSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memory := mock.NewMemory()
		r := instance(t, memory, memory, "")
		known := calls(write(t, sixSensors))
		// Without a scenario the initialization itself would fail.
		require.Equal(t, fmi.OK, known[6].do(r))
		for _, k := range rapid.SliceOfN(rapid.IntRange(0, len(known)-1), 1, 40).Draw(t, "calls") {
			c, before := known[k], r.State()
			if c.name == "reset" {
				require.Equal(t, fmi.OK, c.do(r))
				require.Equal(t, fmi.OK, known[6].do(r))
				continue
			}
			r.log.Drain()
			status := c.do(r)
			if slices.Contains(c.legal, before) {
				require.Equal(t, fmi.OK, status, "%s in state %v: %v", c.name, before, r.log.Lines)
				require.Empty(t, r.log.Lines)
			} else {
				require.Equal(t, fmi.Error, status, "%s in state %v", c.name, before)
				require.Equal(t, fmi.Erroneous, r.State())
				require.Len(t, r.log.Lines, 1)
			}
		}
	})
}

// bundled creates a resources folder with the demo, like the packer.
func bundled(t *testing.T) (folder string, rows int64) {
	t.Helper()
	folder = t.TempDir()
	var demo bytes.Buffer
	require.NoError(t, demodrive.Write(&demo))
	name := filepath.Join(folder, dummysensor.ScenarioResource)
	require.NoError(t, os.WriteFile(name, demo.Bytes(), 0o600))
	p, err := simsensor.Open(name, simsensor.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	var row simsensor.Row
	for {
		_, ok, err := p.Next(timebase.EndOfTime, &row)
		require.NoError(t, err)
		if !ok {
			return folder, p.Counters().Rows
		}
	}
}

func TestP5_DefaultStepIsTheRefreshPeriodAndLosesNoSample(t *testing.T) {
	folder, rows := bundled(t)
	memory := mock.NewMemory()
	r := instance(t, memory, memory, folder)
	require.Equal(t, fmi.OK, r.EnterInitializationMode())
	require.InDelta(t, cycle/1e9, dummysensor.Definition().Experiment.Step, 0)
	require.EqualValues(t, cycle, requestedConfiguration(r).UpdateCycleTime.GetNanos())
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	samples := map[string]int32{}
	for range 60_000_000_000 / cycle {
		r.step()
	}
	total := int32(0)
	for _, k := range simsensor.Kinds() {
		samples[k.String()] = r.host.Get(k.String() + ".count").(int32)
		total += samples[k.String()]
	}
	require.EqualValues(t, rows, total)
	require.EqualValues(t, rows, r.host.Get("replay.rows"))
	require.Greater(t, samples["accelerometer"], int32(5900), "100 Hz through steps of 20 ms")
}

func TestP6_RunsWithEverythingUntouched(t *testing.T) {
	folder, _ := bundled(t)
	memory := mock.NewMemory()
	r := instance(t, memory, memory, folder)
	require.Equal(t, fmi.OK, r.EnterInitializationMode())
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	for range 100 {
		r.step()
		require.NotNil(t, r.message().HostVehicleLocation)
	}
	require.Empty(t, r.log.Lines)
}

// The FMU only reads its own folder and needs nothing else; the working directory does not matter.
func TestP7_NeedsNothingElse(t *testing.T) {
	folder, _ := bundled(t)
	require.NoError(t, os.Chmod(filepath.Join(folder, dummysensor.ScenarioResource), 0o400))
	require.NoError(t, os.Chmod(folder, 0o500))
	t.Cleanup(func() { require.NoError(t, os.Chmod(folder, 0o700)) })
	t.Chdir(t.TempDir())
	memory := mock.NewMemory()
	r := instance(t, memory, memory, folder)
	require.Equal(t, fmi.OK, r.EnterInitializationMode())
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	for range 10 {
		r.step()
	}
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, left, "nothing was written")
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1)
}
