// Package seat is the place of a driver in a simulated world: one actor, which a model outside the
// world moves. The driver sees SensorViews whose host vehicle is the actor, and answers with
// TrafficUpdates, as the traffic participants of OSMP 1.1.0 do. Whatever runs a world can have
// seats: package participant has them for FMUs next to the world, a scenario for the entities to
// which it assigns a controller.
//
//	s, err := seat.New(world, maker, seat.Options{Actor: "ego"}) // takes the actor
//	view, err := s.SensorView()                                  // at world.Time()
//	...                                                          // the driver steps
//	err = s.Update(end, update)                                  // its answer, made for end
//	events, err := world.Step(end - world.Time())                // applies it as the state at end
//
// A step has this order: all drivers from the SensorViews of one time t, then the world from t to
// t+h, which applies each update as the state at t+h, then whatever senses the world. So a model
// that integrates its own state and one that integrates what it sees are both exact. Whoever
// changes the world between two steps, such as a director that moves an actor, makes the
// SensorViews again before the drivers step.
//
// The rules:
//
//   - An update counts from the end of the driver's step, whatever its time stamp says. Between two
//     updates of a slower driver the actor moves on; see [mocksim.World.Put].
//   - Fields that an update does not have are unchanged, or left to the road; see [mocksim.Update].
//   - Only the object with the id of the actor counts. Others are dropped, with the event not_owner
//     or, if there is no such actor, unknown_actor, once for each.
//   - A driver that says nothing is trusted for a step of its own, in which the actor moves on.
//     Then the actor goes back to its former owner, with the event silent, until the next update.
//   - The world says where the actor starts. A first update from elsewhere is an error of the kind
//     [ErrStart], unless Options.FromDriver leaves the start to the driver.
//   - An actor that others take, such as a director by a move, is theirs: updates are dropped with
//     the event not_owner, until [Seat.Take].
//   - Nothing is allocated after the first steps.
//
// Sources: OSI 3.8.0, osi_trafficupdate.proto; OSMP 1.6.0, traffic participants.
package seat
