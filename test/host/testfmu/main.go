// Command testfmu packs the model of the tests in internal/fmitest as an FMU: it discards, fails
// and panics on request, unlike any FMU for users.
package main

import (
	"gosmp/build"
	"gosmp/internal/fmitest"
)

func main() { build.Main(fmitest.Definition) }
