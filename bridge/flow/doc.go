// Package flow connects a message bridge to a run: simulation events go down as messages, messages
// come up as events with their data, and the sensor data of a host vehicle is published.
//
//	f, err := flow.Open(config, flow.Options{Warn: warn})
//	err = f.Emit(now, "goal", map[string]any{...})
//	err = f.Sense(topic, now, "SensorView", message)
//	events, err := f.Arrived()
//	err = f.Close()
//
//	observer, err := f.Join(flow.Run{Watch: watch, Drive: drive, Warn: warn})
//	engine.Observe(observer)
//
//	flow.Fit(config, run, refused) // the check of a configuration, without a flow
//
// Guarantees: the run never waits for a client (see package server); incoming messages are checked
// before they become events; an Imu measures gravity as accelerometers do (REP 145), in the axes of
// the vehicle as ISO 8855 and REP 103 define them.
//
// Types: [Flow], [Options], [Event]; [Observer] and [Run] join a flow to a run of package cosim.
package flow
