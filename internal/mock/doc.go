// Package mock holds the test doubles of gosmp; only tests import it.
//
// The doubles:
//
//   - [Memory]: an [gosmp/fmu.Memory] with an address space of its own, which notices every access outside a live block.
//   - [Model]: an [gosmp/fmu.Model] that does what the function fields of the test say.
//   - [Log]: collects the lines that would go to the host's logger.
//
// Package ordered has a generated one, for tests in which the order of the calls is the point. It stands apart because its library
// should not reach the authors of models, whose tests use [Memory].
package mock
