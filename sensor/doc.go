// Package sensor defines what gosmp's models share: the samples that sensors deliver.
//
// [Samples] is the newest measurement of each sensor in SI units. The packages below this one
// produce and consume it:
//
//   - [gosmp/sensor/simsensor] reads simsensor files and schedules their rows.
//   - [gosmp/sensor/replay] converts the rows to Samples, and Samples to OSI messages.
//   - [gosmp/sensor/objects] detects objects in a SensorView.
//   - [gosmp/frames] provides the geometry.
//   - [gosmp/sensor/dummysensor] combines them into OSMPDummySensor.
//
// Authors of OSMP models write against [gosmp/model], as OSMPDummySensor does.
package sensor
