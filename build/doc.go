// Package build packs a program and its model into one .fmu file.
//
// The program is short: it registers a model with gosmp/export and passes the same model to [Main].
//
//	func init() { export.Register(mysensor.Definition) }
//	func main() { build.Main(mysensor.Definition, build.Documentation(text)) }
//
// Run as a program, Main offers "pack", "describe" and "variables". For pack, the program builds
// itself once more, as a C shared library with the tag fmucore: this is the core of the FMU. With
// this tag, Main and its options do nothing, so that neither the packer nor the texts given to it
// become part of the core.
//
// An FMU consists of (FMI 2.0.5, 2.3):
//
//   - modelDescription.xml, rendered by gosmp/fmu/modeldescription from the definition.
//   - binaries/<platform>/<modelIdentifier>.so, the loader: compiled from build/loader, 34 exported
//     functions and nothing else; and next to it <modelIdentifier>-core-<hash>.so, the core, which
//     exists once per process however often the FMU is unpacked.
//   - resources/, the files that the model reads.
//   - documentation/index.html, generated from the definition, and documentation/licenses/ with the
//     licence of every linked module.
//   - model.png, drawn by this package.
//
// Rules: the same sources, tools and resources produce the same bytes, in any folder and at any
// time. The guid is a hash of everything that determines the FMU's behaviour. The zip uses only the
// features that FMI permits. An output file is written completely or not at all.
//
// The types: [Config] says what to pack and [Pack] does it; [Resource] is a file to pack and
// [Bundled] one that the model provides; [Examiner] is the model's own check of the files that it
// is packed with; [Option] describes the program to Main; [Error] states where it was found, what
// was expected and what to do; its kinds are the Err values.
package build
