// Package system makes an engine of several FMUs: of their files and the connections that a user
// names, or of a system structure (.ssp, .ssd).
//
//	s, err := system.Read("demo.ssp", "")
//	e, err := s.Engine(cosim.Spec{...}, pool, func(p *system.Part) importer.Options { ... })
//	result, err := e.Run(ctx)
//
// The rules:
//
//   - FMUs are unpacked into the cache by the hash of their content, also those in packages.
//   - Names are part.variable. The three Integers of a notional binary variable of OSMP are one
//     variable, whatever the version of FMI.
//   - A value whose units differ at both ends is converted. Unlike dimensions are an error, an
//     unknown unit is a warning.
//   - A producer of SensorView that takes a SensorViewConfiguration gets the request of its reader;
//     where it also offers one, that is the reader's configuration. Other requests are answered by
//     the host, as package importer does it.
//   - What is not said comes from the file of the system, else from the FMUs; the origin is noted.
//
// Types: [System] with [Part] and [Value].
//
// Sources: SSP 1.0.1 and 2.0; OSMP 1.6.0; FMI 2.0.5, 2.2.2 for units.
package system

import "gosmp/internal/fault"

// Error is an error with its place.
type Error = fault.Error
