// Package osmp implements OSI Sensor Model Packaging: binary data passed through the integers of
// FMI 2.0.
//
// A notional binary variable (OSMP 0.3.0, "Definition of binary variables") is a prefix and three
// integers that carry an address and a size. A [Kind] is either named by OSMP or defined by an
// author. [Declare] adds the three to a variable table with the annotations and MIME type that OSMP
// requires; [Place] holds their indices. The lifetime of the bytes depends on the kind of variable,
// and each kind has its own type:
//
//   - [Input]: the host's bytes, read in place, valid from fmi2SetInteger to the end of the next
//     fmi2DoStep.
//   - [Output]: the FMU's bytes, double-buffered, valid until the beginning of the second
//     fmi2DoStep after the one that created them.
//   - [ConfigRequest]: the handshake of OSMPSensorViewInConfigRequest and OSMPSensorViewInConfig
//     during initialization.
//
// All memory is accessed through [gosmp/fmu.Memory]; this package holds no pointers and depends on
// no message type.
package osmp
