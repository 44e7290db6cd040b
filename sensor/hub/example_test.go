package hub_test

import (
	"context"
	"fmt"

	"gosmp/sensor/hub"
	"gosmp/sensor/simsensor"
)

// Replay the barometer of a recording as fast as possible.
func ExampleHub() {
	driver, file, _ := simsensor.ParseDriver("baro_sim:flight.csv")
	h, err := hub.New(hub.Options{
		Drivers: []hub.Driver{{Driver: driver, Name: file, Content: []byte(flight)}},
		Event: func(e hub.Event) error {
			e.Values(func(f simsensor.Field, value int64) { fmt.Println(e.At, f.Name, value) })
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	fmt.Println(h.Run(context.Background()), h.Summary().Published[0].Events, "events")
	// Output:
	// 0.000000000s pressure 101325
	// 0.000000000s temperature 293
	// 0.040000000s pressure 101300
	// 0.040000000s temperature 293
	// <nil> 2 events
}
