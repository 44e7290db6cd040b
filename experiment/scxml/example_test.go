package scxml_test

import (
	"fmt"
	"os"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// Run a traffic light whose time is advanced by the caller.
func Example() {
	chart, err := ecmascript.Load("testdata/crossing.scxml")
	if err != nil {
		fmt.Println(err)
		return
	}
	system := scxml.NewSystem(scxml.Options{Seed: 1})
	light, _ := system.Add("light", chart)
	_ = system.Start()
	fmt.Println(light.Configuration())

	_ = system.Advance(5 * timebase.Second)
	_ = light.Handle(scxml.Event{Name: "button"})
	fmt.Println(light.Configuration())

	_ = system.Advance(10 * timebase.Second)
	fmt.Println(light.Configuration())

	_ = light.Handle(scxml.Event{Name: "close"})
	final, data := light.Outcome()
	fmt.Println(final, data.Text())
	// Output:
	// [green dark]
	// [amber wait]
	// [red go]
	// closed {"rounds":1}
}

// Print the records of a run, one per line. This chart needs no data model, so nothing else is
// linked.
func ExampleWriteLog() {
	chart, err := scxml.Parse("door.scxml", []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="null">
  <state id="open"><transition event="push" target="closing"/></state>
  <state id="closing"><onentry><send event="shut" delay="1.5s"/></onentry><transition event="shut" target="closed"/></state>
  <final id="closed"/>
</scxml>`), scxml.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var failed error
	system := scxml.NewSystem(scxml.Options{Observe: scxml.WriteLog(os.Stdout, &failed)})
	door, _ := system.Add("door", chart)
	_ = system.Start()
	_ = door.Handle(scxml.Event{Name: "push"})
	_ = system.Advance(2 * timebase.Second)
	// Output:
	// 0.000000000 door start
	// 0.000000000 door enter open
	// 0.000000000 door event push
	// 0.000000000 door leave open
	// 0.000000000 door transition open: closing
	// 0.000000000 door enter closing
	// 0.000000000 door send shut: to door at 1.500000000
	// 1.500000000 door event shut
	// 1.500000000 door leave closing
	// 1.500000000 door transition closing: closed
	// 1.500000000 door enter closed
	// 1.500000000 door leave closed
	// 1.500000000 door end closed
}

// A timebase clock drives statecharts: an activity advances them and passes on the events of a
// channel.
func ExampleSystem_Advance() {
	chart, _ := ecmascript.Load("testdata/crossing.scxml")
	system := scxml.NewSystem(scxml.Options{})
	light, _ := system.Add("light", chart)
	_ = system.Start()

	node := activity.NewNode(activity.NodeSpec{})
	buttons := activity.Open[string](node, "buttons")
	street, charts := node.Module("street"), node.Module("charts")
	presses := buttons.EventWriter(street, "")
	reader := buttons.Reader(charts, activity.ReaderSpec{})
	charts.Activity("advance", activity.Spec{
		Trigger: charts.PeriodicAlarm("tick", 0, 500*timebase.Millisecond),
		Work: func(c activity.Cycle) error {
			for press := range reader.All(c.Span.Start) {
				if err := light.Post(scxml.Event{Name: press.Value}); err != nil {
					return err
				}
			}
			return system.Advance(c.Span.Start)
		},
	}).SwitchOn(0)
	clock, _ := activity.NewVirtualClock(node, 0)
	_ = clock.AdvanceTo(2 * timebase.Second)
	_ = presses.Write(2200*timebase.Millisecond, "button")
	_ = clock.AdvanceTo(6 * timebase.Second)
	fmt.Println(light.Configuration(), system.Now().Seconds())
	// Output:
	// [red go] 5.5
}
