package model_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/timebase"
)

// twin is a model with each kind of binary variable: it publishes everything it receives.
type twin struct {
	in     *model.Input
	out    *model.Output
	world  *model.Constant
	config *model.ConfigRequest
	gain   float64
	steps  int32
	agreed []byte
}

func newTwin(d *model.Declaration) model.Model {
	t := &twin{in: d.Input(osmp.SensorViewIn), out: d.Output(osmp.SensorDataOut),
		world: d.Constant(osmp.GroundTruthInit)}
	t.config = d.ConfigRequest(t.in, "gain")
	model.Parameter(d, &t.gain, "gain", 2, "", model.Unit("1"))
	model.PlainOutput(d, &t.steps, "steps", "")
	return t
}

func (t *twin) Setup(model.Environment) (err error) {
	t.agreed, err = t.config.Negotiate([]byte{1, byte(t.gain)})
	return err
}

func (t *twin) Step(timebase.Span) error {
	t.steps++
	message := append(t.out.Buffer(), byte(t.steps))
	for _, part := range [][]byte{t.in.Bytes(), t.world.Bytes(), t.agreed} {
		message = append(append(message, byte(len(part))), part...)
	}
	if t.in.Presence() == osmp.NoData && t.steps%2 == 0 {
		return nil // no output in this step
	}
	return t.out.Publish(message)
}

func (t *twin) Snapshot(b []byte) ([]byte, error) { return append(b, byte(t.steps)), nil }

func (t *twin) Restore(b []byte) error {
	if len(b) != 1 {
		return fmt.Errorf("a state of %d bytes, expected one", len(b))
	}
	t.steps = int32(b[0])
	return nil
}

var twinDefinition = model.Definition{Identifier: "Twin", New: newTwin}

// twins returns instances of both versions.
func twins(t modeltest.T) [2]*modeltest.Rig {
	d := twinDefinition.FMU()
	return [2]*modeltest.Rig{modeltest.Host{}.Instantiate(t, d),
		modeltest.Host{}.Instantiate(t, d.Twin())}
}

// Both FMUs of a model give the same messages for the same inputs, even if a state is restored in
// another instance, if each step gets a new input.
func TestTwins_GiveTheSameMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.Byte(), 0, 9)
		pair, spare := twins(t), twins(t)
		world, config := some.Draw(t, "world"), some.Draw(t, "config")
		for _, r := range pair {
			r.Set("gain", 3.0)
			r.Write("OSMPGroundTruthInit", world)
			require.Equal(t, fmi.OK, start(r))
			require.Equal(t, []byte{1, 3}, r.Read("OSMPSensorViewInConfigRequest"))
			r.Write("OSMPSensorViewInConfig", config)
			require.Equal(t, fmi.OK, r.Instance().ExitInitializationMode())
			if len(config) > 0 {
				require.Equal(t, config, r.Read("OSMPSensorViewInConfigRequest"))
			}
		}
		for range rapid.IntRange(1, 9).Draw(t, "steps") {
			in := some.Draw(t, "in")
			restored := rapid.Bool().Draw(t, "restored")
			for k, r := range pair {
				r.Write("OSMPSensorViewIn", in)
				if restored { // with an input that no step has read yet
					spare[k].Restore(r.Save(), r.Now())
					pair[k], spare[k] = spare[k], r
				}
				pair[k].Step(0.5)
			}
			require.Equal(t, bytes.Clone(pair[0].Read("OSMPSensorDataOut")),
				pair[1].Read("OSMPSensorDataOut"))
			require.Equal(t, pair[0].Get("steps"), pair[1].Get("steps"))
		}
	})
}

// start enters initialization mode.
func start(r *modeltest.Rig) fmi.Status {
	i := r.Instance()
	if i.Version() >= fmi.FMI3 {
		return i.Initialize(fmu.ExperimentSetup{})
	}
	return max(i.SetupExperiment(fmu.ExperimentSetup{}), i.EnterInitializationMode())
}

// A Binary keeps its value like every other variable of FMI 3.0, while OSMP's addresses are valid
// for one step. It was copied when it was set.
func TestTwin_InputKeepsItsValue(t *testing.T) {
	r := twins(t)[1]
	r.Start()
	data := []byte{7, 8}
	r.Write("OSMPSensorViewIn", data)
	clear(data)
	for n := range byte(3) {
		r.Step(0.5)
		require.Equal(t, []byte{n + 1, 2, 7, 8, 0, 0}, r.Read("OSMPSensorDataOut"))
	}
	r.Write("OSMPSensorViewIn", []byte{})
	r.Step(0.5)
	require.Nil(t, r.Read("OSMPSensorDataOut"))
	r.Reset()
	r.Start()
	require.Nil(t, r.Read("OSMPSensorDataOut"))
	r.Step(0.5)
	require.Equal(t, []byte{1, 0, 0, 0}, r.Read("OSMPSensorDataOut"))
}

// The variables of OSMP in FMI 3.0: one Binary for each message, with the role full.
func TestTwin_DeclaresOneBinaryForEachMessage(t *testing.T) {
	d := twinDefinition.FMU()
	three := d.Twin()
	require.NoError(t, three.Check())
	require.Equal(t, []fmi.Annotation{osmp.Mark(osmp.Version160)}, three.Annotations)
	require.Equal(t, fmi.ValueReference(0), three.Variables.Named("time").Reference(fmi.FMI3))
	for n, name := range []string{"OSMPSensorViewIn", "OSMPSensorDataOut", "OSMPGroundTruthInit",
		"OSMPSensorViewInConfigRequest", "OSMPSensorViewInConfig"} {
		v := three.Variables.Named(name)
		require.NotNil(t, v, name)
		require.Equal(t, fmi.Binary, v.Type)
		require.Equal(t, fmi.ValueReference(n+1), v.Reference(fmi.FMI3))
		part, is := osmp.PartOf(v.Annotations)
		require.True(t, is)
		require.Equal(t, osmp.Part{Name: name, Role: osmp.Full, MIMEType: v.MIMEType}, part)
		like := d.Variables.Named(name + ".size")
		require.Equal(t, like.Causality, v.Causality)
		require.Equal(t, like.Variability, v.Variability)
		require.Equal(t, like.Initial, v.Initial)
		require.Equal(t, like.Start == nil, v.Start == nil)
	}
	require.Equal(t, []string{"OSMPSensorViewInConfig", "gain"},
		three.Variables.Named("OSMPSensorViewInConfigRequest").DependsOn)
}

// The name of the independent variable gives way to a variable of the model.
func TestTwin_VariableNamedTime(t *testing.T) {
	var x float64
	d := defined(func(d *model.Declaration) {
		model.PlainOutput(d, &x, "time", "of the clock on the wall", model.Unit("s"))
	}).Twin()
	require.NoError(t, d.Check())
	require.Equal(t, fmi.Independent, d.Variables.Named("simulation.time").Causality)
	require.Equal(t, fmi.Output, d.Variables.Named("time").Causality)
}
