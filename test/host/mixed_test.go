package host_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/run"
	"gosmp/timebase"
)

// An output with a clock in systems of FMUs for FMI 2.0 and 3.0, each FMU in its own process. All
// get the same messages in the same steps: an FMU for FMI 2.0 needs no clock for that, and no Event
// Mode even if the run asks for it.
func TestMixed_ClockedOutputs(t *testing.T) {
	folder := t.TempDir()
	c := exec.Command("go", "run", "./test/host/modes", "pack", "-fmi", "2,3", "-o",
		filepath.Join(folder, "modes.fmu"))
	c.Dir = filepath.Join("..", "..")
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
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
