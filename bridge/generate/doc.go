// Package generate writes the Go code of a message bridge: a type and a codec for each message, the
// table of topics, a SUT support package that runs, and its loop-back test.
//
//	files, err := generate.Generate(config, generate.Options{Package: "main", Source: "bridge.json"})
//
// Rules upheld:
//
//   - The same configuration gives the same bytes.
//   - Generated codecs write the bytes that [bridge.Definitions] writes; the loop-back test compares
//     them. Encoding allocates nothing when the buffer is large enough.
//   - Names of types are those of the messages; where two packages have the same one, that of the
//     package stands in front of both.
//
// Types: [Options], [File].
package generate
