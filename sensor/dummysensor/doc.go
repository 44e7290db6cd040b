// Package dummysensor is OSMPDummySensor: an OSMP sensor model that replays a simsensor scenario,
// detects the objects of a SensorView, and outputs both as SensorData.
//
// It is the only package below sensor that declares FMI variables. The table in variables.go is a
// contract with users: variables are added at the end and never renumbered. The first fifteen come
// from the OSMP sensor model example, with the same names and value references, so that hosts and
// system descriptions written for it keep working.
//
// Rules: a row stamped s is visible in the step that ends at or after s. SensorData.timestamp is
// the end of the step. last_measurement_time is the stamp of the newest row used. A connected
// SensorView is copied byte for byte; without one, a minimal SensorView is created so that OSI's
// own rules hold. Unknown values stay unset.
package dummysensor
