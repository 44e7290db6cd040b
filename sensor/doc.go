// Package sensor is what the models of gosmp have in common: the samples that sensors deliver.
//
// [Samples] is the newest measurement of each sensor in SI units. Its producers and consumers are the packages below this one:
//
//   - [gosmp/sensor/simsensor] reads simsensor files and keeps their schedule.
//   - [gosmp/sensor/replay] makes their rows into Samples, and Samples into OSI messages.
//   - [gosmp/sensor/objects] detects objects in a SensorView.
//   - [gosmp/frames] is the geometry.
//   - [gosmp/sensor/dummysensor] puts them together into OSMPDummySensor.
//
// What an author of any OSMP model writes against is [gosmp/model]; OSMPDummySensor is written so, too.
package sensor
