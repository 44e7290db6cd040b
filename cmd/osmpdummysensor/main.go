// Command osmpdummysensor is the OSMPDummySensor FMU as a program.
//
// Built as a shared library, it is the core of the FMU; run as a program, it packs itself:
//
//	go run ./cmd/osmpdummysensor pack -scenario drive.csv -o dist/OSMPDummySensor.fmu
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/sensor/dummysensor"
)

func init() { export.Register(dummysensor.Definition) }

func main() { build.Main(dummysensor.Definition, options()...) }
