package mocksim_test

import (
	"fmt"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// Let a car drive along its lane for ten seconds.
func Example() {
	m, err := opendrive.ReadFile("testdata/ring.xodr")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := mocksim.New(m, mocksim.Options{Seed: 1})
	_ = w.Create(mocksim.Actor{Name: "ego", Kind: mocksim.Car, Start: mocksim.OnRoad("1", -1, 20)})
	_ = w.SetController("ego", mocksim.Controller{Driver: mocksim.Driver{Speed: 10}})
	for range 500 {
		if _, err := w.Step(20 * timebase.Millisecond); err != nil {
			fmt.Println(err)
		}
	}
	ego, _ := w.Actor("ego")
	fmt.Printf("%.1f m/s after %v s\n", ego.State().Speed, w.Time().Seconds())
	// Output: 9.8 m/s after 10 s
}
