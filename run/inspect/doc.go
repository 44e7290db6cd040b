// Package inspect describes what files contain, as gosmp inspect shows it: FMUs, systems of FMUs,
// maps, scenarios, experiments and traces. Nothing is unpacked or run.
//
//	m, err := inspect.ReadMap("town.xodr")
//	fmt.Println(m.Roads, m.RoadLength)
//
// Each result has a JSON form, which is the output of gosmp inspect --json. Its members keep their
// names and meanings; FormatVersion changes if one of them does not. All members are always
// present, and lists are never null.
//
// Functions: [ReadFMU], [OfSystem], [ReadMap], [ReadScenario], [ReadExperiment], [ReadTrace],
// [OfTrace]; types: [FMU], [System], [Map], [Scenario], [Experiment], [Trace], [Problem].
package inspect
