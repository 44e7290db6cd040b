// Package reference detects objects as [gosmp/sensor/objects] does, in the simplest way: it decodes
// the SensorView into the generated messages of [gosmp/proto/osi3], builds a SensorData from them,
// and keeps its tracks in a map. It is the reference for the results of the fast package and the
// baseline for its speed; tests and benchmarks compare the two. It is not part of any release.
//
// The two packages share only the definitions of a rotation ([gosmp/frames]), a line of sight and a
// random number.
//
// Index: [Detector], created by [New].
package reference
