// Package bench measures the cost of OSMPDummySensor to its users: the time and the allocations of
// a step. Each benchmark has a counterpart named plain, which does the same work in the most
// obvious way: encoding/csv, generated messages and proto.Marshal. `make bench` runs both and
// prints their ratio.
//
// BenchmarkHost and BenchmarkHostChain measure gosmp as a host. Their plain counterpart is host.c,
// in one process with the FMUs. BenchmarkHostMany does so with up to 50 FMUs, BenchmarkHostWork
// with ten FMUs whose steps take longer, both also with libcosim if GOSMP_LIBCOSIM_PYTHON names a
// Python that has libcosimpy.
package bench
