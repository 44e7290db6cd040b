// Package mocksim is a lightweight traffic simulator on OpenDRIVE maps. It provides sufficient
// input for a sensor model, a driving stack or an experiment, and does not need a graphics card.
//
//	m, err := opendrive.ReadFile("town.xodr")
//	w, err := mocksim.New(m, mocksim.Options{Seed: 1})
//	err = w.Create(mocksim.Actor{Name: "ego", Kind: mocksim.Car,
//		Start: mocksim.OnRoad("5", -1, 20)})
//	err = w.SetController("ego", mocksim.Controller{Driver: mocksim.Driver{Speed: 15}})
//	for range 500 {
//		events, err := w.Step(20 * timebase.Millisecond)
//	}
//	ego, err := w.Actor("ego")
//	state := ego.State()
//
// An actor stands where it was created until it is given one of three moves. The most recent move
// applies, starting from the state at that moment:
//
//   - [World.SetTrajectory]: points in time, interpolated at the rate of the simulation. Missing
//     values (speed, angles, height) are estimated.
//   - [World.SetControls]: throttle, brake, steering wheel and gear on a bicycle model.
//   - [World.SetController]: the simulator drives along lanes to a destination, or forever, using
//     the intelligent driver model, with lane changes where the route requires them or where they
//     pay off.
//
// The rules:
//
//   - SI units, radians, ISO 8855 axes: the map's x, y, z, yaw counter-clockwise from x. Time is
//     integer nanoseconds.
//   - The position of an actor is the middle of its box, projected onto the ground along the z axis
//     of the box; [View.At] returns the motion of any point of the body.
//   - A step first computes all accelerations from the states at its start, then all states at its
//     end, then everything that follows from the map, then collisions. Events come in this order.
//   - The same map, seed and calls give the same states and events, to the last bit, regardless of
//     the order in which actors were created and of [Options.Workers].
//   - A step allocates nothing once routes and buffers exist. A new route may allocate.
//   - A call that fails changes nothing. A step fails only if its length is not positive.
//   - The reported motion is consistent with the pose: velocities, accelerations and rates of
//     actors under control are derivatives with respect to the distance along their path, times the
//     speed.
//   - Controlled actors observe leaders on their lanes, red lights, the ends of lanes, and rights
//     of way where lanes cross, merge or diverge; they do not see actors outside the lanes.
//   - Only one goroutine at a time may use a World. [World.Close] stops its workers.
//
// Sources: the IDM of Treiber, Hennecke and Helbing (Phys. Rev. E 62, 2000), MOBIL of Kesting,
// Treiber and Helbing (TRR 1999, 2007); the kinematic bicycle is exact for constant acceleration
// and steering angle. The safe speed behind a leader follows Krauss (1998); gap acceptance between
// crossing actors uses the time until they meet, as in the Highway Capacity Manual.
//
// Index: [World] with [Options]; [Actor] to create, [View] to read; [Kind], [Shape], [State],
// [Place]; [Trajectory], [Drive] of [Controls], [Controller] with a [Driver]; [Light]; [Event];
// errors are of the type [Error] with the kinds Err...
package mocksim
