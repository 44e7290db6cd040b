package series_test

import (
	"fmt"
	"math"

	"gosmp/run/content"
	"gosmp/run/series"
)

// Read two columns of a table.
func ExamplePanels() {
	table := "time,speed,gap\n0,10,5\n1,11,4\n2,12,x\n"
	in := &content.File{Name: "out.csv", Bytes: []byte(table), Piped: true}
	names, err := series.List(in, series.Options{})
	fmt.Println(names, err)
	panels, err := series.Panels(in, series.Options{Paths: []string{"s*"}, From: 1,
		Until: math.Inf(1)})
	fmt.Println(len(panels), panels[0].Title, err)
	_, err = series.Panels(in, series.Options{Paths: []string{"sped"}})
	fmt.Println(err)
	// Output:
	// [{ [speed gap]}] <nil>
	// 1 speed <nil>
	// path: found "sped", which is not in the file, expected a name or a pattern of names; --list shows them; did you mean "speed"?
}
