package traffic_test

import (
	"bytes"
	"context"
	"fmt"

	"gosmp/mocksim/opendrive"
	"gosmp/run/traffic"
	"gosmp/trace"
)

// Simulate three seconds of traffic, and record what the host vehicle sees.
func ExampleOpen() {
	m, err := opendrive.ReadFile("../../examples/maps/crossing.xodr")
	if err != nil {
		fmt.Println(err)
		return
	}
	o := traffic.Defaults(m)
	o.Duration, o.Traffic.Count, o.Views = 3, 4, trace.OSIFile
	s, err := traffic.Open(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	var views bytes.Buffer
	err = s.Run(context.Background(), &views)
	r, _ := s.Summary()
	fmt.Println(r.Actors, r.Collisions, r.Time, views.Len() > 0, err)
	// Output: 5 0 3 true <nil>
}
