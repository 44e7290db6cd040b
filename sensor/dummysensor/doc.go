// Package dummysensor is OSMPDummySensor: an OSMP sensor model that replays a simsensor scenario, detects the objects of a
// SensorView, and emits both as SensorData.
//
// Of the packages below sensor it alone declares FMI variables; see variables.go for the table, which is a contract with users:
// variables are added at the end and never renumbered. The first fifteen are those of the sensor model example of OSMP, with the same
// names and value references, so that hosts and system descriptions made for it keep working.
//
// Rules: a row stamped s is visible in the step that ends at or after s; SensorData.timestamp is the end of the step;
// last_measurement_time is the stamp of the newest row used. A connected SensorView is carried byte for byte, without one a
// minimal SensorView is made so that OSI's own rules hold. What is unknown stays unset.
package dummysensor
