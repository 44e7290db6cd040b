// Package check finds the notional binary variables of an FMU, which OSI Sensor Model Packaging
// (OSMP) builds from three integers, or from FMI 3.0 on from one Binary.
//
// [Examine] extracts them from a model description, derives the kind of model from its input and
// output messages, and checks them against the rules of OSMP 0.3.0 to 1.6.0. Findings carry the
// numbers of docs/OSMP_RULES.md ("OSMP-A8"). Where the releases differ, the release that the FMU
// declares applies.
//
// Sources: OSMP 0.3.0; OSMP 1.6.0, "Model types" to "Streaming update inputs".
package check
