// Package osmp is OSI Sensor Model Packaging: binary data through the integers of FMI 2.0.
//
// A notional binary variable (OSMP 0.3.0, "Definition of binary variables") is a prefix and three integers that carry an
// address and a size. A [Kind] is one of those that OSMP names, or an author's own. [Declare] puts the three into a variable table
// with the annotations and MIME type that OSMP asks for; [Triple] names them afterwards. What flows through them is ruled by
// lifetimes, and each kind of variable has its own type:
//
//   - [Input]: the host's bytes, read in place, good from fmi2SetInteger to the end of the next fmi2DoStep.
//   - [Output]: our bytes, double-buffered, good until the beginning of the second fmi2DoStep after the one that made them.
//   - [ConfigRequest]: the handshake of OSMPSensorViewInConfigRequest and OSMPSensorViewInConfig during initialization.
//
// All memory comes through [gosmp/fmu.Memory]; this package holds no pointer and knows no message type.
package osmp
