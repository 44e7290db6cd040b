package trial_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// chauffeur drives straight ahead at the observed speed, and stops before the next object if it
// brakes.
type chauffeur struct {
	brakes  bool
	posing  uint64 // the id that it claims to have, 0 for its own
	in, out *cosim.Frame
}

func (d *chauffeur) Variables() []cosim.Variable {
	return []cosim.Variable{
		{Name: "OSMPSensorViewIn", Kind: cosim.Binary, Role: cosim.Input, Size: 1,
			MIMEType: osmp.MIMEType("SensorView")},
		{Name: "OSMPTrafficUpdateOut", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: osmp.MIMEType("TrafficUpdate")},
	}
}
func (d *chauffeur) Traits() cosim.Traits {
	return cosim.Traits{VariableSteps: true, Keeps: true}
}
func (d *chauffeur) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	d.in, d.out = cosim.NewFrame(d.Variables(), in), cosim.NewFrame(d.Variables(), out)
	return d.in, d.out, nil
}
func (d *chauffeur) Enter(context.Context, cosim.Setup) error                { return nil }
func (d *chauffeur) Exchange(context.Context) error                          { return nil }
func (d *chauffeur) Leave(context.Context) error                             { return nil }
func (d *chauffeur) Stop(context.Context) error                              { return nil }
func (d *chauffeur) Close() error                                            { return nil }
func (d *chauffeur) AppendState(_ context.Context, b []byte) ([]byte, error) { return b, nil }
func (d *chauffeur) RestoreState(context.Context, []byte) error              { return nil }

func (d *chauffeur) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	v := &osi3.SensorView{}
	if err := proto.Unmarshal(d.in.Blob(0, 0), v); err != nil {
		return cosim.Advance{}, err
	}
	var x, y, speed, ahead float64
	for _, o := range v.GlobalGroundTruth.MovingObject {
		if o.Id.GetValue() == v.HostVehicleId.GetValue() {
			x, y, speed = *o.Base.Position.X, *o.Base.Position.Y, *o.Base.Velocity.X
		} else {
			ahead = *o.Base.Position.X
		}
	}
	h := s.Length().Seconds()
	a := 0.0
	if gap := ahead - x - 8; d.brakes && (speed*speed/(2*max(gap, 0.01)) > 4 || speed < 1) {
		a = max(-9, -speed/h)
	}
	x, speed = x+speed*h+a*h*h/2, speed+a*h
	if d.posing != 0 {
		v.HostVehicleId = &osi3.Identifier{Value: &d.posing}
	}
	b, err := proto.Marshal(&osi3.TrafficUpdate{Update: []*osi3.MovingObject{{Id: v.HostVehicleId,
		Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: &x, Y: &y},
			Velocity: &osi3.Vector3D{X: &speed}}}}})
	d.out.SetBlob(0, 0, b)
	return cosim.Advance{Reached: s.End}, err
}

// loop opens the experiment of examples/loop, with a driver in Go.
func loop(t *testing.T, name string, o trial.Options, changes ...string) *trial.Trial {
	t.Helper()
	return loopWith(t, name, o, func(p experiment.Participant) cosim.Participant {
		return &chauffeur{brakes: len(p.Start) == 0}
	}, changes...)
}

// loopWith is like loop, with a test's own driver.
func loopWith(t *testing.T, name string, o trial.Options,
	made func(experiment.Participant) cosim.Participant, changes ...string) *trial.Trial {
	t.Helper()
	const dir = "../../examples/loop/"
	m := fstest.MapFS{"OSMPDriver.fmu": {}}
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range list {
		text, err := os.ReadFile(dir + f.Name())
		require.NoError(t, err)
		m[f.Name()] = &fstest.MapFile{Data: []byte(strings.NewReplacer(changes...).
			Replace(string(text)))}
	}
	o.Files = m
	o.FMU = func(p experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant, error) {
			return made(p), nil
		}}, nil
	}
	x, err := trial.Open(name, m[name].Data, o)
	require.NoError(t, err)
	return x
}

func TestDrives_AParticipantDecidesTheVerdict(t *testing.T) {
	v, err := loop(t, "loop.exc", trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "passed", v.Outcome, v.Cause)
	x := loop(t, "unbraked.exc", trial.Options{})
	v, err = x.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "failed", v.Outcome)
	require.Contains(t, v.Cause, "collision")
	for _, c := range x.Course().Curves { // the machine has put the cars in motion at the start
		if strings.HasSuffix(c.Name, ".speed") {
			require.InDelta(t, 20, c.Buckets[0].High, 1e-9, c.Name)
			require.InDelta(t, 20, c.Buckets[0].Low, 1e-9, c.Name)
		}
	}
}

// A machine takes the vehicle from its driver, and gives it back.
func TestDrives_MachinesTakeAndRelease(t *testing.T) {
	var log []string
	o := trial.Options{Log: func(line string) { log = append(log, line) }}
	x := loop(t, "unbraked.exc", o, `<send event="obstacle" delay="5s"/>`, `
		<send event="take" delay="1s"/><send event="give" delay="2s"/>`,
		`<transition event="obstacle" target="braking"/>`, `
		<transition event="take"><send type="experiment" event="controls">
			<content expr="({name: 'ego', brake: 0.5})"/></send></transition>
		<transition event="give"><send type="experiment" event="release">
			<content expr="({name: 'ego'})"/></send></transition>
		<transition event="not.owner"><log expr="'told ' + _event.data.actor"/></transition>`)
	require.NoError(t, x.Initialize(t.Context()))
	require.NoError(t, x.Start())
	var speeds []float64
	for range 150 {
		_, err := x.Step(t.Context())
		require.NoError(t, err)
		c := x.Course().Curves[0]
		speeds = append(speeds, c.Buckets[len(c.Buckets)-1].Last)
	}
	require.InDelta(t, 20, speeds[48], 1e-6)
	require.InDelta(t, 15.4, speeds[99], 0.3, "braked by the machine for 1 s")
	require.InDelta(t, speeds[101], speeds[149], 1e-6, "kept by the driver")
	require.Contains(t, strings.Join(log, "\n"), "told ego")
}

// A machine receives an event for updates about an actor that does not exist, and the check of
// machines knows the events about drivers.
func TestDrives_ReportsUnknownActors(t *testing.T) {
	var log []string
	o := trial.Options{Log: func(line string) { log = append(log, line) }}
	x := loopWith(t, "loop.exc", o, func(experiment.Participant) cosim.Participant {
		return &chauffeur{posing: 4242}
	}, `<transition event="obstacle" target="braking"/>`,
		`<transition event="unknown.actor"><log expr="'of ' + _event.data.actor"/></transition>`)
	require.NoError(t, x.Initialize(t.Context()))
	require.NoError(t, x.Start())
	for range 3 {
		_, err := x.Step(t.Context())
		require.NoError(t, err)
	}
	require.Contains(t, strings.Join(log, "\n"), "of ego")
	require.Subset(t, experiment.Events, []string{"silent", "not.owner", "unknown.actor",
		"body.velocity", "jump", "dismissed", "not.pending"})
}

func TestDrives_Resumes(t *testing.T) {
	play := func(x *trial.Trial, n int) {
		for range n {
			_, err := x.Step(t.Context())
			require.NoError(t, err)
		}
	}
	one := loop(t, "loop.exc", trial.Options{})
	require.NoError(t, one.Initialize(t.Context()))
	require.NoError(t, one.Start())
	play(one, 300)
	require.NoError(t, one.Pause())
	saved, err := one.AppendState(t.Context(), nil)
	require.NoError(t, err)
	want, err := one.Run(t.Context())
	require.NoError(t, err)
	other := loop(t, "loop.exc", trial.Options{})
	require.NoError(t, other.Resume(t.Context(), saved))
	got, err := other.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestDrives_Refuses(t *testing.T) {
	for want, change := range map[string][2]string{
		`drives "nobody", which is not a vehicle of loop.exc`: {`drives="ego"`, `drives="nobody"`},
		"ego is already driven, by line 5": {`  <timestep>`,
			`  <g:fmu name="two" src="OSMPDriver.fmu" drives="ego"/><timestep>`},
	} {
		_, err := trialOf(t, change)
		require.ErrorIs(t, err, trial.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// trialOf opens the experiment with changes to its files.
func trialOf(t *testing.T, change [2]string) (*trial.Trial, error) {
	m := fstest.MapFS{"OSMPDriver.fmu": {}}
	for _, name := range []string{"loop.exc", "loop.bibi", "loop.png", "road.xodr", "traffic.scxml",
		"stops.scxml"} {
		text, err := os.ReadFile("../../examples/loop/" + name)
		require.NoError(t, err)
		m[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(text), change[0], change[1],
			1))}
	}
	return trial.Open("loop.exc", m["loop.exc"].Data, trial.Options{Files: m})
}
