// Package mock holds the test doubles of gosmp; only tests import it.
//
// The doubles:
//
//   - [Memory]: an [gosmp/fmu.Memory] with its own address space, which detects every access
//     outside a live block.
//   - [Model]: an [gosmp/fmu.Model] that calls function fields set by the test.
//   - [Log]: collects the log lines for the host's logger.
//
// Package ordered has a generated double for tests that depend on the order of calls. It is
// separate so that its library is not a dependency of model authors, whose tests use [Memory].
package mock
