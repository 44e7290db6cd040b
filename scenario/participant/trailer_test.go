package participant_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
)

// towing is a stage whose Ego tows Target: the hitch is 1 m behind the reference point of Ego, and
// 4 m in front of the reference point of Target, which is 1.4 m behind the middle of its box.
func towing(t *testing.T, d *driver, every float64) *stage {
	text := document("")
	at := strings.Index(text, `name="Target"`)
	ego := strings.Replace(text[:at], "<Properties/>", `<Properties/><TrailerHitch dx="-1"/>
<Trailer><TrailerRef entityRef="Target"/></Trailer>`, 1)
	target := strings.Replace(text[at:], "<Properties/>",
		`<Properties/><TrailerCoupler dx="4"/>`, 1)
	return newStageOf(t, resolve(t, ego+target), d, every)
}

// TestO10_TrailersFollowDrivenVehicles checks that a trailer is at the hitch of a vehicle that its
// driver moves, at the same time and not one step later, and that SensorViews name it.
func TestO10_TrailersFollowDrivenVehicles(t *testing.T) {
	for _, every := range []float64{0.01, 0.1} {
		d := drive(2, 1)
		var named []uint64
		d.more = func(v *osi3.SensorView, _ *osi3.TrafficUpdate) {
			for _, o := range v.GlobalGroundTruth.GetMovingObject() {
				if c := o.GetVehicleClassification(); c.GetHasTrailer() {
					require.Equal(t, v.HostVehicleId.GetValue(), o.Id.GetValue())
					named = append(named, c.GetTrailerId().GetValue())
				}
			}
		}
		s := towing(t, d, every)
		for _, at := range []float64{0.05, 1, 2, 4} {
			s.until(at)
			ego := *s.World().State(0)
			trailer := s.World().State(1)
			x, y := ego.X-math.Cos(ego.H)-trailer.X, ego.Y-math.Sin(ego.H)-trailer.Y
			require.InDelta(t, 4, math.Hypot(x, y), 1e-9, "at %v s", at)
			require.InDelta(t, ego.Speed, trailer.Speed, 0.1)
			shown, err := s.World().Simulation().Actor("Target")
			require.NoError(t, err)
			require.InDelta(t, trailer.X+1.4*math.Cos(trailer.H), shown.State().Position.X, 1e-9)
			require.NotEmpty(t, named)
			require.Equal(t, shown.ID(), named[len(named)-1])
		}
		x, _, _ := s.until(4.5)
		require.InDelta(t, x, s.World().State(0).Traveled, 0.5)
	}
}

// TestO10_DriversPlaceTheirTrailers checks that a TrafficUpdate may contain the trailer of the
// vehicle, without an event, and that only the trailer of the driver's own vehicle counts.
func TestO10_DriversPlaceTheirTrailers(t *testing.T) {
	d := drive(0, 0)
	until, other := 1.0, uint64(0)
	d.more = func(v *osi3.SensorView, u *osi3.TrafficUpdate) {
		for _, o := range v.GlobalGroundTruth.GetMovingObject() {
			id := o.GetVehicleClassification().GetTrailerId()
			if id == nil || d.now >= until {
				continue
			}
			own := u.Update[0].Base.Position
			u.Update = append(u.Update, &osi3.MovingObject{Id: id, Base: &osi3.BaseMoving{
				Position: &osi3.Vector3D{X: proto.Float64(own.GetX() - 4.9),
					Y: proto.Float64(own.GetY() + 0.5)},
				Orientation: &osi3.Orientation3D{Yaw: proto.Float64(0.1)}}})
		}
		if other != 0 {
			u.Update = append(u.Update, &osi3.MovingObject{Id: &osi3.Identifier{Value: &other}})
		}
	}
	s := towing(t, d, 0.01)
	x, y, _ := s.until(0.5)
	trailer := s.World().State(1)
	require.InDelta(t, 0.1, trailer.H, 1e-9)
	// the update contains the middles of the boxes
	require.InDelta(t, x+1.4-4.9-1.4*math.Cos(0.1), trailer.X, 1e-9)
	require.InDelta(t, y+0.5-1.4*math.Sin(0.1), trailer.Y, 1e-9)
	s.until(1.5) // the hitch pulls it again
	ego := *s.World().State(0)
	trailer = s.World().State(1)
	require.InDelta(t, 4, math.Hypot(ego.X-1-trailer.X, ego.Y-trailer.Y), 1e-9)
	p, err := s.World().Simulation().Actor("P")
	require.NoError(t, err)
	other = p.ID()
	r := s.end()
	require.Len(t, kinds(r, "not owner"), 1)
	require.Empty(t, kinds(r, "unknown actor"))
}

// TestO10_UnusableTrailers checks that values that no trailer can have end the run.
func TestO10_UnusableTrailers(t *testing.T) {
	d := drive(0, 0)
	d.more = func(v *osi3.SensorView, u *osi3.TrafficUpdate) {
		for _, o := range v.GlobalGroundTruth.GetMovingObject() {
			if id := o.GetVehicleClassification().GetTrailerId(); id != nil {
				u.Update = append(u.Update, &osi3.MovingObject{Id: id, Base: &osi3.BaseMoving{
					Position: &osi3.Vector3D{X: proto.Float64(math.NaN()), Y: proto.Float64(0)}}})
			}
		}
	}
	s := towing(t, d, 0.01)
	s.start()
	var err error
	for err == nil && s.Board().Now() < 1 {
		_, err = s.engine.Step(t.Context())
	}
	require.ErrorContains(t, err, "x NaN")
}
