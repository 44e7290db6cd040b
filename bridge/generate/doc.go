// Package generate writes the Go code of a message bridge: a type and a codec for each message, the
// table of topics, a SUT support package that runs, and its loop-back test.
//
//	files, err := generate.Generate(config,
//		generate.Options{Package: "main", Source: "bridge.json"})
//
// Guarantees:
//
//   - The same configuration gives the same bytes.
//   - Generated codecs write the bytes that [bridge.Definitions] writes; the loop-back test
//     compares them. Encoding allocates nothing when the buffer is large enough.
//   - Types have the names of the messages; where two packages share a name, both types are
//     prefixed with the name of their package.
//
// Types: [Options], [File].
package generate
