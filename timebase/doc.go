// Package timebase is the vocabulary of time: instants, spans, ticks, and the sources of real time.
// It is shared by everything that steps through time: a co-simulation, an FMU, a recording, a
// statechart. The engine that runs activities at their times, as DUECA does, is
// gosmp/timebase/activity.
//
//   - [Time] and [Duration] are integer nanoseconds, so that sums are exact. [FromSeconds] and
//     [Time.Seconds] convert at the outer interfaces, where standards use seconds in float64.
//   - [Span] is the half-open interval of a step or of a stream datum, [Stamp] the time of an
//     event.
//   - [Rational] is an exact number of seconds, such as 1/60, and [Grid] is a regular spacing by
//     such a number. [Scale] relates instants to the exact seconds of the points of a grid.
//   - [Granule] is the length of a tick, for programs that count in ticks.
//   - [TimeSource] provides real time; [SystemTime] returns the computer's.
package timebase
