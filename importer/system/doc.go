// Package system builds an engine from several FMUs: either from their files and a list of
// connections, or from a system structure (.ssp, .ssd). Other participants, such as a simulator,
// take part like FMUs; an [Opener] creates them.
//
//	s, err := system.Read("demo.ssp", "")
//	e, err := s.Engine(cosim.Spec{...}, pool, func(p *system.Part) importer.Options { ... })
//	result, err := e.Run(ctx)
//
// The rules:
//
//   - FMUs are unpacked into the cache by the hash of their content, including FMUs in packages.
//   - Names are part.variable. The three Integers of a notional binary variable of OSMP count as
//     one variable in every version of FMI.
//   - If the units at the two ends of a connection differ, its values are converted. Incompatible
//     dimensions are an error; an unknown unit is a warning.
//   - A SensorView producer that accepts a SensorViewConfiguration receives the request of its
//     reader; if it also provides a configuration, this becomes the reader's configuration. The
//     host answers other requests, as described in package importer.
//   - Settings that the user does not specify come from the system file or, failing that, from the
//     FMUs; their origin is recorded.
//
// Types: [System] with [Part] and [Value], and [Opener].
//
// Sources: SSP 1.0.1 and 2.0; OSMP 1.6.0; FMI 2.0.5, 2.2.2 for units.
package system

import "gosmp/internal/fault"

// Error is an error with its location.
type Error = fault.Error
