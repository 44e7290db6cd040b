package simapi_test

import (
	"context"
	"fmt"

	"gosmp/mocksim/support"
	"gosmp/simapi"
)

// Run a simulator in the same process as a test director. To connect to one over TCP, use
// simapi.Dial.
func Example() {
	ctx := context.Background()
	server := simapi.NewServer(simapi.Config{Name: "mock",
		Simulator: support.New(support.Options{})})
	director, err := server.Connect("director", simapi.Role_SSP)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = director.Init(ctx,
		&simapi.Init{StepSizeMs: 20,
			MapInfo: &simapi.MapInfo{Path: "../mocksim/testdata/ring.xodr"}})
	_ = director.LaunchSimulator(ctx)
	_, _ = director.CreateActor(ctx,
		&simapi.CreateActor{ActorId: "npc", Description: &simapi.ActorDescription{ActorType: "car"},
			State: &simapi.ActorState{Position: simapi.XY(20, -1.75)}})
	_ = director.StartSimulation(ctx, &simapi.StartSimulation{})
	_ = director.WaitStartSimulation(ctx, &simapi.WaitStartSimulation{})
	_ = director.StartStep(ctx, &simapi.StartStep{RequestedSimTimeMs: 20})
	reply, err := director.WaitStep(ctx, &simapi.WaitStep{})
	fmt.Println(reply.GetSimTimeMs(), err)
	report, err := director.EndSimulation(ctx, &simapi.EndSimulation{})
	fmt.Println(report.GetSteps(), err)
	// Output:
	// 20 <nil>
	// 2 <nil>
}
