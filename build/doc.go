// Package build packs a program and its model into one .fmu file.
//
// The program is short: it registers a model with gosmp/export and hands the same model to [Main].
//
//	func init() { export.Register(mysensor.Definition) }
//	func main() { build.Main(mysensor.Definition, build.Documentation(text)) }
//
// Run as a program, Main offers "pack", "describe" and "variables". For pack, the program builds
// itself once more, as a C shared library with the tag fmucore: that is the core of the FMU. With
// this tag Main and its options are empty, so that nothing of the packer, nor the texts given to
// it, reaches the core.
//
// An FMU consists of (FMI 2.0.5, 2.3):
//
//   - modelDescription.xml, rendered by gosmp/fmu/modeldescription from the definition.
//   - binaries/<platform>/<modelIdentifier>.so, the loader: compiled from build/loader, 34 exported
//     functions and nothing else; and next to it <modelIdentifier>-core-<hash>.so, the core, which
//     exists once per process however often the FMU is unpacked.
//   - resources/, whatever the model reads.
//   - documentation/index.html, made from the definition, and documentation/licenses/ with the
//     licence of every linked module.
//   - model.png, drawn by this package.
//
// Rules: the same sources, tools and resources produce the same bytes, whatever the folder and the
// time. The guid is a hash of everything that determines the FMU's behaviour. The zip uses only the
// features that FMI permits. An output appears whole or not at all.
//
// The types: [Config] says what to pack and [Pack] does it; [Resource] is a file to pack and
// [Bundled] one that the model provides; [Examiner] is the model's own check of the files that it
// is packed with; [Option] describes the program to Main; [Error] says where it was found, what was
// expected and what to do, and the Err values are its kinds.
package build
