// Package foreign lets third-party simulators move the actors of a simulated world: a program that
// speaks the simulator support API on its standard streams, or a server of that API.
//
//	w, err := mocksim.New(m, mocksim.Options{Step: step})
//	err = foreign.Join(ctx, w, "exec:python3 sumo.py", foreign.Options{Step: step})
//	... // actors, moves and steps as in any world; w.Close() ends the simulator
//
// The world mirrors the simulator: it has the map, creates messages, and detects collisions and
// judges runs; the simulator says where its actors are. gosmp does what the simulator lacks: if the
// simulator does not offer an actor's kind of move, the world moves the actor and tells the
// simulator at the end of each step where it is. It does the same for actors that FMUs drive or
// that a scenario moves. Actors that the simulator itself creates appear in the world under the
// names that it gives them.
//
// An address is one of
//
//	exec:COMMAND    a child: frames on its standard input, replies on its standard output
//	tcp:HOST:PORT   a server, also as tcp:TOKEN@HOST:PORT
//
// The words of COMMAND are separated by blanks, and quotes keep blanks together; there is no shell.
// A child answers one call at a time, in the frames of simapi.proto: first hello, then the methods
// of [simapi.Simulator], with step in place of start_step, wait_step and get_actors_states. gosmp
// takes care of the order of calls, checks, steps, estimates and waits. The child's standard error
// goes to Options.Log.
//
// Index: [Join] and [Open] with [Options]; [Child]; errors come from simapi and mocksim.
package foreign
