package trial

import (
	"math"

	"gosmp/mocksim"
	"gosmp/timebase"
)

// Scene holds the poses of all actors at the moment a machine changed its state.
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

// scene records the current situation.
func (t *Trial) scene() {
	if t.world != nil && len(t.scenes) < maxScenes {
		t.scenes = append(t.scenes, t.present())
	}
}

// present returns the current poses of all actors.
func (t *Trial) present() Scene {
	s := Scene{Time: t.Now()}
	for k := range t.world.Len() {
		v := t.world.At(k)
		state := v.State()
		s.Actors = append(s.Actors, Box{v.Name(), state.Position.X, state.Position.Y,
			v.Shape().Length, v.Shape().Width,
			state.Orientation.Yaw * 180 / math.Pi, state.Speed, v.Kind()})
	}
	return s
}

// maxFilm is the maximum number of scenes in a film: twice the number needed for playback.
const maxFilm = 1200

// film holds scenes at regular intervals, which grow with the length of the trial.
type film struct {
	Scenes []Scene
	Every  timebase.Duration
	Next   timebase.Time
}

// shoot adds the current scene to the film if the next one is due.
func (t *Trial) shoot() {
	f, now := &t.film, t.Now()
	if !t.options.Film || t.world == nil || now < f.Next {
		return
	}
	if len(f.Scenes) >= maxFilm {
		for k := range maxFilm / 2 {
			f.Scenes[k] = f.Scenes[2*k]
		}
		f.Scenes = f.Scenes[:maxFilm/2]
		f.Every *= 2
	}
	f.Every = max(f.Every, 20*timebase.Millisecond)
	f.Scenes, f.Next = append(f.Scenes, t.present()), now+f.Every
}
