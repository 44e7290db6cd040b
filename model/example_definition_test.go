package model_test

import (
	"fmt"

	"gosmp/fmi"
	"gosmp/model"
	"gosmp/osmp"
)

// Check reports all mistakes in a definition at once, both in a test and when the FMU is packed or
// instantiated.
func ExampleDefinition_FMU() {
	var width, height float64
	definition := model.Definition{
		Identifier: "my-sensor",
		New: func(d *model.Declaration) model.Model {
			d.Input(osmp.SensorDataOut)
			model.Parameter(d, &width, "width", 0, "of the lens")
			model.Parameter(d, &height, "height", 2, "of the lens", model.Unit("cm"))
			return &speedTrap{}
		},
	}
	fmt.Println(definition.FMU().Check())
	// Output:
	// invalid definition: modelIdentifier "my-sensor" is not a C identifier
	// invalid definition: OSMPSensorDataOut has causality "output" and cannot be declared as input
	// invalid definition: variable "width": a Real needs a unit; model.Unit("1") makes it dimensionless
	// invalid definition: variable "height": unit "cm" is not declared: add it to the units of the definition
}

// Several variables of one kind are numbered from [1]; a single one has no index.
func ExampleDeclaration_Inputs() {
	definition := model.Definition{
		Identifier: "Fusion",
		New: func(d *model.Declaration) model.Model {
			for _, in := range d.Inputs(osmp.SensorDataIn, 2) {
				fmt.Println(in.Name())
			}
			fmt.Println(d.Output(osmp.SensorDataOut).Name())
			return &speedTrap{}
		},
	}
	for _, v := range definition.FMU().Variables.All() {
		fmt.Println(v.Type, v.Reference(fmi.FMI2), v.Name)
	}
	// Output:
	// OSMPSensorDataIn[1]
	// OSMPSensorDataIn[2]
	// OSMPSensorDataOut
	// Integer 0 OSMPSensorDataIn[1].base.lo
	// Integer 1 OSMPSensorDataIn[1].base.hi
	// Integer 2 OSMPSensorDataIn[1].size
	// Integer 3 OSMPSensorDataIn[2].base.lo
	// Integer 4 OSMPSensorDataIn[2].base.hi
	// Integer 5 OSMPSensorDataIn[2].size
	// Integer 6 OSMPSensorDataOut.base.lo
	// Integer 7 OSMPSensorDataOut.base.hi
	// Integer 8 OSMPSensorDataOut.size
	// String 0 record.folder
}
