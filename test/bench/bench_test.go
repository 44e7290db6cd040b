package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
	"gosmp/sensor/simsensor"
	"gosmp/sensor/simsensor/demodrive"
	"gosmp/timebase"
)

// scenario is a file to play, with its parameters.
type scenario struct {
	path, unit string
	step       float64 // s
	stop       float64 // s
}

func demo(b testing.TB) scenario {
	b.Helper()
	var data bytes.Buffer
	if err := demodrive.Write(&data); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "demo.csv")
	if err := os.WriteFile(path, data.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return scenario{path, "ms", 0.02, 60}
}

// flightLog returns a recording of 41 s with three sensors at 360 Hz. Without the folder of
// recordings the benchmark is skipped.
func flightLog(b testing.TB) scenario {
	b.Helper()
	root := os.Getenv("GOSMP_TESTDATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	path, err := filepath.Abs(filepath.Join(root, "simsensor", "derived_hover_sorted_us.csv"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		b.Skipf("no flight log: %v; GOSMP_TESTDATA names the folder of recordings", err)
	}
	return scenario{path, "us", 0.0025, 41}
}

// instance creates an instance in step complete, with parameters set by name.
func instance(b testing.TB, s scenario, memory fmu.Memory,
	parameters map[string]any) *fmu.Instance {
	b.Helper()
	d := dummysensor.Definition()
	var log mock.Log
	i, err := fmu.Instantiate(d,
		fmu.Config{InstanceName: "bench", Memory: memory, Deliver: log.Deliver})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(i.Free)
	all := map[string]any{"replay.scenarioFile": s.path, "replay.timeUnit": s.unit}
	for name, value := range parameters {
		all[name] = value
	}
	for name, value := range all {
		ref := []fmi.ValueReference{d.Variables.Named(name).Reference(fmi.FMI2)}
		var status fmi.Status
		switch x := value.(type) {
		case string:
			status = i.SetString(ref, []string{x})
		case bool:
			status = i.SetBoolean(ref, []bool{x})
		}
		if status != fmi.OK {
			b.Fatalf("%s: %v %v", name, status, log.Drain())
		}
	}
	for _, status := range []fmi.Status{
		i.SetupExperiment(fmu.ExperimentSetup{}), i.EnterInitializationMode(),
		i.ExitInitializationMode(),
	} {
		if status != fmi.OK {
			b.Fatal(log.Drain())
		}
	}
	return i
}

// run takes b.N steps and reads the output of each, starting over at the end of the recording
// outside the measured time.
func run(b *testing.B, s scenario, parameters map[string]any) {
	b.ReportAllocs()
	refs, values := []fmi.ValueReference{3, 4, 5}, make([]int32, 3)
	var i *fmu.Instance
	perRun := int(s.stop / s.step)
	for n := range b.N {
		k := n % perRun
		if k == 0 {
			b.StopTimer()
			i = instance(b, s, mock.NewMemory(), parameters)
			for w := range 4 { // the first messages make the buffers grow
				i.DoStep(float64(w)*s.step, s.step)
			}
			b.StartTimer()
		}
		if i.DoStep(float64(k+4)*s.step, s.step) != fmi.OK || i.GetInteger(refs, values) != fmi.OK {
			b.Fatal("step failed")
		}
	}
}

func BenchmarkStepEmpty(b *testing.B) {
	b.Run("gosmp", func(b *testing.B) {
		run(b, scenario{unit: "ms", step: 0.02, stop: 1e6}, map[string]any{"replay.enabled": false})
	})
}

func BenchmarkStepDemo20ms(b *testing.B) { compare(b, demo) }

func BenchmarkStepFlightLog2500us(b *testing.B) { compare(b, flightLog) }

// BenchmarkReadScenario reads the demo from its first row to its last.
func BenchmarkReadScenario(b *testing.B) {
	s := demo(b)
	info, err := os.Stat(s.path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("gosmp", func(b *testing.B) {
		b.SetBytes(info.Size())
		b.ReportAllocs()
		for b.Loop() {
			p, err := simsensor.Open(s.path, simsensor.Options{})
			if err != nil {
				b.Fatal(err)
			}
			var row simsensor.Row
			for ok := true; ok; {
				if _, ok, err = p.Next(timebase.EndOfTime, &row); err != nil {
					b.Fatal(err)
				}
			}
			_ = p.Close()
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(info.Size())
		b.ReportAllocs()
		for b.Loop() {
			p, err := openPlain(s.path, unitSeconds[s.unit])
			if err != nil {
				b.Fatal(err)
			}
			if _, err := p.step(s.stop); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func compare(b *testing.B, find func(testing.TB) scenario) {
	s := find(b)
	b.Run("gosmp", func(b *testing.B) { run(b, s, nil) })
	b.Run("plain", func(b *testing.B) { runPlain(b, s) })
}

// TestPlainDoesTheSameWork keeps the comparison fair, and verifies the messages of the FMU with a
// second implementation.
func TestPlainDoesTheSameWork(t *testing.T) {
	s := demo(t)
	p, err := openPlain(s.path, unitSeconds[s.unit])
	require.NoError(t, err)
	memory := mock.NewMemory()
	i := instance(t, s, memory, nil)
	refs, values := []fmi.ValueReference{3, 4, 5}, make([]int32, 3)
	for k := range 3000 {
		require.Equal(t, fmi.OK, i.DoStep(float64(k)*s.step, s.step))
		require.Equal(t, fmi.OK, i.GetInteger(refs, values))
		found, err := memory.Read(osmp.JoinAddress(values[0], values[1]), int(values[2]))
		require.NoError(t, err)
		wanted, err := p.step(float64(k+1) * s.step)
		require.NoError(t, err)
		if bytes.Equal(wanted, found) {
			continue
		}
		var a, b osi3.SensorData
		require.NoError(t, proto.Unmarshal(wanted, &a))
		require.NoError(t, proto.Unmarshal(found, &b))
		require.Equal(t, prototext.Format(&a), prototext.Format(&b), "step %d", k)
	}
}
