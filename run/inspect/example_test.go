package inspect_test

import (
	"fmt"

	"gosmp/run/inspect"
)

func ExampleReadMap() {
	m, err := inspect.ReadMap("../../examples/maps/crossing.xodr")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("OpenDRIVE %s, %d roads, %.0f m\n", m.Version, m.Roads, m.RoadLength)
	for _, lanes := range m.Lanes {
		fmt.Println(lanes.Count, lanes.Kind)
	}
	// Output:
	// OpenDRIVE 1.8, 14 roads, 1188 m
	// 16 driving
	// 8 sidewalk
}

func ExampleReadExperiment() {
	x, err := inspect.ReadExperiment("../../examples/braking/braking.exc")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Name, *x.Timeout, "s")
	for _, m := range append(x.Control, x.Evaluation...) {
		fmt.Println(m.ID, m.File)
	}
	// Output:
	// Emergency braking 25 s
	// traffic traffic.scxml
	// stops stops.scxml
	// nobody-hit nobody-hit.scxml
}
