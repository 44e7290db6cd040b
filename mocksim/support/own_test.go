package support_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/support"
	"gosmp/proto/osi3"
	"gosmp/simapi"
)

// groundTruth returns the GroundTruth of an actor.
func groundTruth(t *testing.T, c *simapi.Client, host string, static bool) (*osi3.GroundTruth,
	map[string]uint64) {
	t.Helper()
	r, err := c.GroundTruth(t.Context(), &simapi.GetGroundTruth{ActorId: host, Static: static})
	require.NoError(t, err)
	g, ids := &osi3.GroundTruth{}, map[string]uint64{}
	require.NoError(t, proto.Unmarshal(r.GetGroundTruth(), g))
	for _, i := range r.GetIdentity() {
		ids[i.GetActorId()] = i.GetId()
	}
	return g, ids
}

// TestA2_GroundTruthAndControls checks A2: get_ground_truth returns OSI messages with or without the
// map, and states contain everything that the messages say about an actor.
func TestA2_GroundTruthAndControls(t *testing.T) {
	c := begun(t, support.Options{Traffic: mocksim.Traffic{Count: 3}}, &simapi.MapInfo{Path: ring})
	for id, x := range map[string]float64{"npc": 60, "placed": 120} {
		_, err := c.CreateActor(t.Context(), &simapi.CreateActor{ActorId: id,
			Description: &simapi.ActorDescription{ActorType: "car"},
			State: &simapi.ActorState{Position: simapi.Pose(x, -1.75, 0),
				Speed: simapi.XY(10, 0)}})
		require.NoError(t, err)
	}
	require.NoError(t, c.StartSimulation(t.Context(), &simapi.StartSimulation{}))
	require.NoError(t, c.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
	given := &simapi.ActorControls{Brake: 0.25, Gear: 2, SteeringWheelAngle: 0.01,
		Indicator: simapi.Indicator_INDICATOR_RIGHT, Lights: 1 | 4}
	require.NoError(t, c.SetDynamicMove(t.Context(), &simapi.SetDynamicMove{ActorId: "npc",
		Controls: []*simapi.ActorControls{given}}))
	r, err := c.Step(t.Context(), &simapi.Step{RequestedSimTimeMs: 20, States: true,
		Set: []*simapi.SetActorState{{State: &simapi.ActorState{ActorId: "placed",
			Position: simapi.Pose(120.2, -1.75, 0),
			Controls: &simapi.ActorControls{Throttle: 0.5, Gear: 1, Lights: 2 | 16}}}}})
	require.NoError(t, err)

	all, ids := groundTruth(t, c, "npc", true)
	dynamic, same := groundTruth(t, c, "npc", false)
	require.Equal(t, ids, same)
	require.Empty(t, dynamic.Lane)
	require.NotEmpty(t, all.Lane)
	require.Equal(t, ids["npc"], all.HostVehicleId.GetValue())
	static := proto.CloneOf(all)
	static.MovingObject, static.TrafficLight = nil, nil
	proto.Merge(static, &osi3.GroundTruth{MovingObject: dynamic.MovingObject,
		TrafficLight: dynamic.TrafficLight})
	require.True(t, proto.Equal(all, static), "the rest of the message is the map")

	require.Len(t, r.GetState(), len(all.MovingObject))
	for _, s := range r.GetState() {
		requireSame(t, s, find(all, ids[s.GetActorId()]))
	}
	require.Equal(t, uint32(1|4|8), r.GetState()[index(r, "npc")].GetControls().GetLights(),
		"the brake lamps are on, too")
	require.Equal(t, uint32(2|16), r.GetState()[index(r, "placed")].GetControls().GetLights())
}

func index(r *simapi.StepReply, id string) int {
	for k, s := range r.GetState() {
		if s.GetActorId() == id {
			return k
		}
	}
	return -1
}

func find(g *osi3.GroundTruth, id uint64) *osi3.MovingObject {
	for _, o := range g.MovingObject {
		if o.Id.GetValue() == id {
			return o
		}
	}
	return nil
}

// requireSame compares the state of an actor with the object in a message.
func requireSame(t *testing.T, s *simapi.ActorState, o *osi3.MovingObject) {
	t.Helper()
	require.NotNil(t, o, s.GetActorId())
	require.InDelta(t, s.GetPosition().GetX(), o.Base.Position.GetX(), 1e-9)
	require.InDelta(t, s.GetPosition().GetY(), o.Base.Position.GetY(), 1e-9)
	require.InDelta(t, s.GetSpeed().GetX(), o.Base.Velocity.GetX(), 1e-9)
	if d := s.GetDescription(); d != nil {
		require.InDelta(t, d.GetLength(), o.Base.Dimension.GetLength(), 1e-9)
		require.InDelta(t, d.GetWidth(), o.Base.Dimension.GetWidth(), 1e-9)
		require.InDelta(t, d.GetHeight(), o.Base.Dimension.GetHeight(), 1e-9)
	}
	c, l := s.GetControls(), o.VehicleClassification.LightState
	require.InDelta(t, c.GetSteeringWheelAngle(), o.VehicleAttributes.GetSteeringWheelAngle(), 1e-9)
	require.Equal(t, int32(c.GetIndicator()), int32(l.GetIndicatorState())-1)
	for bit, lit := range []bool{int32(l.GetHeadLight()) == 3, int32(l.GetHighBeam()) == 3,
		int32(l.GetFrontFogLight()) == 3, int32(l.GetBrakeLightState()) >= 3,
		int32(l.GetReversingLight()) == 3} {
		require.Equal(t, c.GetLights()>>bit&1 == 1, lit, "%s, bit %d", s.GetActorId(), bit)
	}
}

// TestA2_ImpossibleControls checks that meaningless controls are refused rather than ignored.
func TestA2_ImpossibleControls(t *testing.T) {
	c := begun(t, support.Options{}, &simapi.MapInfo{Path: ring})
	_, err := c.CreateActor(t.Context(), &simapi.CreateActor{ActorId: "npc",
		Description: &simapi.ActorDescription{ActorType: "car"},
		State:       &simapi.ActorState{Position: simapi.Pose(60, -1.75, 0)}})
	require.NoError(t, err)
	for want, controls := range map[string]*simapi.ActorControls{
		"lights: invalid: found 32, expected a sum of 1, 2, 4, 8 and 16": {Lights: 32},
		"indicator: invalid: found 9, expected 0 to 4":                   {Indicator: 9},
		"brake: invalid: found 1.5, expected 0 to 1":                     {Brake: 1.5},
	} {
		err := c.SetDynamicMove(t.Context(), &simapi.SetDynamicMove{ActorId: "npc",
			Controls: []*simapi.ActorControls{controls}})
		require.ErrorIs(t, err, simapi.Code_INVALID)
		require.ErrorContains(t, err, want)
		err = c.SetActorState(t.Context(), &simapi.SetActorState{State: &simapi.ActorState{
			ActorId: "npc", Position: simapi.XY(60, -1.75), Controls: controls}})
		require.ErrorIs(t, err, simapi.Code_INVALID)
		require.ErrorContains(t, err, want)
	}
}

// TestA3_CapabilitiesAreTrue checks A3: of the optional calls, the mock simulator supports exactly
// the ones that it lists.
func TestA3_CapabilitiesAreTrue(t *testing.T) {
	server := simapi.NewServer(simapi.Config{Name: "mocksim",
		Simulator: support.New(support.Options{Traffic: mocksim.Traffic{Count: 1}})})
	t.Cleanup(func() { _ = server.Close() })
	c, err := server.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	reply, err := c.Init(t.Context(), &simapi.Init{StepSizeMs: 20,
		MapInfo: &simapi.MapInfo{Path: ring}})
	require.NoError(t, err)
	capabilities := reply.GetCapabilities()
	require.NoError(t, c.LaunchSimulator(t.Context()))
	_, err = c.CreateActor(t.Context(), &simapi.CreateActor{ActorId: "npc",
		Description: &simapi.ActorDescription{ActorType: "car"},
		State:       &simapi.ActorState{Position: simapi.Pose(60, -1.75, 0)}})
	require.NoError(t, err)
	tried := map[simapi.Method]proto.Message{
		simapi.Method_SET_ACTOR_PARAMS: &simapi.SetActorParams{ActorId: "npc"},
		simapi.Method_SET_WEATHER:      &simapi.SetWeather{Rain: proto.Float64(1)},
		simapi.Method_SET_TIME_OF_DAY:  &simapi.SetTimeOfDay{SecondsSinceMidnight: 1},
		simapi.Method_SIM_COMMAND:      &simapi.SimCommand{Command: "fly"},
		simapi.Method_SET_XY_TRAJECTORY: &simapi.SetXyTrajectory{ActorId: "npc", EndTimeMs: 20,
			Polyline: []*simapi.Coord6Dof{simapi.XY(60, -1.75)}},
		simapi.Method_SET_DYNAMIC_MOVE: &simapi.SetDynamicMove{ActorId: "npc",
			Controls: []*simapi.ActorControls{{}}},
		simapi.Method_SET_EXTERNAL_CONTROLLER: &simapi.SetExternalController{ActorId: "npc"},
		simapi.Method_SET_ACTOR_STATE: &simapi.SetActorState{State: &simapi.ActorState{
			ActorId: "npc", Position: simapi.XY(60, -1.75)}},
		simapi.Method_GET_GROUND_TRUTH: &simapi.GetGroundTruth{},
	}
	listed := map[simapi.Method]bool{}
	for _, m := range capabilities.GetMethod() {
		listed[m] = true
		require.Contains(t, tried, m)
	}
	for m, request := range tried {
		_, err := c.Call(t.Context(), m, request)
		if m == simapi.Method_SIM_COMMAND { // of an unknown command only
			require.ErrorContains(t, err, "fly")
			continue
		}
		require.Equal(t, listed[m], err == nil, "%s: %v", m.Word(), err)
	}
	states, err := c.GetActorsStates(t.Context(), &simapi.GetActorsStates{Own: true})
	require.NoError(t, err)
	require.True(t, capabilities.GetOwnActors())
	require.Greater(t, len(states.GetState()), 0)
}
