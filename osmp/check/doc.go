// Package check finds the notional binary variables of an FMU: those that OSI Sensor Model Packaging (OSMP) makes of three
// integers, or from FMI 3.0 on of one Binary.
//
// [Examine] reads them out of a model description, names the kind of model by the messages that go in and out, and checks them
// against the rules of OSMP 0.3.0 to 1.6.0. A finding of a rule that docs/OSMP_RULES.md numbers carries that number
// ("OSMP A8"), others the section of OSMP. Where the releases differ, the one counts that the FMU declares.
//
// Sources: OSMP 0.3.0; OSMP 1.6.0, "Model types" to "Streaming update inputs".
package check
