// Package replay makes a recorded scenario into what a running sensor delivers.
//
// [Source] plays a simsensor file into event channels, one for each sensor: SI units, the recording's own axes, nothing added or
// lost. [Sampler] takes the events and holds the newest sample of each sensor. An [Estimator] makes the samples into an [Estimate] of
// the host vehicle in the frames of OSI, and the Append methods of Estimate write it as the OSI messages that have a place for it.
// What the samples do not tell stays unset there.
package replay
