// Package seat provides a driver's seat in a simulated world: an actor that a model outside the
// world moves. The driver receives SensorViews whose host vehicle is the actor, and answers with
// TrafficUpdates, like the traffic participants of OSMP 1.1.0. Anything that runs a world can have
// seats: package participant provides them for FMUs, and a scenario provides them for the entities
// to which it assigns a controller.
//
//	s, err := seat.New(world, maker, seat.Options{Actor: "ego"}) // takes the actor
//	view, err := s.SensorView()                                  // at world.Time()
//	...                                                          // the driver steps
//	err = s.Update(end, update)                                  // its answer, made for end
//	events, err := world.Step(end - world.Time())                // applies it as the state at end
//
// A step has this order: First, all drivers step, using the SensorViews of one time t. Then the
// world steps from t to t+h and applies each update as the state at t+h. Finally, everything that
// senses the world steps. This is exact both for a model that integrates its own state and for one
// that integrates the observed state. After a change to the world between two steps, for instance
// by a director that moves an actor, the SensorViews must be created again before the drivers step.
//
// The rules:
//
//   - An update applies from the end of the driver's step, regardless of its time stamp. Between
//     two updates of a slower driver, the actor keeps moving along its future_trajectory if it has
//     one, whose times count from the time stamp of the update, or else along its curve; see
//     [mocksim.World.Put]. The same applies to an actor that others move, see [Seat.Said].
//   - Missing fields of an update stay unchanged or follow the road; see [mocksim.Update].
//   - Only the object with the actor's id is used. Other objects are dropped, with the event
//     not_owner or, if there is no such actor, unknown_actor, once for each object.
//   - A driver may send nothing for one of its own steps, in which the actor keeps moving. After
//     that, the actor returns to its former owner, with the event silent, until the next update. A
//     message without the actor counts as silence.
//   - Bytes that are not a TrafficUpdate, and values that are impossible for an actor, end the run
//     with [ErrMessage] and [ErrUpdate].
//   - The world decides where the actor starts. A first update from elsewhere is an error of the
//     kind [ErrStart], unless Options.FromDriver leaves the start to the driver.
//   - If the actor is taken, for example by a director that moves it, the new owner controls it,
//     and updates are dropped with the event not_owner until [Seat.Take].
//   - Nothing is allocated after the first steps.
//
// Sources: OSI 3.8.0, osi_trafficupdate.proto; OSMP 1.6.0, traffic participants.
package seat
