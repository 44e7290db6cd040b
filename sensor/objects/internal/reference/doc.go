// Package reference detects objects as [gosmp/sensor/objects] does, in the plainest way: it decodes the SensorView into
// the generated messages of [gosmp/proto/osi3], builds a SensorData of them, and keeps its tracks in a map. It says
// what the fast package has to give, and how fast that is; tests and benchmarks compare the two. Nothing that is
// shipped uses it.
//
// Both share the meaning of a rotation ([gosmp/frames]), of a line of sight and of a random number, and nothing
// else.
//
// Index: [Detector], made by [New].
package reference
