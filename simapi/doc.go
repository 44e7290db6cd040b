// Package simapi implements the simulator support API, with which a test director runs a simulator
// and the system under test, step by step, in one process or over TCP. The vocabulary follows
// simulator support packages (init, launch_simulator, start_step, wait_step, set_xy_trajectory,
// ...); the schema, simapi.proto, is gosmp's own.
//
// A vendor of a simulator implements [Simulator], and a vendor of a driving stack implements [SUT];
// they embed [Base] or [BaseSUT] for the calls that they do not support. [NewServer] does the rest:
// the order of calls, several parties, bounded waits, the ratio of steps, checks of fields, missing
// state, diagnoses, and the connections:
//
//	server := simapi.NewServer(simapi.Config{Name: "mock 1.0", Simulator: sim, SUT: stack})
//	client, err := server.Connect("director", simapi.Role_SSP) // in this process
//	go server.Serve(listener)                                  // over TCP
//	client, err := simapi.Dial(ctx, "127.0.0.1:7788", "director", simapi.Role_SSP)
//
// The rules:
//
//   - Every call is answered when it has been carried out, except start_simulation and start_step.
//     These are answered at once, so that one client can start a simulator that needs several (the
//     document's synchronization rule).
//   - A single table defines the legal calls in each state; see the [State] constants. An illegal
//     call changes nothing, and its error names the state, the legal calls in this state, and the
//     three previous calls.
//   - Every wait is bounded. If it ends early, the error names the late parties, with role and last
//     call.
//   - The director's step is a whole number n >= 1 of simulator steps; a simulator that is slower
//     than the director is refused.
//   - Only the positions x and y of an actor's state are mandatory. The server fills in the other
//     values and lists the ones it estimated.
//   - A server is intended for a trusted network, because it has neither encryption nor
//     authentication.
//
// Types: [Simulator] with [Base], [SUT] with [BaseSUT], optional [Ground]; [Server] with [Config],
// [Client]; [State], [Method], [Role], [Code], the messages of simapi.proto; [Estimator] for
// missing state, [Trajectory] for the path that an actor follows, [Resample] for directors,
// [FrameReader] for the bytes of a connection.
package simapi

//go:generate go run gosmp/proto/internal/generate -dir .
//go:generate go run gosmp/simapi/internal/pyschema -out ../python/gosmp/_simapi_schema.py
