package participant_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/proto/osi3"
	"gosmp/scenario/participant"
	"gosmp/scenario/play"
	"gosmp/timebase"
)

// gone returns an event that deletes an entity.
func gone(name, at string) string {
	return `<Event name="gone" priority="parallel"><Action name="gone"><GlobalAction><EntityAction
entityRef="` + name + `"><DeleteEntityAction/></EntityAction></GlobalAction></Action><StartTrigger>
<ConditionGroup><Condition name="c" delay="0" conditionEdge="none"><ByValueCondition>
<SimulationTimeCondition value="` + at + `" rule="greaterOrEqual"/></ByValueCondition></Condition>
</ConditionGroup></StartTrigger></Event>`
}

// TestOutputs_OfEntitiesThatDisappear checks the outputs of entities before and after their
// deletion: the last numbers stay, and messages about the ego vehicle end with it.
func TestOutputs_OfEntitiesThatDisappear(t *testing.T) {
	s := newStage(t, gone("Ego", "2"), nil)
	exists := s.engine.Watch("world.Ego.exists")
	other := s.engine.Watch("world.Target.exists")
	x := s.engine.Watch("world.Ego.x")
	truth := s.engine.Watch("world." + participant.GroundTruth)
	s.until(1)
	require.EqualValues(t, 1, integer(exists))
	require.NotEmpty(t, blob(truth))
	for s.Board().Now() < 3 {
		require.NoError(t, s.step())
	}
	require.Zero(t, integer(exists))
	require.EqualValues(t, 1, integer(other))
	require.Empty(t, blob(truth))
	last, _ := x.First()
	require.InDelta(t, 40, math.Float64frombits(last), 0.3)
}

func integer(s *cosim.Signal) int64 {
	cell, _ := s.First()
	return int64(cell)
}

// TestOutputs_ShowWhoControls checks that an output is 1 while the driver of an entity has motions.
func TestOutputs_ShowWhoControls(t *testing.T) {
	s := newStage(t, event("on", 1, activate(true, true))+event("off", 3, activate(false, false)),
		drive(0, 0))
	ego := s.engine.Watch("world.Ego.controlled")
	target := s.engine.Watch("world.Target.controlled")
	for _, c := range []struct {
		at   float64
		want int64
	}{{0.5, 0}, {2, 1}, {4, 0}} {
		s.until(c.at)
		require.Equal(t, c.want, integer(ego), "at %v s", c.at)
		require.Zero(t, integer(target))
	}
}

// TestOutputs_SensorsOfSeatsDiffer checks that views of two entities name their own host and have
// different sensors, and that the static content is available from the start.
func TestOutputs_SensorsOfSeatsDiffer(t *testing.T) {
	p, err := participant.New(parse(t, ""), participant.Options{Seats: []string{"Target", "Ego"}})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: 100 * timebase.Second, Step: cosim.Every(p.StepSize())})
	e.Add("world", p)
	s := &stage{p, e, t, false}
	var signals []*cosim.Signal
	for _, name := range []string{"Ego", "Target"} {
		signals = append(signals, e.Watch("world."+name+"."+participant.View))
	}
	static := e.Watch("world." + participant.Init)
	s.start()
	first := blob(static)
	require.NotEmpty(t, first)
	s.until(1)
	require.Equal(t, first, blob(static))
	var sensors, hosts []uint64
	for _, x := range signals {
		v := &osi3.SensorView{}
		require.NoError(t, proto.Unmarshal(blob(x), v))
		sensors = append(sensors, v.SensorId.GetValue())
		hosts = append(hosts, v.HostVehicleId.GetValue())
	}
	require.Equal(t, uint64(10000), sensors[0])
	require.NotEqual(t, sensors[0], sensors[1])
	require.NotEqual(t, hosts[0], hosts[1])
}

// TestDuration_IsTheOption checks the latest end with and without the option.
func TestDuration_IsTheOption(t *testing.T) {
	for duration, want := range map[float64]float64{0: play.DefaultDuration, 7: 7} {
		p, err := participant.New(parse(t, ""),
			participant.Options{Play: play.Options{Duration: duration}})
		require.NoError(t, err)
		require.Equal(t, want, p.Duration())
	}
}

// TestStep_OfAScenarioThatEndsAtTheStart checks that nothing moves when the stop trigger is already
// true after Init.
func TestStep_OfAScenarioThatEndsAtTheStart(t *testing.T) {
	s := newStageOf(t, resolve(t, strings.Replace(document(""), `value="5"/></ByValueCondition>
</Condition></ConditionGroup></StopTrigger>`, `value="0"/></ByValueCondition>
</Condition></ConditionGroup></StopTrigger>`, 1)), nil, 0)
	r := s.end()
	require.Equal(t, "StopTrigger", r.EndedBy)
	require.Zero(t, r.Time)
	require.Zero(t, r.Steps)
	require.Zero(t, s.World().State(0).X)
}
