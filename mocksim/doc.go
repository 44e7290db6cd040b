// Package mocksim is a light traffic simulator on OpenDRIVE maps: sufficient as the input of a
// sensor model, a driving stack or an experiment, and without the need for a graphics card.
//
//	m, err := opendrive.ReadFile("town.xodr")
//	w, err := mocksim.New(m, mocksim.Options{Seed: 1})
//	err = w.Create(mocksim.Actor{Name: "ego", Kind: mocksim.Car, Start: mocksim.OnRoad("5", -1, 20)})
//	err = w.SetController("ego", mocksim.Controller{Driver: mocksim.Driver{Speed: 15}})
//	for range 500 {
//		events, err := w.Step(20 * timebase.Millisecond)
//	}
//	ego, err := w.Actor("ego")
//	state := ego.State()
//
// An actor stands where it was created until it gets one of three moves; the last one applies, from
// the state at that moment:
//
//   - [World.SetTrajectory]: points in time, interpolated at the rate of the simulation. What they do
//     not give (speed, angles, height) is estimated.
//   - [World.SetControls]: throttle, brake, steering wheel and gear on a bicycle model.
//   - [World.SetController]: the simulator drives along lanes to a destination, or on forever, by
//     the intelligent driver model, with lane changes where the route needs them or where they pay.
//
// The rules:
//
//   - SI units, radians, ISO 8855 axes: the map's x, y, z, yaw counter-clockwise from x. Time is
//     integer nanoseconds.
//   - The position of an actor is the middle of its box dropped onto the ground along the z axis of
//     the box; [View.At] gives the motion of any point of the body.
//   - In a step all accelerations are computed from the states at its start, then all states at its
//     end, then what follows from the map, then collisions. Events come in this order.
//   - The same map, seed and calls give the same states and events, to the last bit, whatever the
//     order in which actors were created, and whatever [Options.Workers] is.
//   - A step allocates nothing once routes and buffers exist. A new route may allocate.
//   - A call that fails has changed nothing. A step fails only when its length is not positive.
//   - The motion that is reported is the motion of the pose: velocities, accelerations and rates of
//     actors under control are derivatives by the way along their path, times the speed.
//   - Controlled actors heed leaders on their lanes, red lights and the ends of lanes, and rights
//     of way where lanes cross, merge or part; they do not see actors outside the lanes.
//   - A World is used by one goroutine at a time. [World.Close] ends its workers.
//
// Sources: the IDM of Treiber, Hennecke and Helbing (Phys. Rev. E 62, 2000), MOBIL of Kesting,
// Treiber and Helbing (TRR 1999, 2007); the kinematic bicycle is exact for constant acceleration
// and steering angle. The safe speed behind a leader follows Krauss (1998); gaps between crossing
// actors are accepted by the time until they meet, as in the Highway Capacity Manual.
//
// Index: [World] with [Options]; [Actor] creates, [View] reads; [Kind], [Shape], [State], [Place];
// [Trajectory], [Drive] of [Controls], [Controller] with a [Driver]; [Light]; [Event]; errors are
// of the type [Error] with the kinds Err...
package mocksim
