// Package foreign lets third-party simulators move the actors of a simulated world: a program that
// speaks the simulator support API on its standard streams, or a server of that API.
//
//	w, err := mocksim.New(m, mocksim.Options{Step: step})
//	err = foreign.Join(ctx, w, "exec:python3 sumo.py", foreign.Options{Step: step})
//	... // actors, moves and steps as in any world; w.Close() ends the simulator
//
// The world mirrors the simulator: it holds the map, creates messages, detects collisions and
// judges runs, while the simulator provides the positions of its actors. gosmp fills in what the
// simulator lacks: if the simulator does not offer an actor's kind of move, the world moves the
// actor and sends its position to the simulator at the end of each step. It does the same for
// actors driven by FMUs or moved by a scenario. Actors that the simulator itself creates appear in
// the world under the names that it gives them.
//
// An address is one of
//
//	exec:COMMAND    a child: frames on its standard input, replies on its standard output
//	tcp:HOST:PORT   a server, also as tcp:TOKEN@HOST:PORT
//
// The words of COMMAND are separated by spaces, which quotes protect; no shell is involved. A child
// answers one call at a time, in the frames of simapi.proto: first hello, then the methods of
// [simapi.Simulator], with step instead of start_step, wait_step and get_actors_states. gosmp takes
// care of the order of calls, checks, steps, estimates and waits. The child's standard error goes
// to Options.Log.
//
// Index: [Join] and [Open] with [Options]; [Child]; errors come from simapi and mocksim.
package foreign
