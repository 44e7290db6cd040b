// Package scxml runs statecharts: W3C State Chart XML (SCXML) 1.0, the 2015 Recommendation.
//
//	chart, err := ecmascript.Load("traffic.scxml")        // or scxml.Parse, without ECMAScript
//	system := scxml.NewSystem(scxml.Options{Seed: 1})
//	light, err := system.Add("light", chart)
//	err = system.Start()
//	err = light.Handle(scxml.Event{Name: "pedestrian"})   // an event from outside
//	err = system.Advance(30 * timebase.Second)            // time from outside
//	light.Configuration()                                 // [green]
//
// A [Chart] is read once and never changes. A [System] runs any number of machines on one clock of
// integer nanoseconds. It has no clock of its own and starts no goroutine: its owner (a simulation,
// a test, a terminal) sets the time, and everything due happens in that call. The same charts,
// events, times and seed give the same [Record] list.
//
// The algorithm of the Recommendation, Appendix D, is in interpreter.go and interpreter_enter.go,
// procedure by procedure.
//
// # Rules
//
// Comments in the code and its tests refer to the following rule numbers.
//
//   - X1, X2: Both namespaces load, elements keep line and column, ids are unique.
//   - X3 to X12: Appendix D; an error ends only its block; a machine that runs in circles is ended
//     with an error that shows the cycle, see [Limits].
//   - X14 to X16: Sending and invoking. Other kinds of receivers are [Options].Processors.
//   - X18: Data is JSON, XML or text, see [Value].
//   - X20 to X24: Time and saved states, see [System.AppendState].
//   - X33 to X35: The additions of NRP's experiments, see [Channels].
//
// # Parts
//
//   - Reading: [Parse], [Inspect], [Config], [Loader], [Dir], [InvalidError], [Finding].
//   - The chart: [Chart], [State], [Transition], [Block], [Action], [Expression], [Element].
//   - Running: [System], [Options], [Limits], [Machine], [Event], [Value], [Message], [Channels].
//   - Observing: [Record], [WriteLog]. Package draw makes pictures.
//   - Data models: [Language], [Model], [Environment], [Null]. Package ecmascript implements the
//     one that most charts use.
//   - Checks: Inspect reports violations of the language; package check adds doubtful constructs.
//
// Errors are *[Error] or *[InvalidError], with place and hint; their kinds are the Err… variables.
package scxml
