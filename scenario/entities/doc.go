// Package entities moves the entities of an OpenSCENARIO document on an OpenDRIVE map: it is the
// storyboard's World, with the mock simulator as its stage.
//
//	w, err := entities.New(resolved, entities.Options{Seed: 1})
//	...                                         // a storyboard binds its actions and conditions
//	err = w.Advance(now, now+0.01, report)      // between its evaluations
//	maker, err := truth.New(w.Simulation(), truth.Options{Host: "Ego", Looks: w.Looks()})
//
// # Motion
//
// Without an action an entity keeps its speed, its lane and its offset (section 7.5.2). In a step
// the actions that set speeds go first, those that look at other entities last; then each entity
// goes its way: with its lane, a change of lanes, an offset or along a trajectory. If its speed
// changes in the step, the way is the integral of the shape of the change. Synchronization and
// distance keeping decide anew in each step, and hold the speed for it. Positions, distances and
// speeds refer to the reference point; the middle of the bounding box, to which messages refer, is
// offset from it.
//
// s grows by the way over 1 - curvature t, taken where the step begins. At the end of the last road
// an entity stops. Performance limits stretch changes of speed; a note says so.
//
// # Rules
//
//   - What an action or a condition cannot do is refused by Bind and Measure, with its place.
//   - The same document, seed and steps give the same states, to the last bit, on every platform.
//   - A step allocates nothing, but for ways between roads that are asked for the first time.
//
// Index: [World] with [Options]; [New].
package entities
