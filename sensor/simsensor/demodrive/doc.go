// Package demodrive generates the demo scenario: a car drive of 60 s, seen by all six sensors of
// the simsensor format at realistic rates, in milliseconds. It is synthetic, not recorded: one
// smooth motion given by formulas, sampled with seeded noise. All sensors are therefore consistent
// with each other, and every build produces the same bytes.
//
// The drive: 3 s at rest, accelerate to 14 m/s (3 s to 12 s), a curve of 75 degrees to the right
// (14 s to 24 s), up a hill and down half of it (26 s to 42 s), a curve of 40 degrees to the left
// (43 s to 50 s), brake to a stop (50 s to 57 s), stand.
//
//	accelerometer  100 Hz  specific force, forward-right-down: at rest Z is about -9807 mm/s2
//	gyroscope      100 Hz  body rates; the delta angles are their integrals since 0 s
//	magnetometer    25 Hz  the earth's field of central Europe in body axes
//	barometer       10 Hz  pressure of the standard atmosphere at the car's altitude
//	GPS              5 Hz  19 fields; position error drifts by decimetres, velocity noise 30 mm/s
//	thermometer      1 Hz  cools by 2 K
//
// Assumptions: a flat, non-rotating earth, and all sensors at one point and level with the body.
// The body rolls out of curves by 0.01 rad per m/s2 and does not pitch on its springs.
//
// The file ends with an end row: the car has stopped and its values remain true, whereas starting
// over would instantly move it back to the start. Removing the last line makes the scenario loop.
package demodrive
