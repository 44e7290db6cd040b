// Package activity is DUECA's notion of time as a library: time-tagged data in channels, and
// activities that are triggered by time or by data. It is for programs that consist of modules with
// different rates and delays, such as a simulation, a sensor model or the replay of a recording,
// and that must nevertheless produce the same result in every run. docs/ACTIVITY.md is the
// tutorial.
//
// # The idea
//
// Modules never call each other. A module writes into channels, and every datum has the time for
// which it is valid: a stream datum is valid on a span [t1, t2), t2 excluded, that connects to the
// previous one; an event has a stamp. A module works in activities. A trigger, which is an alarm of
// the clock, a reader of a channel, or a combination, gives an activity its time. The callback
// receives that time, not the time of the clock, and reads the data that belongs to it, no matter
// how late some of it arrived.
//
// Inputs are sampled by alarms, computations are triggered by data, and a critical output is
// triggered by both, with a safe callback for missing data.
//
// # Parts
//
//   - Time: [timebase.Time], [timebase.Span] and [timebase.Granule], integer nanoseconds; ticks are
//     a view.
//   - Programs: [Node] holds everything that runs on one clock, [Module] owns what it creates.
//   - Data: [Channel], created by [Open]; the write tokens [StreamWriter] and [EventWriter], one
//     for each entry; the read token [Reader] with its [ReadMode] and [Match], which returns a
//     [Datum]; [EntryWatcher] for entries that come and go.
//   - Triggers: [PeriodicAlarm], [AperiodicAlarm], [StepAlarm], [ManualTrigger], every [Reader] and
//     [EntryWatcher], and their combinations by [And], [Or], [Regulate], [RegulateGreedy] and
//     [Warp].
//   - Activities: [Activity] with its [Callback], [Cycle], [Priority], [Safe] callback and
//     [TimingLimits].
//   - Clocks: [VirtualClock], as fast as possible in the calling goroutine; [WallClock], in real
//     time.
//   - Diagnosis: [Diagnostic], [Node.WriteText], [Node.WriteDot], [Activity.Why], [Stats],
//     [TimingReport], [Node.Trace].
//   - Saving: [Node.AppendState], [Node.RestoreState], [Codec], [StateHook].
//   - Closing: Close of writers, readers, channels, activities and modules.
//
// # Rules
//
// The tests refer to the rules by these numbers.
//
//   - D1 to D3: Data cannot be written without a time, and a span has a length.
//   - D4 to D6: Spans of any length connect. A gap is reported unless the writer called Stop or its
//     activity was switched off and on; an overlap is cut, because there is one value for each
//     time.
//   - D7: Events may share a stamp and keep their order.
//   - D8: The time of a cycle selects one consistent set of data.
//   - D9, D10: Periodic alarms emit [0,20) [20,40) … when the clock passes 0, 20, …; aperiodic ones
//     fire once per request.
//   - D11, D22: The outcome depends neither on the order in which modules are created, nor on which
//     manager runs what, nor on how a run is divided into advances.
//   - D12: A critical output whose input fails uses its safe callback, at the end of the period.
//   - D13, D14: Nothing runs without a callback, a trigger and a switch-on, or after the
//     switch-off.
//   - D15 to D17: An activity is queued in the list of its manager; a higher order goes first, and
//     each tick of age is worth 100 of order; a manager runs one activity at a time. Manager 0 is a
//     plain queue.
//   - D18, D19: And emits the intersection, cut at every boundary. A late part holds it back, and
//     nothing within NodeSpec.History is forgotten, unless a stream declares that it has nothing
//     for that time ([StreamWriter.Skip]).
//   - D20, D21: Or emits the union; alarms, readers and combinations combine freely.
//
// # Rounds
//
// On a virtual clock, due activities run in rounds. Data written by a callback can be read and
// triggers other activities only after the round, so that callbacks of one round cannot see each
// other's work. That is why neither the order among them nor the number of managers matters, and
// why managers can run in parallel ([NodeSpec].Parallel) and still produce the same
// [Node.TraceHash], as long as callbacks share nothing but channels. An activity that needs the
// output of another one at the same instant must be triggered by it; And(alarm, reader) is the
// usual way.
//
// A wall clock runs urgent activities first: one at a time, the most important one of the highest
// manager, and its data take effect at once. On a parallel node, each manager then has its own
// thread; [WallSpec].OnThread is the place to set the thread's priority, which Go itself does not
// support.
//
// # Source
//
// The concepts and their names follow the description "Time in DUECA" of the DUECA documentation,
// from TU Delft. Where the description gives no details, the behavior of the program was adopted,
// except for known faults: And emits no empty spans after gaps, and passes on all events that lie
// in covered time.
package activity
