package run_test

import (
	"context"
	"fmt"
	"os"

	"gosmp/experiment/trial"
	"gosmp/run"
)

// Run a statechart on its own clock with events from a file.
func ExampleRun() {
	o := run.Defaults("../experiment/scxml/testdata/crossing.scxml")
	stop := 25.0
	o.Events, o.StopTime = os.DevNull, &stop
	result, err := run.Run(context.Background(), o)
	fmt.Println(result.Chart.States, result.Chart.Time, err)
	// Output: [red dark] 25 <nil>
}

// Simulate a map with traffic. An FMU in Files would receive its SensorView.
func ExampleSimulation() {
	o := run.Defaults("town=../mocksim/testdata/ring.xodr")
	o.OutputVariables = []string{"actor.ego.speed"}
	stop := 2.0
	o.StopTime = &stop
	simulation := run.New(o)
	defer func() { _ = simulation.Close() }() // after Run, which reports all errors
	err := simulation.Run(context.Background())
	s := simulation.Summary(err)
	fmt.Println(s.Steps, s.Reached, s.Maps[0].Actors, err)
	// Output: 100 2 11 <nil>
}

// Run an experiment from a Go program, as gosmp run does.
func ExampleOpenExperiment() {
	o := run.Defaults("../experiment/trial/testdata/driving.exc")
	o.Set = []trial.Setting{{Name: "timeout", Value: "5"}}
	e, err := run.OpenExperiment(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = e.Close() }() // after Run, which reports all errors
	v, err := e.Run(context.Background())
	fmt.Println(v.Outcome, v.Time, err)
	// Output: passed 2 <nil>
}

// Compute one run of a plan from its settings, and print the resulting row.
func ExampleCase() {
	row := run.Case(context.Background(), run.CaseOptions{
		File: "../experiment/trial/testdata/driving.exc",
		Set:  []trial.Setting{{Name: "judge.least", Value: "50"}}, Seed: 7,
	})
	fmt.Println(row.Outcome, row.Seed, row.Time, row.Metrics["judge.driven"] > 0)
	// Output: failed 7 2 true
}
