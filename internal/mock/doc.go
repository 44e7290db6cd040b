// Package mock holds the test doubles of gosmp; only tests import it.
//
// The doubles:
//
//   - [Memory]: an [gosmp/fmu.Memory] with an address space of its own, which notices every access outside a live block.
//   - [Model]: an [gosmp/fmu.Model] that does what the function fields of the test say.
//   - [OrderedModel]: a generated one, for tests in which the order of the calls is the point.
//   - [Log]: collects the lines that would go to the host's logger.
package mock

//go:generate go run github.com/golang/mock/mockgen@v1.6.0 -destination=ordered.go -package=mock -mock_names=Model=OrderedModel -write_package_comment=false gosmp/fmu Model
