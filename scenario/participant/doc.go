// Package participant makes a scenario a participant of a co-simulation, next to the FMUs that are
// tested in it: models drive or brake its entities or act as their sensors, and the storyboard and
// its judges observe the outcome.
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
// acceleration (m/s2), of its reference point; NAME.exists; and NAME.controlled, which is true
// while the controller has one of its motions. The outputs keep their last values while the entity
// does not exist.
//
// GroundTruthOut, with the ego vehicle as host vehicle, and OSMPGroundTruthInitOut, with everything
// that never changes. Then, for each entity in Options.Seats:
//
//   - NAME.OSMPSensorViewOut, for sensors: no data while the entity does not exist.
//   - NAME.driver.OSMPSensorViewOut and NAME.driver.OSMPTrafficCommandOut, for a driver: no data
//     while the controller has none of the entity's motions. A driver that starts with its first
//     SensorView therefore starts where the storyboard left the entity.
//   - each SensorView output with its configuration, NAME.OSMPSensorViewOutConfig.
//   - NAME.simsensorOut: measurements of the entity's inertial sensors, GPS and other sensors in a
//     step, as rows of package recording.
//   - NAME.OSMPTrafficUpdateIn; or requests and controls: NAME.brakeRequest (0 to 1),
//     NAME.accelerationRequest (m/s2); NAME.throttle, NAME.brake (0 to 1), NAME.steeringWheelAngle
//     (rad); NAME.targetSpeed (m/s) in place of the pedals, NAME.tireAngle (rad) of the wheels.
//   - NAME.control: while it is connected and false, the driver is not ready, so the storyboard
//     moves the entity.
//
// # The rules
//
//   - ActivateControllerAction determines which motions a controller has. If inputs are connected
//     for an entity whose controller the scenario never activates, the driver controls the entity
//     from the start.
//   - A TrafficUpdate with both motions moves the entity as in any other world; see package seat.
//     If the driver has only the longitudinal motion, the speed and the distance along the entity
//     count, and the storyboard steers. If it has only the lateral motion, the path counts, and the
//     storyboard controls the speed.
//   - Requests change only the speed. The storyboard steers, and while nothing is requested it
//     controls the speed, too. Throttle, brake and steering wheel move a model of the vehicle.
//   - If a driver stops sending, the storyboard controls the entity until the driver sends again.
//   - The run ends with the scenario.
//
// Index: [Participant] with [Options]; the names of variables.
package participant
