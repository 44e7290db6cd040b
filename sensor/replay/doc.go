// Package replay makes a recorded scenario into what a running sensor delivers.
//
// [Replay] plays a simsensor file into [gosmp/sensor.Samples]: SI units, the recording's own axes, nothing added or lost. An
// [Estimator] makes Samples into an [Estimate] of the host vehicle in the frames of OSI, and the Append methods of Estimate write
// it as the OSI messages that have a place for it. What the samples do not tell stays unset there.
package replay
