package trial

import (
	"math"

	"gosmp/mocksim"
	"gosmp/timebase"
)

// Scene is where all actors were when a machine changed its state.
type Scene struct {
	Time   timebase.Time
	Actors []Box
}

// Box is an actor seen from above, in m and degrees.
type Box struct {
	Name                string
	X, Y, Length, Width float64
	Turn, Speed         float64 // degrees counter-clockwise, m/s
	Kind                mocksim.Kind
}

const maxScenes = 100 // in a report

// scene keeps a picture of the present situation.
func (t *Trial) scene() {
	if t.world == nil || len(t.scenes) >= maxScenes {
		return
	}
	s := Scene{Time: t.Now()}
	for k := range t.world.Len() {
		v := t.world.At(k)
		state := v.State()
		s.Actors = append(s.Actors, Box{v.Name(), state.Position.X, state.Position.Y,
			v.Shape().Length, v.Shape().Width,
			state.Orientation.Yaw * 180 / math.Pi, state.Speed, v.Kind()})
	}
	t.scenes = append(t.scenes, s)
}
