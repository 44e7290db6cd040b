// Package foreign lets third-party simulators move the actors of a simulated world: a program that
// speaks the simulator support API on its standard streams, or a server of that API.
//
//	w, err := mocksim.New(m, mocksim.Options{Step: step})
//	err = foreign.Join(ctx, w, "exec:python3 sumo.py", foreign.Options{Step: step})
//	... // actors, moves and steps as in any world; w.Close() ends the simulator
//
// The world is a mirror of the simulator: it has the map, and makes messages, collisions and
// verdicts; the simulator says where its actors are. What it lacks, gosmp does: an actor whose kind
// of move the simulator does not offer is moved by the world, and the simulator is told where it is
// at the end of each step, as it is of actors that FMUs drive or that a scenario moves. Actors that
// the simulator makes itself appear in the world with the names that it gives them.
//
// An address is one of
//
//	exec:COMMAND    a child: frames on its standard input, replies on its standard output
//	tcp:HOST:PORT   a server, also as tcp:TOKEN@HOST:PORT
//
// The words of COMMAND are separated by blanks, and quotes keep blanks together; there is no shell.
// A child answers one call at a time, in the frames of simapi.proto: hello, then the methods of
// [simapi.Simulator], with step in place of start_step, wait_step and get_actors_states. gosmp
// takes care of the order of calls, checks, steps, estimates and waits. What the child writes to
// its standard error goes to Options.Log.
//
// Index: [Join] and [Open] with [Options]; [Child]; errors come from simapi and mocksim.
package foreign
