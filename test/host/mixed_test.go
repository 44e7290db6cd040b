package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/proto/osi3"
	"gosmp/run"
	"gosmp/timebase"
	"gosmp/trace"
)

// An output with a clock in systems of FMUs for FMI 2.0 and 3.0, each FMU in its own process. All
// get the same messages in the same steps: an FMU for FMI 2.0 needs no clock for that, and no Event
// Mode even if the run asks for it.
func TestMixed_ClockedOutputs(t *testing.T) {
	folder := packBoth(t, "./test/host/modes", "modes.fmu")
	for _, events := range []bool{false, true} {
		for _, from := range []string{"modes.fmu", "modes-fmi3.fmu"} {
			for _, to := range []string{"modes.fmu", "modes-fmi3.fmu"} {
				t.Run(fmt.Sprint(from, " to ", to, ", event mode ", events), func(t *testing.T) {
					heard := listened(t, folder, from, to, events)
					require.Len(t, heard, 11)
					for k, text := range heard {
						require.Equal(t, expected(k, from == "modes-fmi3.fmu"), text, k)
					}
				})
			}
		}
	}
}

// packBoth packs a model for both standards and returns the folder of the two FMUs.
func packBoth(t *testing.T, model, name string) (folder string) {
	folder = t.TempDir()
	c := exec.Command("go", "run", model, "pack", "-fmi", "2,3", "-o", filepath.Join(folder, name))
	c.Dir = filepath.Join("..", "..")
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
	return folder
}

// A sensor requests a SensorViewConfiguration, and a source of the other or the same standard, in
// another process, sends SensorViews as requested. All four mixes have the same messages.
func TestMixed_ConfigurationRequests(t *testing.T) {
	folder := packBoth(t, "./examples/source", "source.fmu")
	var first []byte
	for _, from := range []string{"source.fmu", "source-fmi3.fmu"} {
		for n, to := range []string{packed(t), packedTwin(t)} {
			recorded := filepath.Join(folder, fmt.Sprint(from, n, ".mcap"))
			o := run.Defaults("a="+filepath.Join(folder, from), "b="+to)
			stop := 0.2
			o.StopTime, o.Record = &stop, recorded
			o.Connections = []run.Connection{{From: "a.OSMPSensorViewOut",
				To: "b.OSMPSensorViewIn"}}
			o.StartValues = []run.Assignment{{Variable: "b.sensorId", Value: "77"},
				{Variable: "b.mounting.x", Value: "1.25"}}
			s := run.New(o)
			require.NoError(t, s.Run(context.Background()))
			require.NoError(t, s.Close())
			requireViews(t, recorded, 77, 1.25)
			messages, err := os.ReadFile(recorded)
			require.NoError(t, err)
			if first == nil {
				first = messages
			}
			require.True(t, bytes.Equal(first, messages), "%s to %s", from, to)
		}
	}
}

// requireViews checks the sensor that the source's messages are for.
func requireViews(t *testing.T, path string, id uint64, x float64) {
	source, err := trace.Open(path, trace.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, source.Close()) }()
	views := 0
	for {
		m, err := source.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if m.Channel.Topic != "a.OSMPSensorViewOut" {
			continue
		}
		var view osi3.SensorView
		require.NoError(t, proto.Unmarshal(m.Data, &view))
		require.Equal(t, id, view.GetSensorId().GetValue())
		require.Equal(t, x, view.GetMountingPosition().GetPosition().GetX())
		views++
	}
	require.Equal(t, 10, views)
}

// expected returns the message that is heard in step k of 0.1 s: there is one at each multiple of
// 0.3 s. A message with a clock stays until the next tick.
func expected(k int, stays bool) string {
	if k > 2 && (k%3 == 0 || stays) {
		return fmt.Sprintf("fix %d at %.3f", k/3, float64(k/3)*0.3)
	}
	return ""
}

// listened runs the system and returns the messages that the second FMU has heard at each point.
func listened(t *testing.T, folder, from, to string, events bool) (heard []string) {
	o := run.Defaults("a="+filepath.Join(folder, from), "b="+filepath.Join(folder, to))
	step, stop := 0.1, 1.0
	o.StepSize, o.StopTime, o.EventMode = &step, &stop, events && (from+to != "modes.fmumodes.fmu")
	o.Connections = []run.Connection{{From: "a.OSMPHostVehicleDataOut",
		To: "b.OSMPHostVehicleDataIn"}}
	o.Observe = func(s *run.Simulation) error {
		s.Engine.Observe(listener{s.Engine.Watch("b.heard"), &heard})
		return nil
	}
	s := run.New(o)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Run(context.Background()))
	return heard
}

// listener collects the texts of a variable. With events there are two rows for the same time, of
// which the second one counts.
type listener struct {
	signal *cosim.Signal
	texts  *[]string
}

func (listener) Begin(*cosim.Result) error { return nil }
func (listener) End(*cosim.Result) error   { return nil }

func (l listener) Row(t timebase.Time, _ cosim.Row) error {
	_, text := l.signal.First()
	*l.texts = append((*l.texts)[:min(len(*l.texts), int(t/(100*timebase.Millisecond)))],
		string(text))
	return nil
}
