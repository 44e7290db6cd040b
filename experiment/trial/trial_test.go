package trial_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// brake is a controller written in Go that brakes fully when the time to collision is short.
type brake struct {
	variables []cosim.Variable
	in, out   *cosim.Frame
	fail      bool
}

func newBrake() *brake {
	b := &brake{}
	for _, name := range []string{"x", "speed", "leadX", "leadSpeed"} {
		b.variables = append(b.variables, cosim.Variable{Name: name, Kind: cosim.Float64,
			Role: cosim.Input, Size: 1})
	}
	b.variables = append(b.variables, cosim.Variable{Name: "request", Kind: cosim.Float64,
		Role: cosim.Output, Size: 1})
	return b
}

func (b *brake) Variables() []cosim.Variable { return b.variables }

func (b *brake) Traits() cosim.Traits {
	return cosim.Traits{VariableSteps: true, Keeps: true}
}

func (b *brake) Bind(inputs, outputs []int) (*cosim.Frame, *cosim.Frame, error) {
	b.in, b.out = cosim.NewFrame(b.variables, inputs), cosim.NewFrame(b.variables, outputs)
	return b.in, b.out, nil
}

func (b *brake) Enter(context.Context, cosim.Setup) error { return nil }

func (b *brake) Exchange(context.Context) error { return nil }

func (b *brake) Leave(context.Context) error { return nil }

func (b *brake) Stop(context.Context) error { return nil }

func (b *brake) Close() error { return nil }

func (b *brake) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if b.fail && s.Start >= timebase.Second {
		return cosim.Advance{}, os.ErrDeadlineExceeded
	}
	var v [4]float64
	for port := range b.in.Ports {
		v[b.in.Ports[port].Variable] = b.in.Float(port, 0)
	}
	gap, closing := v[2]-v[0]-5, v[1]-v[3]
	request := b.out.Float(0, 0)
	if closing > 0 && gap < 3*closing {
		request = 1
	}
	b.out.SetFloat(0, 0, request)
	return cosim.Advance{Reached: s.End}, nil
}

const wires = `<g:connection from="ego.x" to="aeb.x"/><g:connection from="ego.speed" to="aeb.speed"/>
<g:connection from="lead.x" to="aeb.leadX"/><g:connection from="lead.speed" to="aeb.leadSpeed"/><g:connection from="aeb.request" to="ego.brake"/>
<g:fmu name="aeb" src="aeb.fmu"/>`

// files returns the experiment of testdata, with or without the brake.
func files(t *testing.T, braked bool, changes ...string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{"demo.png": {}, "aeb.fmu": {}}
	for _, name := range []string{"road.xodr", "demo.bibi", "demo.exc", "traffic.scxml",
		"stops.scxml"} {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		s := strings.NewReplacer(changes...).Replace(string(text))
		if name == "demo.bibi" && braked {
			s = strings.Replace(s, "<timestep>", wires+"<timestep>", 1)
		}
		m[name] = &fstest.MapFile{Data: []byte(s)}
	}
	return m
}

func open(t *testing.T, m fstest.MapFS, o trial.Options) *trial.Trial {
	t.Helper()
	o.Files = m
	if o.FMU == nil {
		o.FMU = func(p experiment.Participant) (trial.Maker, error) {
			return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant,
				error) {
				return newBrake(), nil
			}}, nil
		}
	}
	x, err := trial.Open("demo.exc", m["demo.exc"].Data, o)
	require.NoError(t, err)
	return x
}

func TestRun_PassesWithTheBrakeAndFailsWithoutIt(t *testing.T) {
	verdict, err := open(t, files(t, true), trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "passed", verdict.Outcome, "%+v", verdict)
	require.True(t, verdict.Passed)
	require.Zero(t, verdict.ExitCode())
	require.Equal(t, trial.Stopped, verdict.State)
	require.Equal(t, "decision", verdict.EndedBy)
	require.Equal(t, "success", verdict.Judgments[1].Outcome)
	var data struct{ Gap float64 }
	require.NoError(t, json.Unmarshal(verdict.Judgments[1].Data, &data))
	require.Greater(t, data.Gap, 4.0, "the cars are longer than that")

	verdict, err = open(t, files(t, false), trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "failed", verdict.Outcome, "%+v", verdict)
	require.Equal(t, 1, verdict.ExitCode())
	require.Equal(t, "failure", verdict.Judgments[1].Outcome)
	require.Contains(t, verdict.Cause, "stops: from watching to failure")
	require.Contains(t, verdict.Cause, "collision")
}

// TestRun_RepeatsItself tests X24 and EX18: the same files and seed give the same bytes; a missing
// seed is drawn and reported.
func TestRun_RepeatsItself(t *testing.T) {
	play := func(o trial.Options, m fstest.MapFS) (string, *trial.Verdict) {
		var log, out bytes.Buffer
		o.Log = func(line string) { log.WriteString(line + "\n") }
		x := open(t, m, o)
		v, err := x.Run(t.Context())
		require.NoError(t, err)
		require.NoError(t, v.WriteJSON(&out))
		require.NoError(t, v.WriteJUnit(&out))
		out.WriteString(course(t, x))
		return log.String() + out.String(), v
	}
	a, _ := play(trial.Options{}, files(t, true))
	b, _ := play(trial.Options{}, files(t, true))
	require.Equal(t, a, b)
	unseeded := files(t, true, "<rngSeed>1</rngSeed>", "")
	_, v := play(trial.Options{}, unseeded)
	require.True(t, v.SeedDrawn)
	require.NotZero(t, v.Seed)
	c, again := play(trial.Options{Seed: v.Seed}, unseeded)
	require.Equal(t, v.TraceHash, again.TraceHash)
	require.Contains(t, c, "--rng-seed")
}

// TestReset_StartsAnew resets a trial midway, after which it gives the results of a new one.
func TestReset_StartsAnew(t *testing.T) {
	once, err := open(t, files(t, true), trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	x := open(t, files(t, true), trial.Options{})
	require.NoError(t, x.Initialize(t.Context()))
	require.NoError(t, x.Start())
	for range 100 {
		more, err := x.Step(t.Context())
		require.NoError(t, err)
		require.True(t, more)
	}
	require.Equal(t, 2*timebase.Second, x.Now())
	require.NoError(t, x.Reset(t.Context()))
	require.Equal(t, trial.Paused, x.State())
	require.Zero(t, x.Now())
	require.NoError(t, x.Start())
	for more := true; more; {
		more, err = x.Step(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, x.Stop(t.Context()))
	require.Equal(t, once, x.Verdict())
}

// TestLife_Table tests the life cycle of the platform: the next state for each call, and the calls
// that are refused.
func TestLife_Table(t *testing.T) {
	ctx := t.Context()
	calls := map[string]func(*trial.Trial) error{
		"Initialize": func(x *trial.Trial) error { return x.Initialize(ctx) },
		"Start":      (*trial.Trial).Start,
		"Pause":      (*trial.Trial).Pause,
		"Step":       func(x *trial.Trial) error { _, err := x.Step(ctx); return err },
		"Reset":      func(x *trial.Trial) error { return x.Reset(ctx) },
		"Stop":       func(x *trial.Trial) error { return x.Stop(ctx) },
	}
	for _, c := range []struct {
		way  string
		want trial.State // "" if the last call is refused
	}{
		{"Initialize", trial.Paused}, {"Start", ""}, {"Pause", ""}, {"Step", ""}, {"Reset", ""},
		{"Stop", trial.Stopped},
		{"Initialize Start", trial.Started}, {"Initialize; Initialize", ""}, {"Initialize Pause",
			""}, {"Initialize Step", ""},
		{"Initialize Reset", trial.Paused}, {"Initialize Stop", trial.Stopped},
		{"Initialize Start; Start", ""}, {"Initialize Start Step", trial.Started},
		{"Initialize Start Pause", trial.Paused}, {"Initialize Start Pause Start", trial.Started},
		{"Initialize Start Pause Step", ""},
		{"Initialize Start Reset", trial.Paused}, {"Initialize Start Stop", trial.Stopped},
		{"Initialize Start Stop Start", ""}, {"Stop Initialize", ""},
	} {
		x := open(t, files(t, true), trial.Options{})
		require.Equal(t, trial.Created, x.State())
		var err error
		for _, call := range strings.Fields(strings.ReplaceAll(c.way, ";", " ")) {
			require.NoError(t, err, c.way)
			err = calls[call](x)
		}
		if c.want == "" {
			require.ErrorIs(t, err, trial.ErrState, c.way)
			continue
		}
		require.NoError(t, err, c.way)
		require.Equal(t, c.want, x.State(), c.way)
		if x.State() != trial.Stopped {
			require.NoError(t, x.Stop(ctx))
		}
	}
}

func TestRun_ParticipantFails(t *testing.T) {
	o := trial.Options{FMU: func(p experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant,
			error) {
			b := newBrake()
			b.fail = true
			return b, nil
		}}, nil
	}}
	v, err := open(t, files(t, true, `event="collision" target`,
		`event="participant.failed" target`), o).Run(t.Context())
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Equal(t, trial.Halted, v.State)
	require.Equal(t, "error", v.Outcome)
	require.Equal(t, 4, v.ExitCode())
	require.Equal(t, "failure", v.Judgments[1].Outcome, "machines see it")
	require.Contains(t, v.Cause, "aeb: at 1.0 s")

	o.FMU = func(p experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant,
			error) {
			return nil, os.ErrNotExist
		}}, nil
	}
	x := open(t, files(t, true), o)
	require.ErrorIs(t, x.Initialize(t.Context()), os.ErrNotExist)
	require.Equal(t, trial.Failed, x.State())
}

// still is a clock that advances by a second each time it is read.
type still struct{ now timebase.Time }

func (c *still) Now() timebase.Time {
	c.now += timebase.Second
	return c.now
}

func (c *still) Wait(<-chan struct{}, timebase.Duration, <-chan struct{}) {}

func TestRun_Timeout(t *testing.T) {
	never := []string{`event="step" cond`, `event="never" cond`}
	v, err := open(t, files(t, true, never...), trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{"timeout", "timeout", 30.0, 3, "undecided"}, []any{v.Outcome, v.EndedBy,
		v.Time, v.ExitCode(), v.Judgments[1].Outcome})

	extended := append(slices.Clone(never), `<transition event="error" target="lost"/>`,
		`<transition event="error" target="lost"/>
	<transition event="sim.timeout" cond="_x.time &lt; 31"><send type="experiment" event="extend"><param name="seconds" expr="2.5"/></send></transition>`)
	v, err = open(t, files(t, true, extended...), trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.InDelta(t, 32.5, v.Time, 0.02)

	real := append(slices.Clone(never), `time="simulation"`, `time="real"`)
	v, err = open(t, files(t, true, real...), trial.Options{Clock: &still{}}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "timeout", v.EndedBy)
	require.Less(t, v.Time, 30.0, "the clock runs faster than the simulation")
	require.Equal(t, "real", v.TimeoutClock)
	require.Contains(t, v.Summary(), "timeout of real time at")
}

// A timeout that names no clock counts simulated time, so that the verdict of a run at full speed
// does not depend on the computer. It counts real time if a clock or a person sets the pace.
func TestRun_TimeoutWithoutClock(t *testing.T) {
	never := []string{`event="step" cond`, `event="never" cond`, ` time="simulation"`, ""}
	commands := make(chan trial.Command)
	close(commands)
	for name, c := range map[string]struct {
		o     trial.Options
		clock string
	}{
		"as fast as possible": {trial.Options{}, "simulation"},
		"held back":           {trial.Options{Speed: 1e6}, "real"},
		"commands have ended": {trial.Options{Commands: commands}, "real"},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Clock = &still{}
			v, err := open(t, files(t, true, never...), c.o).Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, []any{"timeout", c.clock}, []any{v.Outcome, v.TimeoutClock})
			require.Equal(t, c.clock == "simulation", v.Time == 30, v.Time)
		})
	}
}

// TestActions runs a machine that performs every action.
func TestActions(t *testing.T) {
	chart := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="seen" expr="[]"/></datamodel>
	<state id="a"><transition event="sim.started" target="b"/></state>
	<state id="b"><onentry>
	<send type="experiment" event="create"><content expr="({name: 'walker', kind: 'pedestrian', x: 100, y: -5, yaw: 1.5})"/></send>
	<send type="experiment" event="move"><content expr="({name: 'walker', x: 200, y: -1.75})"/></send>
	<send type="experiment" event="watch.zone"><content expr="({name: 'finish', x: 30, y: -1.75, radius: 5})"/></send>
	<send type="experiment" event="watch.signal"><content expr="({name: 'fast', variable: 'ego.speed', above: 9})"/></send>
	<send type="experiment" event="drive"><content expr="({name: 'ego', speed: 10, accel: 3})"/></send>
	<send type="experiment" event="log"><param name="text" expr="'here'"/></send></onentry>
	<transition event="zone.entered" cond="_event.data.actor == 'ego'"><script>seen.push('zone ' + _event.data.zone)</script></transition>
	<transition event="signal.crossed" cond="_event.data.beyond &amp;&amp; _event.data.variable == 'ego.speed'"><script>seen.push('fast ' + (_event.data.value &gt; 9))</script>
	  <send type="experiment" event="destroy"><param name="name" expr="'walker'"/></send>
	  <send type="experiment" event="destroy"><param name="name" expr="'nobody'"/></send></transition>
	<transition event="error.communication"><script>seen.push('error')</script>
	  <send type="experiment" event="set"><content expr="({variable: 'lead.throttle', value: 1})"/></send></transition>
	<transition event="data.lead.speed" cond="_event.data.value &gt; 1" target="c"><script>seen.push(_x.experiment)</script></transition></state>
	<state id="c"><onentry><send type="experiment" event="stop"><param name="reason" expr="seen.join()"/></send></onentry></state></scxml>`
	m := files(t, true, `yaw="0"/>
  </environmentModel>`, `yaw="0"/></environmentModel>`, `x="50" y="-1.75"`, `x="500" y="-1.75"`)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(chart)}
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	fast, zone := strings.Index(v.EndedBy, "fast true"), strings.Index(v.EndedBy, "zone finish")
	require.True(t, fast > 0 && zone > 0, v.EndedBy)
	require.Contains(t, v.EndedBy, "error")
	require.Contains(t, v.EndedBy, "Emergency braking")
}

// TestCreate_OnARoad: an actor is placed on a lane, at a place along the road, with a speed.
func TestCreate_OnARoad(t *testing.T) {
	chart := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="v" expr="null"/></datamodel>
	<state id="a"><transition event="sim.started" target="b"/></state>
	<state id="b"><onentry>
	<send type="experiment" event="create"><content expr="({name: 'truck', kind: 'truck', road: '1', lane: -1, s: 123, speed: 8})"/></send>
	</onentry>
	<transition event="step" target="c"><assign location="v" expr="_event.data.actors.truck"/></transition></state>
	<state id="c"><onentry><send type="experiment" event="stop"><param name="reason" expr="JSON.stringify(v)"/></send></onentry></state></scxml>`
	m := files(t, true)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(chart)}
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	_, text, found := strings.Cut(v.EndedBy, "stop: ")
	require.True(t, found, v.EndedBy)
	var truck struct {
		Kind        string
		X, Y, Speed float64
	}
	require.NoError(t, json.Unmarshal([]byte(text), &truck))
	require.Equal(t, "truck", truck.Kind)
	require.InDelta(t, 123, truck.X, 0.5)
	require.InDelta(t, -1.75, truck.Y, 0.5)
	require.InDelta(t, 8, truck.Speed, 0.2)
}

// TestOwnEvents tests X35: the experiment's own events, the events of watched values, and the
// contents of _x. Timeouts are in TestRun_Timeout.
func TestOwnEvents(t *testing.T) {
	chart := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="n" expr="0"/></datamodel><state id="a">
	<transition event="sim.*" type="internal"><log expr="_event.name + ' at ' + _x.time"/></transition>
	<transition event="data.ego.x" cond="n++ == 0"><log expr="_event.name + ' ' + typeof _event.data.value"/></transition>
	<transition event="step" cond="_x.time == 0.04"><log expr="[_x.seed, _x.machine, _x.experiment].join()"/></transition></state></scxml>`
	m := files(t, true)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(chart)}
	var log []string
	x := open(t, m, trial.Options{Log: func(line string) { log = append(log, line) }})
	require.NoError(t, x.Initialize(t.Context()))
	require.NoError(t, x.Start())
	for k := range 4 {
		_, err := x.Step(t.Context())
		require.NoError(t, err)
		if k == 2 {
			require.NoError(t, x.Pause())
			require.NoError(t, x.Start())
		}
	}
	all := strings.Join(log, "\n")
	at := -1
	for _, want := range []string{"sim.started at 0", "data.ego.x number",
		"1,traffic,Emergency braking", "sim.paused at 0.06"} {
		next := strings.Index(all, want)
		require.Greater(t, next, at, "%s in\n%s", want, all)
		at = next
	}
}

// TestChannels tests X33: registerEvent reads a variable, Message writes one, and a service acts.
func TestChannels(t *testing.T) {
	chart := `<scxml xmlns="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/scxml" xmlns:ros="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS"
	xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="1.0" datamodel="ecmascript">
	<registerEvent event="speed" xsi:type="ros:MessageOnROSTopic" topic="lead.speed" data_class="float"/>
	<state id="a"><onentry>
	  <send xsi:type="ros:Message" type="ros-message" target="lead.throttle" data_type="float"><param name="data" expr="1"/></send>
	  <send xsi:type="ros:ServiceRequest" type="ros-service-request" target="spawn" service_type="x" event="spawned"><param name="name" expr="'x'"/><param name="x" expr="300"/><param name="y" expr="-1.75"/></send></onentry>
	  <transition event="spawned" cond="_event.data.success" target="b"/></state>
	<state id="b"><transition event="speed" cond="_event.data &gt; 2" target="c"/></state><state id="c"><onentry><send type="experiment" event="stop"/></onentry></state></scxml>`
	m := files(t, true)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(chart)}
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stop", v.EndedBy)
	require.Less(t, v.Time, 5.0)
}

// probe records when it first sees a value at its input.
type probe struct {
	*brake
	seen timebase.Time
}

func (p *probe) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	for port := range p.in.Ports {
		if p.in.Float(port, 0) == 5 && p.seen == 0 {
			p.seen = s.Start
		}
	}
	return cosim.Advance{Reached: s.End}, nil
}

// TestTimers_RingAtTheirTime tests X21: with steps of 30 ms, an event due at 100 ms is handled at
// 100 ms, and participants see the values it sets at the next communication point, at 120 ms.
func TestTimers_RingAtTheirTime(t *testing.T) {
	m := files(t, true, "<timestep>20<", "<timestep>30<")
	m["demo.bibi"].Data = []byte(strings.Replace(string(m["demo.bibi"].Data),
		`<g:connection from="ego.speed" to="aeb.speed"/>`, "", 1))
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">
	<onentry><send event="go" delay="100ms"/><send event="end" delay="300ms"/></onentry>
	<transition event="go"><send type="experiment" event="set"><param name="variable" expr="'aeb.speed'"/><param name="value" expr="_x.time * 50"/></send></transition>
	<transition event="end"><send type="experiment" event="stop"/></transition></state></scxml>`)}
	p := &probe{brake: newBrake()}
	v, err := open(t, m, trial.Options{FMU: func(x experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: x.Name, New: func(trial.Given) (cosim.Participant,
			error) {
			return p, nil
		}}, nil
	}}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stop", v.EndedBy)
	require.Equal(t, 120*timebase.Millisecond, p.seen)
}

// TestOpen_RefusesUnknownServices tests X33: a service that the simulator lacks is an error before
// the run.
func TestOpen_RefusesUnknownServices(t *testing.T) {
	m := files(t, true)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(`<scxml xmlns="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/scxml" version="1.0" datamodel="ecmascript">
	<state id="a"><onentry><send xmlns:ros="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
	  xsi:type="ros:ServiceRequest" target="set_material" service_type="x"/></onentry></state></scxml>`)}
	_, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m})
	require.ErrorIs(t, err, trial.ErrInvalid)
	require.ErrorContains(t, err, `traffic.scxml:3:42: `)
	require.ErrorContains(t, err,
		`found the service "set_material", expected spawn, delete or set_pose`)
}

// TestMessages tests X34: a machine reads fields of a message, as an event, in an event step and by
// registerEvent.
func TestMessages(t *testing.T) {
	chart := `<scxml xmlns="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/scxml" xmlns:ros="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS"
	xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="1.0" datamodel="ecmascript">
	<registerEvent event="seen" xsi:type="ros:MessageOnROSTopic" topic="ego.view" data_class="osi3.SensorView"/>
	<state id="a"><onentry><send type="experiment" event="controls"><content expr="({name: 'lead', throttle: 1})"/></send></onentry>
	  <transition event="data.ego.view" cond="_event.data.value.global_ground_truth.moving_object[1].base.velocity.x &gt; 1" target="b"/></state>
	<state id="b"><transition event="seen" cond="_event.data.global_ground_truth.moving_object[1].type == 'TYPE_VEHICLE' &amp;&amp; _event.data.timestamp.nanos &gt; 0" target="c"/></state>
	<state id="c"><transition event="step" cond="_event.data.values['ego.view'].host_vehicle_id.value == 1" target="d"/></state>
	<state id="d"><onentry><send type="experiment" event="stop"/></onentry></state></scxml>`
	m := files(t, false)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(chart)}
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stop", v.EndedBy)
	require.InDelta(t, 0.3, v.Time, 0.1, "1 m/s at 4 m/s2")
}

func TestOpen_RefusesWhatCannotRun(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"demo.bibi\"", "nothing.bibi\""}: "EX22",
		{"<bibi ", "<bobo "}:              "BI01",
		{`event="brake" target="braking"`, `event="brake" target="nowhere"`}: `target "nowhere" ` +
			`is not a state`,
		{"<rngSeed>1", "<rngSeed>0"}:                "EX18",
		{"car</bodyModel>", "tank.sdf</bodyModel>"}: "",
	} {
		m := files(t, false, change[0], change[1])
		x, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m})
		if want == "" {
			require.NoError(t, err)
			require.ErrorIs(t, x.Initialize(t.Context()), trial.ErrInvalid)
			continue
		}
		require.Error(t, err)
		require.ErrorContains(t, err, want)
	}
}

// TestRun_ViewsAreMessagesOfTheSimulator connects the SensorView of a vehicle and decodes the last
// one.
func TestRun_ViewsAreMessagesOfTheSimulator(t *testing.T) {
	eye := newEye()
	o := trial.Options{FMU: func(p experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant,
			error) {
			return eye, nil
		}}, nil
	}}
	m := files(t, false, "<timestep>",
		`<g:fmu name="eye" src="aeb.fmu"/><g:connection from="ego.view" to="eye.view"/><timestep>`)
	v, err := open(t, m, o).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "failed", v.Outcome)
	var view osi3.SensorView
	require.NoError(t, proto.Unmarshal(eye.last, &view))
	require.Len(t, view.GetGlobalGroundTruth().GetMovingObject(), 2)
	require.NotZero(t, view.GetHostVehicleId().GetValue())
	require.InDelta(t, v.Time, float64(view.GetTimestamp().GetSeconds())+
		float64(view.GetTimestamp().GetNanos())*1e-9, 0.021)
}

// TestRun_ViewsHaveTheMap: a sensor that steps after the simulator receives the map in its first
// step, and with mapview in every step.
func TestRun_ViewsHaveTheMap(t *testing.T) {
	for name, always := range map[string]bool{"view": false, "mapview": true} {
		eye := newEye()
		o := trial.Options{FMU: func(p experiment.Participant) (trial.Maker, error) {
			return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant,
				error) {
				return eye, nil
			}}, nil
		}}
		m := files(t, false, "<timestep>",
			`<g:fmu name="eye" src="aeb.fmu"/><g:connection from="ego.`+name+
				`" to="eye.view"/><timestep>`)
		_, err := open(t, m, o).Run(t.Context())
		require.NoError(t, err)
		require.Greater(t, len(eye.lanes), 100)
		for k, n := range eye.lanes {
			require.Equal(t, k == 0 || always, n > 0, "%s: %d lanes in step %d", name, n, k)
		}
	}
}

// eye is a participant that keeps the last message, and the number of lanes in each message.
type eye struct {
	brake
	last  []byte
	lanes []int
}

func newEye() *eye {
	e := &eye{}
	e.variables = []cosim.Variable{{Name: "view", Kind: cosim.Binary, Role: cosim.Input, Size: 1,
		MIMEType: "application/x-open-simulation-interface; type=SensorView; version=3.8.0"}}
	return e
}

func (e *eye) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	e.last = append(e.last[:0], e.in.Blob(0, 0)...)
	var view osi3.SensorView
	if err := proto.Unmarshal(e.last, &view); err != nil {
		return cosim.Advance{}, err
	}
	e.lanes = append(e.lanes, len(view.GetGlobalGroundTruth().GetLane()))
	return cosim.Advance{Reached: s.End}, nil
}

func TestVerdict_JUnit(t *testing.T) {
	x := open(t, files(t, false), trial.Options{})
	v, err := x.Run(t.Context())
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, v.WriteJUnit(&b))
	var suite struct {
		Tests, Failures int `xml:",attr"`
		Case            []struct {
			Name    string `xml:"name,attr"`
			Failure struct {
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	require.NoError(t, xml.Unmarshal(bytes.ReplaceAll(bytes.ReplaceAll(b.Bytes(), []byte("tests="),
		[]byte("Tests=")), []byte("failures="), []byte("Failures=")), &suite))
	require.Equal(t, []int{1, 1}, []int{suite.Tests, suite.Failures})
	require.Equal(t, "stops", suite.Case[0].Name)
	require.Contains(t, suite.Case[0].Failure.Message, "failure: collision",
		"the reason of the author")
	require.Contains(t, suite.Case[0].Failure.Text, "stops.scxml:4: from watching to failure")
}

// TestStep_GoesToTheActiveStates runs machines whose next state waits for step: they receive it as
// soon as they are in that state, even if registerEvent took them there in the same step.
func TestStep_GoesToTheActiveStates(t *testing.T) {
	m := files(t, false)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(`<scxml xmlns="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/scxml" xmlns:ros="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS"
	xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="1.0" datamodel="ecmascript">
	<registerEvent event="speed" xsi:type="ros:MessageOnROSTopic" topic="lead.speed" data_class="float"/>
	<datamodel><data id="n" expr="0"/><data id="at" expr="-1"/></datamodel>
	<state id="a"><onentry><send type="experiment" event="controls"><content expr="({name: 'lead', throttle: 1})"/></send></onentry>
	  <transition event="speed" cond="_event.data &gt; 0" target="b"><assign location="at" expr="_x.time"/></transition></state>
	<state id="b"><transition event="step" cond="_x.time == at" target="c"/></state>
	<state id="c"><transition event="step"><assign location="n" expr="n + 1"/></transition><transition cond="n == 3" target="d"/></state>
	<state id="d"><onentry><send type="experiment" event="stop"><param name="reason" expr="_event.name + ' ' + Math.round(100*(_x.time - at))"/></send></onentry></state></scxml>`)}
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stop: step 6", v.EndedBy, "three steps of 20 ms")
}
