package dummysensor_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
)

// act is one action of a host on an instance.
type act struct {
	name string
	do   func(*rig) fmi.Status
}

// script is a run of a host, from instantiation to the end, in acts that can be repeated.
type script struct {
	acts      []act
	scenarios []string // files
}

// observe performs an act and describes everything that a host can see of it.
func (r *rig) observe(a act) []any {
	before := r.now
	status := a.do(r)
	seen := []any{a.name, before, status, r.State(), r.lines()}
	switch r.State() {
	case fmi.InitializationMode, fmi.StepComplete, fmi.Terminated:
		if status > fmi.Warning {
			break
		}
		// Reading initializes the model in initialization mode; a failure of this is also
		// observable.
		if _, s := r.host.TryGet("replay.rows"); s != fmi.OK {
			return append(seen, s, r.lines())
		}
		seen = append(seen, r.outputs(), r.received(dataOut), r.received(configRequest), r.lines())
	}
	return seen
}

// unread performs an act without reading the outputs afterwards, as most hosts do in initialization
// mode.
func (r *rig) unread(a act) []any {
	return []any{a.name, a.do(r), r.State(), r.lines()}
}

func drawScript(t *rapid.T) script {
	s := script{scenarios: []string{
		file(t, sixSensors),
		// loops, with warnings
		file(t, "32,0,280\n32,10,28.5\n1,20,1,2,-9807\n8,30,1,2,3\n2,41,100000,290\n"),
		file(t,
			"4,0,95000,52300000000,13400000000,140,216,131000,5000,3000,-4000,500,1500,2500,250,7"+
				"85,10,20,9,3\n"+
				"1,7,1,2,-9807\n9,8,1\n"+
				"4,70,96000,52300001000,13400002000,140,216,131000,5000,3000,-4000,500,0,2500,0,0"+
				",0,0,9,3\n"),
	}}
	s.add("setup", func(r *rig) fmi.Status { return r.SetupExperiment(fmu.ExperimentSetup{}) })
	s.parameters(t, rapid.IntRange(0, 3).Draw(t, "early"))
	s.add("enter", func(r *rig) fmi.Status { return r.EnterInitializationMode() })
	s.add("scenario", func(r *rig) fmi.Status {
		return r.host.TrySet("replay.scenarioFile", s.scenarios[0])
	})
	s.parameters(t, rapid.IntRange(0, 4).Draw(t, "late"))
	s.add("exit", func(r *rig) fmi.Status { return r.ExitInitializationMode() })
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		s.input(t)
		h := rapid.Int64Range(1, 60).Draw(t, "h") * 1e6
		s.add(fmt.Sprintf("step %d ns", h), func(r *rig) fmi.Status { return r.step(h) })
	}
	if rapid.Bool().Draw(t, "terminates") {
		s.add("terminate", func(r *rig) fmi.Status { return r.Terminate() })
	}
	return s
}

func (s *script) add(name string, do func(*rig) fmi.Status) {
	s.acts = append(s.acts, act{name, do})
}

// parameters sets some parameters, including the configuration of the host.
func (s *script) parameters(t *rapid.T, n int) {
	for range n {
		x, n := rapid.Float64Range(-2, 2).Draw(t, "x"), rapid.IntRange(0, 2).Draw(t, "n")
		on := rapid.Bool().Draw(t, "on")
		scenario := s.scenarios[n]
		values := []set{
			{"replay.scenarioFile": scenario},
			{"replay.loop": on},
			{"replay.startDelay": float64(n) * 0.017},
			{"mounting.x": x, "mounting.yaw": x},
			{"nominalrange": 100 + x, "sensorId": n},
			{"imu.axes": []string{"FRD", "FLU", "FRD"}[n], "imu.gravityCompensation": on},
			{"replay.enabled": on || n > 0},
			{"replay.timeUnit": []string{"ms", "us", "s"}[n]},
			{"objects.enabled": on || n > 0},
			{"objects.dropoutProbability": 0.3, "objects.positionNoise": 0.1,
				"objects.forgetAfter": n + 1},
		}
		k := rapid.IntRange(0, len(values)+1).Draw(t, "parameter")
		switch k - len(values) {
		case 0:
			s.add("configuration", func(r *rig) fmi.Status {
				return r.tryProvide(configIn, hostConfiguration(r.t, x))
			})
			continue
		case 1:
			s.add("no configuration", func(r *rig) fmi.Status {
				return r.host.TryPoint(configIn, 0, int32(n))
			})
			continue
		}
		s.add(fmt.Sprint(values[k]), func(r *rig) fmi.Status { return r.trySet(values[k]) })
	}
}

// input connects, disconnects, or leaves the SensorView as it is.
func (s *script) input(t *rapid.T) {
	number, others := rapid.IntRange(0, 20).Draw(t, "number"), rapid.IntRange(0, 5).Draw(t,
		"others")
	switch rapid.IntRange(0, 5).Draw(t, "input") {
	case 0:
		s.add("disconnect", func(r *rig) fmi.Status { return r.host.TryPoint(viewIn, 0, 0) })
	case 1:
		s.add("garbage", func(r *rig) fmi.Status {
			return r.tryProvide(viewIn, []byte{0xFF, 1, 2})
		})
	case 2:
		s.add("contradiction", func(r *rig) fmi.Status { return r.host.TryPoint(viewIn, 0, 7) })
	case 3, 4:
		s.add("view", func(r *rig) fmi.Status {
			return r.tryProvide(viewIn, marshal(r.t, sensorView(number, others)))
		})
	}
}

// restore restores a snapshot through its serialized form.
func (r *rig) restore(s *fmu.Snapshot, now int64) {
	r.t.Helper()
	data := make([]byte, s.Size())
	require.Equal(r.t, fmi.OK, r.SerializeFMUstate(s, data))
	again, status := r.DeSerializeFMUstate(data)
	require.Equal(r.t, fmi.OK, status, "%v", r.log.Lines)
	require.Equal(r.t, fmi.OK, r.host.TryRestore(again, 0), "%v", r.log.Lines)
	require.Empty(r.t, r.lines(), "restoring logs nothing")
	r.now = now
}

// Wherever a snapshot is taken, the run repeats identically from there: both in the instance that
// took it and in another one with a different history.
func TestSnapshot_RestoredAnywhereTheRunContinuesBitIdentically(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScript(t)
		memory := mock.NewMemory()
		first, second := rigWith(t, memory, "/nowhere"), rigWith(t, memory, "/nowhere")
		look := (*rig).observe
		if rapid.Bool().Draw(t, "unread") {
			look = (*rig).unread
		}
		at := rapid.IntRange(0, len(s.acts)).Draw(t, "snapshot before act")
		for _, a := range s.acts[:at] {
			look(first, a)
		}
		saved, now := first.save(), first.now
		var course [][]any
		for _, a := range s.acts[at:] {
			course = append(course, first.observe(a))
		}
		for _, a := range s.acts[:rapid.IntRange(0, len(s.acts)).Draw(t, "elsewhere")] {
			second.observe(a)
		}
		for name, r := range map[string]*rig{"same instance": first, "another instance": second} {
			if r.State() == fmi.Dead {
				continue
			}
			r.restore(saved, now)
			for k, a := range s.acts[at:] {
				require.Equal(t, course[k], r.observe(a), "%s, act %d", name, at+k)
			}
		}
	})
}

// The state restores the parameters, including those that do not require another scenario to be
// opened.
func TestSnapshot_RestoredOverOtherParameters(t *testing.T) {
	scenario := withScenario(t, sixSensors, nil)
	begin := func(r *rig, parameters set) {
		r.setUp(scenario)
		r.set(parameters)
		require.Equal(t, fmi.OK, r.ExitInitializationMode())
		r.steps(2, cycle)
	}
	others := set{
		"imu.axes": "FLU", "imu.gravityCompensation": false, "mounting.x": 3.0,
		"mounting.pitch": 0.5, "sensorId": 9, "nominalrange": 10.0,
	}
	first, second := newRig(t), newRig(t)
	begin(first, nil)
	saved, now := first.save(), first.now
	first.steps(3, cycle)
	want, message, request := first.outputs(), first.received(dataOut),
		first.received(configRequest)
	require.Equal(t, fmi.OK, first.Reset())
	first.now = 0
	for _, r := range []*rig{first, second} {
		begin(r, others)
		r.restore(saved, now)
		r.steps(3, cycle)
		require.Equal(t, want, r.outputs())
		require.Equal(t, message, r.received(dataOut))
		require.Equal(t, request, r.received(configRequest))
	}
}

// A state in the middle of a file, in a later round, is restored and nothing is logged twice.
func TestSnapshot_AfterLoopsAndMidFile(t *testing.T) {
	scenario := withScenario(t, "32,0,280\n32,5,x\n32,10,281\n1,25,1,2,-9807\n", nil)
	first, second := newRig(t), newRig(t)
	first.setUp(scenario)
	require.Equal(t, fmi.OK, first.ExitInitializationMode())
	first.steps(7, cycle)
	require.Len(t, first.lines(), 1)
	saved, now := first.save(), first.now
	require.Equal(t, 5, first.integer("replay.loops"))
	first.steps(3, 7e6)
	want, message := first.outputs(), first.received(dataOut)
	second.restore(saved, now)
	second.steps(3, 7e6)
	require.Equal(t, want, second.outputs())
	require.Equal(t, message, second.received(dataOut))
	require.Empty(t, second.lines())
}

// fmi2Terminate is not final: a host may restore an earlier state and continue from there.
func TestSnapshot_RestoredAfterTerminate(t *testing.T) {
	r := started(t, sixSensors, nil)
	r.steps(1, cycle)
	saved, now := r.save(), r.now
	r.steps(3, cycle)
	want := r.received(dataOut)
	require.Equal(t, fmi.OK, r.Terminate())
	ended := r.save()
	r.restore(saved, now)
	r.steps(3, cycle)
	require.Equal(t, want, r.received(dataOut))
	r.restore(ended, r.now)
	require.Equal(t, fmi.Terminated, r.State())
	require.Equal(t, want, r.received(dataOut))
}

// A parameter may be set, but not yet used, when the state is saved. The parameter is not lost, and
// any problem with it is reported where it is used.
func TestSnapshot_WithParametersThatHaveNotBeenUsedYet(t *testing.T) {
	other := file(t, "32,0,299\n32,10,300\n")
	for name, c := range map[string]struct {
		set  func(*rig)
		want fmi.Status
	}{
		"another file": {func(r *rig) { r.set(set{"replay.scenarioFile": other}) }, fmi.OK},
		// which is implausible
		"another unit": {func(r *rig) { r.set(set{"replay.timeUnit": "us"}) }, fmi.Warning},
		"no replay":    {func(r *rig) { r.set(set{"replay.enabled": false}) }, fmi.OK},
		"missing file": {func(r *rig) { r.set(set{"replay.scenarioFile": "/nowhere/x.csv"}) },
			fmi.Error},
		"unknown unit":      {func(r *rig) { r.set(set{"replay.timeUnit": "h"}) }, fmi.Error},
		"bad configuration": {func(r *rig) { r.provide(configIn, []byte{0xFF}) }, fmi.Error},
		"no configuration":  {func(r *rig) { r.triple(configIn, 0, 9) }, fmi.OK},
	} {
		first, second := newRig(t), newRig(t)
		first.setUp(withScenario(t, sixSensors, nil))
		require.Equal(t, 6, first.integer("replay.rows"))
		c.set(first)
		saved := first.save()
		require.Equal(t, c.want, first.ExitInitializationMode(), name)
		var want set
		var request []byte
		if c.want <= fmi.Warning {
			want, request = first.outputs(), first.received(configRequest)
		}
		for _, r := range []*rig{first, second} {
			r.lines()
			r.restore(saved, 0)
			require.Equal(t, c.want, r.ExitInitializationMode(), name)
			if c.want <= fmi.Warning {
				require.Equal(t, want, r.outputs(), name)
				require.Equal(t, request, r.received(configRequest), name)
			}
		}
	}
}

// The instance that has the file open no longer needs its name; another instance does, and reports
// an error.
func TestSnapshot_ScenarioFileVanished(t *testing.T) {
	scenario := withScenario(t, sixSensors, nil)
	first, second := newRig(t), newRig(t)
	first.setUp(scenario)
	require.Equal(t, fmi.OK, first.ExitInitializationMode())
	first.steps(2, cycle)
	saved, now := first.save(), first.now
	first.steps(3, cycle)
	want := first.outputs()
	name := scenario["replay.scenarioFile"].(string)
	require.NoError(t, os.Remove(name))

	require.Equal(t, fmi.Error, second.SetFMUstate(saved))
	require.Equal(t, fmi.Erroneous, second.State())
	lines := second.lines()
	require.Len(t, lines, 1)
	for _, text := range []string{"fmi2SetFMUstate: ", "unusable state", name,
		"scenario file cannot be used", "check the path"} {
		require.Contains(t, lines[0], text)
	}
	require.Equal(t, fmi.OK, second.Reset())

	first.restore(saved, now)
	first.steps(3, cycle)
	require.Equal(t, want, first.outputs())
}

func TestSnapshot_ScenarioFileWithOtherContent(t *testing.T) {
	scenario := withScenario(t, sixSensors, nil)
	first, second := newRig(t), newRig(t)
	first.setUp(scenario)
	require.Equal(t, fmi.OK, first.ExitInitializationMode())
	saved := first.save()
	require.NoError(t, os.WriteFile(scenario["replay.scenarioFile"].(string),
		[]byte("32,0,280\n0\n"), 0o600))
	require.Equal(t, fmi.Error, second.SetFMUstate(saved))
	lines := second.lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "restore it with the scenario it was saved with")
}

// After fmi2Reset an instance behaves like a new one: the same run gives the same outputs, messages
// and log lines.
func TestReset_IsAsFresh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memory := mock.NewMemory()
		used, fresh := rigWith(t, memory, "/nowhere"), rigWith(t, memory, "/nowhere")
		before := drawScript(t)
		for _, a := range before.acts[:rapid.IntRange(0, len(before.acts)).Draw(t,
			"reset before act")] {
			used.observe(a)
		}
		require.Equal(t, fmi.OK, used.Reset())
		used.now = 0
		require.Equal(t, fmi.Instantiated, used.State())
		for k, a := range drawScript(t).acts {
			require.Equal(t, fresh.observe(a), used.observe(a), "act %d", k)
		}
	})
}

// A saved state must not grow with the rows played: channels keep only unread data.
func TestState_SizeDoesNotGrow(t *testing.T) {
	r := started(t, "32,0,280\n16,10,1,2,3\n1,15,1,2,3\n", nil)
	size := func() int {
		s, status := r.GetFMUstate(nil)
		require.Equal(t, fmi.OK, status)
		return s.Size()
	}
	r.steps(10, cycle)
	early := size()
	r.steps(5000, cycle)
	require.InDelta(t, early, size(), 1024)
	require.Less(t, early, 16384)
}
