// Package ecmascript is the data model "ecmascript" of statecharts (appendix B.2 of the
// Recommendation): expressions, locations and scripts in ECMAScript, run by the pure Go engine
// goja.
//
//	chart, err := ecmascript.Load("traffic.scxml")
//
// It upholds these rules, numbered as in package scxml:
//
//   - X17: _event, _sessionid, _name, _ioprocessors and _x can be read but not written.
//   - X25: A text is evaluated as an expression in parentheses, or else unchanged; locations are
//     assigned in strict mode, so an unknown variable is an error.
//   - X26: There is no clock other than the time of the machine, which Date shows, and no
//     randomness other than Math.random with the machine's seed. There is no require, process,
//     console or timer. The local time of Date follows time.Local: a program that must produce the
//     same results everywhere sets time.Local = time.UTC, as the gosmp command does.
//   - X27: Calls nest at most 500 deep, and evaluations that take longer than [Language.Timeout] at
//     one instant end the machine. Texts that become code or values at run time are bounded like
//     the chart. So are the input and result of each call to a built-in function, because it cannot
//     be interrupted, and the memory kept by the scripts of all machines. There are no proxies,
//     BigInts or buffers, with which the engine recurses or allocates without bound.
//
// Data passes between machines as JSON, which excludes functions, NaN and cycles: a function
// becomes undefined, NaN becomes null, and a cycle is an error. XML becomes a small read-only DOM,
// see [Node].
//
// Types: [Language], [Node], [Facts].
package ecmascript
