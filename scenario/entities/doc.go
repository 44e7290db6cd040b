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
// Without an action, an entity keeps its speed, its lane and its offset (section 7.5.2). In each
// step, the actions that set speeds run first, and among these, the actions that depend on other
// entities run last. Then each entity moves: along its lane, through a lane change, to an offset or
// along a trajectory. If the speed changes during the step, the distance is the integral of the
// shape of the change. Synchronization and distance keeping choose a new speed in each step, and
// hold it for that step. Positions, distances and speeds refer to the reference point; the middle
// of the bounding box, to which messages refer, is offset from it.
//
// s grows by the distance divided by 1 - curvature t, evaluated at the start of the step. An entity
// stops at the end of the last road. Performance limits make speed changes take longer, which is
// noted.
//
// # Rules
//
//   - Bind and Measure refuse impossible actions and conditions with an error that states their
//     place.
//   - The same document, seed and steps give the same states, to the last bit, on every platform.
//   - A step allocates nothing, except when a route between two roads is needed for the first time.
//
// Index: [World] with [Options]; [New].
package entities
