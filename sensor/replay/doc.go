// Package replay turns a recorded scenario into the output of a running sensor.
//
// [Source] plays a simsensor file into event channels, one for each sensor: SI units, the
// recording's own axes, nothing added or lost. [Sampler] takes the events and holds the newest
// sample of each sensor. An [Estimator] converts the samples to an [Estimate] of the host vehicle
// in the frames of OSI, and the Append methods of Estimate write it in the form of the OSI messages
// that can hold it. Values that do not follow from the samples stay unset there.
package replay
