// Package bench measures what users of OSMPDummySensor feel: the time and the allocations of a step. Each benchmark has a twin
// named plain, which does the same work the way one would write it without a second thought: encoding/csv, generated messages and
// proto.Marshal. `make bench` runs both and prints their ratio.
//
// BenchmarkHost and BenchmarkHostChain measure gosmp as a host. There the plain way is host.c, in one process with the FMUs.
package bench
