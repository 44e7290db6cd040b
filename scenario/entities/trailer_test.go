package entities_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// TestTrailer checks that a trailer follows its vehicle: its coupler stays at the hitch, and the
// trailer turns towards the hitch.
func TestTrailer(t *testing.T) {
	hitched := strings.Replace(car("A", "10"), "<Properties/>", `<Properties/><TrailerHitch
dx="-1"/><Trailer><TrailerRef entityRef="T"/></Trailer>`, 1)
	trailer := strings.Replace(car("T", "10"), "<Properties/>", `<Properties/><TrailerCoupler
dx="4"/>`, 1)
	change := `<LateralAction><LaneChangeAction>` + dynamics("LaneChangeActionDynamics",
		"sinusoidal", "time", 3) +
		`<LaneChangeTarget><AbsoluteTargetLane value="-2"/></LaneChangeTarget></LaneChangeAction>
</LateralAction>`
	r := start(t, hitched+trailer, one(10), story(change))
	b := r.until(0, 1)
	require.InDelta(t, 95, b.X, 1e-9)
	turned := 0.0
	for k := range 400 {
		a := r.until(1+float64(k)/100, 0)
		b := r.until(1+float64(k)/100, 1)
		x, y := a.X-math.Cos(a.H)-b.X, a.Y-math.Sin(a.H)-b.Y
		require.InDelta(t, 4, math.Hypot(x, y), 1e-9)
		require.InDelta(t, 0, math.Remainder(math.Atan2(y, x)-b.H, 2*math.Pi), 1e-9)
		require.InDelta(t, 10, b.Speed, 0.1)
		turned = max(turned, math.Abs(math.Remainder(b.H, 2*math.Pi)))
	}
	require.Greater(t, turned, 0.05)
	b = r.until(20, 1)
	require.InDelta(t, -5.25, b.Y, 1e-3)
	require.Equal(t, -2, b.Lane)
}

// TestTrailer_InABend checks that two trailers settle on circles around the center of a bend: their
// axles are tangential, so that the radii and the coupler are the sides of right triangles.
func TestTrailer_InABend(t *testing.T) {
	towing := func(name, rest string) string {
		return strings.Replace(car(name, "10"), "<Properties/>", `<Properties/><TrailerCoupler dx="4"/>
<TrailerHitch dx="-1"/>`+rest, 1)
	}
	const next = `<Trailer><TrailerRef entityRef="%"/></Trailer>`
	r := startOn(t, towing("A", strings.Replace(next, "%", "T", 1))+
		towing("T", strings.Replace(next, "%", "U", 1))+towing("U", ""),
		private("A", teleport(-1, 20)+speed(10)), "", bend)
	radius := 101.75
	for k, name := range []string{"A", "T", "U"} {
		s := r.until(9, k)
		require.InDelta(t, radius, math.Hypot(s.X, s.Y-100), 1e-3, name)
		require.InDelta(t, 10*radius/101.75, s.Speed, 1e-3, name)
		radius = math.Sqrt(radius*radius + 1 - 4*4)
	}
}

// TestTrailer_WithAShortCoupler checks that the axle of a trailer is tangential, too, if its vehicle
// covers more than the length of the coupler in each step: 0.25 m and 0.2 m here.
func TestTrailer_WithAShortCoupler(t *testing.T) {
	tows := strings.Replace(car("A", "10"), "<Properties/>", `<Properties/><TrailerHitch dx="-1"/>
<Trailer><TrailerRef entityRef="T"/></Trailer>`, 1)
	dolly := strings.Replace(car("T", "10"), "<Properties/>", `<Properties/><TrailerCoupler
dx="0.2"/>`, 1)
	r := startOn(t, tows+dolly, private("A", teleport(-1, 10)+speed(25)), "", bend)
	s := r.until(4, 1)
	radius := math.Sqrt(101.75*101.75 + 1 - 0.2*0.2) // 2 mm less than if parallel to the vehicle
	require.InDelta(t, radius, math.Hypot(s.X, s.Y-100), 5e-4)
}

// TestTrailer_NoCollision checks that a trailer whose box touches the one of its vehicle in a bend
// does not collide with it, also for a condition, and that another vehicle there does.
func TestTrailer_NoCollision(t *testing.T) {
	tows := strings.Replace(car("A", "10"), "<Properties/>",
		`<Properties/><Trailer><TrailerRef entityRef="T"/></Trailer>`, 1)
	for objects, want := range map[string]bool{tows: false, car("A", "10"): true} {
		r := startOn(t, objects+car("T", "10"), private("A", teleport(-1, 20)+speed(10))+
			private("T", teleport(-1, 16)+speed(10)), "", bend)
		collides := false
		for k := range 200 {
			r.until(0.01*float64(k+1), 0)
			for _, e := range r.world.Events() {
				collides = collides || e.Kind == mocksim.Collision
			}
		}
		require.Equal(t, want, collides, "the events of the simulation")
		x, ok := quantity(t, r.world, 0, `<CollisionCondition><EntityRef entityRef="T"/>
</CollisionCondition>`)
		require.Equal(t, want, ok && x == 1)
		x, ok = quantity(t, r.world, 0, `<CollisionCondition><ByType type="vehicle"/>
</CollisionCondition>`)
		require.Equal(t, want, ok && x == 1)
		require.Equal(t, want, len(r.notes) > 0)
	}
}

// TestTrailer_Clearance checks that the lane around a vehicle with a trailer is clear, unless the
// condition names the trailer.
func TestTrailer_Clearance(t *testing.T) {
	tows := strings.Replace(car("A", "10"), "<Properties/>",
		`<Properties/><Trailer><TrailerRef entityRef="T"/></Trailer>`, 1)
	const around = `<RelativeClearanceCondition distanceForward="50" distanceBackward="50"
freeSpace="false" oppositeLanes="false"><RelativeLaneRange from="0" to="0"/>`
	r := start(t, tows+car("T", "10"), one(10), "")
	r.until(1, 0)
	for names, want := range map[string]float64{"": 1, `<EntityRef entityRef="T"/>`: 0} {
		x, ok := quantity(t, r.world, 0, around+names+`</RelativeClearanceCondition>`)
		require.True(t, ok)
		require.Equal(t, want, x, names)
	}
}

// TestTrailer_InARing checks that a vehicle that is towed does not become a trailer of its own
// trailer, nor a trailer of two vehicles: at the start this is refused, and later nothing happens
// except for a note.
func TestTrailer_InARing(t *testing.T) {
	const hitch = `<Properties/><TrailerHitch dx="-1"/>`
	tows := func(name, trailer string) string {
		return strings.Replace(car(name, "10"), "<Properties/>", hitch+
			`<Trailer><TrailerRef entityRef="`+trailer+`"/></Trailer>`, 1)
	}
	for _, objects := range []string{tows("A", "A"), tows("A", "T") + tows("T", "A"),
		tows("A", "T") + tows("T", "U") + tows("U", "A")} {
		_, _, err := open(t, objects, one(10), "", road)
		require.ErrorContains(t, err, "tows A itself")
	}
	for _, objects := range []string{tows("A", "T") + tows("B", "T"), tows("A", "T") +
		strings.Replace(car("B", "10"), "<Properties/>", hitch+"<Trailer>"+strings.ReplaceAll(
			tows("C", "T"), "ScenarioObject", "Trailer")+"</Trailer>", 1)} {
		_, _, err := open(t, objects+car("T", "10"), one(10), "", road)
		require.ErrorContains(t, err, "found T, which A tows, expected a trailer that no other")
	}
	connect := `<TrailerAction><ConnectTrailerAction trailerRef="T"/></TrailerAction>`
	r := start(t, car("A", "10")+tows("T", "U")+tows("U", "A"), one(10)+private("T",
		teleport(-2, 50)), story(connect))
	r.until(2, 0)
	last := r.notes[len(r.notes)-1]
	require.Equal(t, "T is not coupled, because it tows A", last.Text)
	require.Equal(t, "trailer", last.Kind)
}

// TestTrailer_DescribedWithinItsVehicle checks that a trailer that is described inside its vehicle
// is not an entity but exists and follows the vehicle, as does a second trailer behind it.
func TestTrailer_DescribedWithinItsVehicle(t *testing.T) {
	described := func(name, rest string) string {
		x := strings.NewReplacer("ScenarioObject", "Trailer", "<Properties/>",
			`<Properties/><TrailerCoupler dx="4"/><TrailerHitch dx="-1"/>`+rest)
		return `<Trailer>` + x.Replace(car(name, "10")) + `</Trailer>`
	}
	hitched := strings.Replace(car("A", "10"), "<Properties/>",
		`<Properties/><TrailerHitch dx="-1"/>`+described("T", described("U", "")), 1)
	r := start(t, hitched, one(10), "")
	r.until(2, 0)
	a := r.world.State(0)
	x := a.X
	for _, name := range []string{"A.T", "A.T.U"} {
		v, err := r.world.Simulation().Actor(name)
		require.NoError(t, err)
		require.InDelta(t, x-5+1.4, v.State().Position.X, 1e-9, "the middle of its box")
		require.InDelta(t, 10, v.State().Speed, 1e-9)
		x -= 5
	}
}

// TestTrailers checks that a vehicle may tow what it has at the start and what actions connect to it
// or to its trailers, but not the trailers of other vehicles.
func TestTrailers(t *testing.T) {
	tows := func(name, other string) string {
		return strings.Replace(car(name, "10"), "<Properties/>",
			`<Properties/><Trailer><TrailerRef entityRef="`+other+`"/></Trailer>`, 1)
	}
	w, s, err := open(t, car("A", "10")+tows("T", "U")+car("U", "10")+tows("B", "V")+car("V", "10"),
		one(10), story(`<TrailerAction><ConnectTrailerAction trailerRef="T"/></TrailerAction>`), road)
	require.NoError(t, err)
	defer w.Close()
	_, errs := storyboard.New(s, w, storyboard.Options{}) // binds the action
	require.Empty(t, errs)
	for vehicle, want := range map[storyboard.Entity][]storyboard.Entity{0: {1, 2}, 1: {2}, 2: nil,
		3: {4}, 4: nil} {
		require.Equal(t, want, w.Trailers(vehicle), "of %d", vehicle)
	}
}

// TestTrailer_InMessages checks that a vehicle has a trailer in messages only while the trailer is
// at its hitch and in the messages, too.
func TestTrailer_InMessages(t *testing.T) {
	const away = `<TrailerAction><DisconnectTrailerAction/></TrailerAction>`
	towing := strings.Replace(car("A", "10"), "<Properties/>",
		`<Properties/><TrailerHitch dx="-1"/><Trailer><TrailerRef entityRef="T"/></Trailer>`, 1)
	trailer := strings.Replace(car("T", "10"), "<Properties/>",
		`<Properties/><TrailerCoupler dx="4"/>`, 1)
	for name, c := range map[string]struct {
		action string
		of     string // the entity that acts
		there  bool   // the trailer is in messages, too
	}{
		"disconnected": {away, "A", true},
		"hidden":       {`<VisibilityAction graphics="true" sensors="false" traffic="true"/>`, "T", false},
		"moved away": {`<TeleportAction><Position><LanePosition roadId="1" laneId="1" s="500"/>
</Position></TeleportAction>`, "T", true},
		"deleted": {"", "T", false},
		"its vehicle is put elsewhere": {`<TeleportAction><Position><LanePosition roadId="1"
laneId="1" s="500"/></Position></TeleportAction>`, "A", true},
	} {
		t.Run(name, func(t *testing.T) {
			stories := strings.Replace(story(c.action), `entityRef="A"`, `entityRef="`+c.of+`"`, 1)
			if c.action == "" {
				before, rest, _ := strings.Cut(stories, "<PrivateAction>")
				_, after, _ := strings.Cut(rest, "</PrivateAction>")
				stories = before + `<GlobalAction><EntityAction entityRef="T"><DeleteEntityAction/>
</EntityAction></GlobalAction>` + after
			}
			r := start(t, towing+trailer, one(10), stories)
			id := func() uint64 {
				v, err := r.world.Simulation().Actor("T")
				require.NoError(t, err)
				return v.ID()
			}()
			r.until(0.5, 0)
			_, tows := r.message()
			require.Equal(t, []uint64{id}, tows)
			r.until(1.5, 0)
			shown, tows := r.message()
			require.Equal(t, c.there, slices.Contains(shown, id))
			if r.world.Coupled(0, 1) && c.there {
				require.Equal(t, []uint64{id}, tows)
				return
			}
			require.Empty(t, tows)
		})
	}
}

// TestTrailer_OutOfRange checks that messages contain both or none of a trailer and its number.
func TestTrailer_OutOfRange(t *testing.T) {
	towing := strings.Replace(car("A", "10"), "<Properties/>",
		`<Properties/><TrailerHitch dx="-1"/><Trailer><TrailerRef entityRef="T"/></Trailer>`, 1)
	trailer := strings.Replace(car("T", "10"), "<Properties/>",
		`<Properties/><TrailerCoupler dx="4"/>`, 1)
	r := start(t, towing+trailer, one(10), "")
	r.until(0.5, 0)
	for _, c := range []struct {
		host  string
		reach float64
		shown int
	}{{"A", 3, 1}, {"A", 9, 2}, {"T", 3, 1}, {"T", 9, 2}} {
		shown, tows := r.messageFor(truth.Options{Host: c.host, Range: c.reach,
			Looks: r.world.Looks()})
		require.Len(t, shown, c.shown, c)
		require.Len(t, tows, c.shown-1, c)
	}
}

// message returns the moving objects in a message, and those that are trailers of others.
func (r *run) message() (all, tows []uint64) {
	return r.messageFor(truth.Options{Host: "A", Looks: r.world.Looks()})
}

func (r *run) messageFor(o truth.Options) (all, tows []uint64) {
	m, err := truth.New(r.world.Simulation(), o)
	require.NoError(r.t, err)
	bytes, err := m.GroundTruth()
	require.NoError(r.t, err)
	var g osi3.GroundTruth
	require.NoError(r.t, proto.Unmarshal(bytes, &g))
	for _, o := range g.MovingObject {
		all = append(all, o.Id.GetValue())
		c := o.GetVehicleClassification()
		require.Equal(r.t, c.GetHasTrailer(), c.GetTrailerId() != nil)
		if c.GetHasTrailer() {
			tows = append(tows, c.GetTrailerId().GetValue())
		}
	}
	return all, tows
}

// TestTrailer_DrivenAwayInMessages checks that a vehicle has no trailer in messages while its
// trailer is driven away from the hitch, and has it again when it is back.
func TestTrailer_DrivenAwayInMessages(t *testing.T) {
	objects := strings.Replace(car("A", "10"), "<Properties/>",
		`<Properties/><TrailerHitch dx="-1"/><Trailer><TrailerRef entityRef="T"/></Trailer>`, 1) +
		strings.Replace(car("T", "10"), "<Properties/>", `<Properties/><TrailerCoupler dx="4"/>`, 1)
	_, s, err := open(t, objects, one(0), "", road)
	require.NoError(t, err)
	w, err := entities.New(s, entities.Options{Map: straight(t)})
	require.NoError(t, err)
	w.SetDriver(1, func(has storyboard.Domain) error {
		if has == 0 {
			return nil
		}
		return w.Simulation().Take("T")
	}, false)
	r := begin(t, w, s)
	const h, home = 0.01, 100 - 1 - 4 + 1.4 // of the middle of its box
	put := func(k int, x, v float64) {
		sim := w.Simulation()
		require.NoError(t, sim.Put("T", &mocksim.Update{Time: sim.Time() + 10*timebase.Millisecond,
			Given: mocksim.PartX | mocksim.PartY | mocksim.PartYaw | mocksim.PartVelocityX |
				mocksim.PartVelocityY,
			Position: frames.Vector{X: x, Y: -1.75}, Velocity: frames.Vector{X: v}}))
		r.until(float64(k)*h, 0)
	}
	x, had := home, 0
	for k := 1; k <= 400; k++ {
		v := 0.0
		switch {
		case k <= 100:
		case k <= 200:
			v = -2
		case k <= 300:
			v = 2
		}
		x += v * h
		put(k, x, v)
		_, tows := r.message()
		require.Equal(t, w.Coupled(0, 1), len(tows) == 1, k)
		if len(tows) == 1 {
			had++
		}
		if k == 200 {
			require.Empty(t, tows)
		}
	}
	require.Greater(t, had, 150)
	_, tows := r.message()
	require.Len(t, tows, 1)
}

// TestLeadTrailer_LastsOneStep checks that a pose that a driver has sent for a trailer holds for the
// next step, and not until the trailer is coupled to another vehicle.
func TestLeadTrailer_LastsOneStep(t *testing.T) {
	towing := strings.Replace(car("A", "10"), "<Properties/>",
		`<Properties/><TrailerHitch dx="-1"/><Trailer><TrailerRef entityRef="T"/></Trailer>`, 1)
	trailer := strings.Replace(car("T", "10"), "<Properties/>",
		`<Properties/><TrailerCoupler dx="4"/>`, 1)
	other := strings.Replace(car("B", "10"), "<Properties/>",
		`<Properties/><TrailerHitch dx="-1"/>`, 1)
	const connect = `<TrailerAction><ConnectTrailerAction trailerRef="T"/></TrailerAction>`
	for _, after := range []string{"", `<TrailerAction><DisconnectTrailerAction/></TrailerAction>`} {
		stories := ""
		if after != "" {
			stories = story(after) + strings.NewReplacer(`entityRef="A"`, `entityRef="B"`, `name="S"`,
				`name="S2"`, `value="1"`, `value="1.5"`).Replace(story(connect))
		}
		r := start(t, towing+trailer+other, one(10)+private("B", teleport(1, 300)+speed(10)), stories)
		v, err := r.world.Simulation().Actor("T")
		require.NoError(t, err)
		tow, leads := 0, true
		for k := 1; k <= 120 && leads; k++ {
			u := &mocksim.Update{Given: mocksim.PartX | mocksim.PartY,
				Position: frames.Vector{X: 95 + 0.1*float64(k), Y: -1.75}}
			leads = r.world.LeadTrailer(0, v.ID(), u)
			r.until(float64(k)/100, 0)
		}
		if require.Equal(t, after == "", leads); after != "" {
			tow = 2
		}
		b := r.until(3, tow)
		trailing := r.world.State(1)
		require.InDelta(t, 4, math.Hypot(b.X-math.Cos(b.H)-trailing.X, b.Y-math.Sin(b.H)-trailing.Y),
			1e-9)
	}
}
