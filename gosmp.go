// Package gosmp is the root of the module gosmp: sensor models that every co-simulation tool with
// FMI 2.0 or 3.0 can load, speaking OSI through OSI Sensor Model Packaging.
//
// Nothing runs here. The package holds what has its place at the root of the repository, the
// templates of the model description; it is linked into the packer and never into an FMU. Where to
// look for what:
//
//   - [gosmp/fmu]: the slave of FMI 2.0 and 3.0 in pure Go; gosmp/fmu/modeldescription renders its
//     XML.
//   - [gosmp/osmp]: binary variables as OSI Sensor Model Packaging defines them.
//   - [gosmp/timebase]: the vocabulary of time. gosmp/timebase/activity is DUECA's engine of
//     channels, triggers and activities, on which a step of the sensor model runs.
//   - [gosmp/sensor]: the sensor models; [gosmp/model] is the interface for authors of models.
//   - [gosmp/proto/wire], [gosmp/proto/osi3]: OSI messages as bytes, and as generated types.
//   - [gosmp/export]: the C boundary, which makes a Go library the core of an FMU.
//   - [gosmp/build]: the packer, which makes a program and a model one .fmu file.
package gosmp

import _ "embed" // of the templates

// ModelDescriptionTemplate is modelDescription.tmpl.xml, the shape of every modelDescription.xml of
// FMI 2.0 as a text/template. Names, references and start values come from the variable table of a
// definition.
//
//go:embed modelDescription.tmpl.xml
var ModelDescriptionTemplate string

// ModelDescriptionTemplate3 is the same for FMI 3.0.
//
//go:embed modelDescription3.tmpl.xml
var ModelDescriptionTemplate3 string
