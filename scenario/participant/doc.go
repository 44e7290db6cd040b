// Package participant makes a scenario a participant of a co-simulation, next to the FMUs that are
// tested in it: models drive its entities, brake them, or sense from them, and the storyboard and
// its judges see what becomes of it.
//
//	p, err := participant.New(resolved, participant.Options{Seats: []string{"Ego"}})
//	engine.Add("scenario", p)
//	engine.Connect("scenario.Ego.driver.OSMPSensorViewOut", "driver.OSMPSensorViewIn")
//	engine.Connect("driver.OSMPTrafficUpdateOut", "scenario.Ego.OSMPTrafficUpdateIn")
//	_, err = engine.Run(ctx)
//	err = p.Finish(err)
//	result := p.Result() // with the verdict
//
// # The variables
//
// For each entity, in the order of the document: NAME.x, y, z (m), yaw (rad), speed (m/s),
// acceleration (m/s2), of its reference point; NAME.exists; and NAME.controlled, true while its
// controller has a motion of it. The outputs keep their last values while it does not exist.
//
// GroundTruthOut, whose host vehicle is the ego vehicle, and OSMPGroundTruthInitOut, what never
// changes. Then, for each entity of Options.Seats:
//
//   - NAME.OSMPSensorViewOut, for sensors: no data while the entity does not exist.
//   - NAME.driver.OSMPSensorViewOut and NAME.driver.OSMPTrafficCommandOut, for a driver: no data
//     while its controller has no motion of the entity. So a driver that begins with the first
//     SensorView that it gets begins where the storyboard has left the entity.
//   - each SensorView output with its configuration, NAME.OSMPSensorViewOutConfig.
//   - NAME.simsensorOut: what the entity's inertial sensors, GPS and the others measure in a step, as
//     rows of package recording.
//   - NAME.OSMPTrafficUpdateIn; or requests and controls: NAME.brakeRequest (0 to 1),
//     NAME.accelerationRequest (m/s2); NAME.throttle, NAME.brake (0 to 1), NAME.steeringWheelAngle
//     (rad); NAME.targetSpeed (m/s) in place of the pedals, NAME.tireAngle (rad) of the wheel.
//   - NAME.control: while it is connected and false, the driver is not ready, and the storyboard moves
//     the entity.
//
// # The rules
//
//   - ActivateControllerAction says which motions a controller has. An entity whose controller the
//     scenario never activates, but for which inputs are connected, is its driver's from the start.
//   - A TrafficUpdate with both motions moves the entity as in any world; see package seat. Of one
//     with the longitudinal motion, speed and way along the entity count; the storyboard steers.
//     Of one with the lateral motion the path counts, and the storyboard has the speed.
//   - Requests change the speed alone; the storyboard steers, and while nothing is requested it has
//     the speed, too. Throttle, brake and steering wheel move a model of the vehicle.
//   - A driver that falls silent gives the entity back to the storyboard until it speaks again.
//   - The run ends when the scenario does.
//
// Index: [Participant] with [Options]; the names of variables.
package participant
