package trial_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// obedient is a driver that keeps the commanded speed, dismisses all other commands, and records
// the messages that it receives.
type obedient struct {
	chauffeur
	speed, x float64
	actions  []*osi3.TrafficAction
	data     *osi3.HostVehicleData
	stream   int // bytes of StreamingUpdates
}

func (d *obedient) Variables() []cosim.Variable {
	v := d.chauffeur.Variables()
	for _, k := range []osmp.Kind{osmp.TrafficCommandIn, osmp.TrafficCommandUpdateOut,
		osmp.HostVehicleDataIn, osmp.StreamingUpdateIn} {
		role := cosim.Input
		if strings.HasSuffix(k.Prefix, "Out") {
			role = cosim.Output
		}
		v = append(v, cosim.Variable{Name: k.Prefix, Kind: cosim.Binary, Role: role, Size: 1,
			MIMEType: k.MIMEType})
	}
	return v
}
func (d *obedient) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	d.in, d.out = cosim.NewFrame(d.Variables(), in), cosim.NewFrame(d.Variables(), out)
	return d.in, d.out, nil
}

func (d *obedient) read(name string, m proto.Message) error {
	for k, port := range d.in.Ports {
		if d.Variables()[port.Variable].Name == name {
			return proto.Unmarshal(d.in.Blob(k, 0), m)
		}
	}
	return nil
}

func (d *obedient) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	v, c, u := &osi3.SensorView{}, &osi3.TrafficCommand{}, &osi3.StreamingUpdate{}
	d.data = &osi3.HostVehicleData{}
	for name, m := range map[string]proto.Message{"OSMPSensorViewIn": v, "OSMPTrafficCommandIn": c,
		"OSMPHostVehicleDataIn": d.data, "OSMPStreamingUpdateIn": u} {
		if err := d.read(name, m); err != nil {
			return cosim.Advance{}, err
		}
	}
	d.stream += len(u.MovingObjectUpdate)
	d.actions = append(d.actions, c.Action...)
	answer := &osi3.TrafficCommandUpdate{TrafficParticipantId: v.HostVehicleId}
	for _, a := range c.Action {
		switch {
		case a.SpeedAction != nil:
			d.speed = a.SpeedAction.GetAbsoluteTargetSpeed()
		case a.LaneChangeAction != nil:
			answer.DismissedAction = append(answer.DismissedAction,
				&osi3.TrafficCommandUpdate_DismissedAction{
					DismissedActionId: a.LaneChangeAction.ActionHeader.ActionId,
					FailureReason:     proto.String("no lane there")})
		}
	}
	var y float64
	for _, o := range v.GlobalGroundTruth.MovingObject {
		if o.Id.GetValue() == v.HostVehicleId.GetValue() {
			d.x, y = *o.Base.Position.X, *o.Base.Position.Y
		}
	}
	d.x += d.speed * s.Length().Seconds()
	for k, m := range []proto.Message{&osi3.TrafficUpdate{Update: []*osi3.MovingObject{{
		Id: v.HostVehicleId, Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: &d.x, Y: &y},
			Velocity: &osi3.Vector3D{X: &d.speed}}}}}, answer} {
		b, err := proto.Marshal(m)
		if err != nil {
			return cosim.Advance{}, err
		}
		d.out.SetBlob(k, 0, b)
	}
	return cosim.Advance{Reached: s.End}, nil
}

// commanded runs the loop with an obedient driver, to which a machine sends a command 2 s after the
// start; commands that it dismisses are logged.
func commanded(t *testing.T, command string) (*obedient, []string) {
	var lines []string
	d := &obedient{}
	x := loopWith(t, "loop.exc",
		trial.Options{Log: func(line string) { lines = append(lines, line) }},
		func(experiment.Participant) cosim.Participant { return d },
		"x: 60, y: -1.75, speed: 20", "x: 60, y: -1.75, speed: 0",
		`delay="5s"/>`, `delay="2s"/>`,
		`event="controls"><content expr="({name: 'lead', brake: 0.8})"/>`,
		`event="command"><content expr="(`+command+`)"/>`, `<state id="braking">`, `<state id="braking"><transition event="dismissed"><send
type="experiment" event="log"><content expr="({text: 'not ' + _event.data.text})"/></send></transition>`,
		"<timeout>25", "<timeout>4")
	_, err := x.Run(t.Context())
	require.NoError(t, err)
	return d, lines
}

// C1, C3, C4: commands of a machine to a vehicle reach its driver, and the driver's dismissals come
// back.
func TestCommand_ReachesTheDriver(t *testing.T) {
	d, _ := commanded(t, "{name: 'ego', speed: 7, duration: 2}")
	require.Len(t, d.actions, 1)
	require.Equal(t, 7.0, d.actions[0].SpeedAction.GetAbsoluteTargetSpeed())
	require.Equal(t, 2.0, d.actions[0].SpeedAction.GetDuration())
	require.InDelta(t, 7, d.data.VehicleMotion.Velocity.GetX(), 1e-6, "D2: HostVehicleData")
	require.NotZero(t, d.stream, "D3: StreamingUpdate")

	d, lines := commanded(t, "{name: 'ego', lanes: 1}")
	require.EqualValues(t, 1, d.actions[0].LaneChangeAction.GetRelativeTargetLane())
	require.Contains(t, strings.Join(lines, "\n"), "not lane_change_action, no lane there")

	d, _ = commanded(t, "{name: 'ego', x: 90, y: -1.75, yaw: 0}")
	require.Equal(t, 90.0, d.actions[0].AcquireGlobalPositionAction.Position.GetX())
	require.InDelta(t, 0.75, d.actions[0].AcquireGlobalPositionAction.Position.GetZ(), 0.1)
	d, _ = commanded(t, "{name: 'ego', x: 90, y: -1.75, teleport: true}")
	require.NotNil(t, d.actions[0].TeleportAction)
	d, _ = commanded(t,
		"{name: 'ego', points: [{time: 3, x: 70, y: 0}, {time: 4, x: 80, y: 1, yaw: 0.1}]}")
	require.Len(t, d.actions[0].FollowTrajectoryAction.TrajectoryPoint, 2)
	d, _ = commanded(t, "{name: 'ego', text: 'honk', type: 'horn'}")
	require.Equal(t, "horn", d.actions[0].CustomAction.GetCommandType())
}

func TestCommand_Refuses(t *testing.T) {
	for command, want := range map[string]string{
		"{name: 'ego'}":                                       "found nothing to do",
		"{name: 'lead', speed: 3}":                            "a vehicle whose driver accepts TrafficCommands",
		"{name: 'ego', speed: 3, duration: -1}":               "a negative duration",
		"{name: 'ego', points: [{time: 3, x: 1}, {time: 3}]}": "increasing times in s",
		"{name: 'nobody', speed: 3}":                          "a vehicle whose driver accepts TrafficCommands",
	} {
		_, lines := commanded(t, command)
		require.Contains(t, strings.Join(lines, "\n"), want)
	}
}
