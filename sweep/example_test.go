package sweep_test

import (
	"fmt"
	"strings"

	"gosmp/sweep"
)

// Print the table of runs of a plan.
func ExampleRead() {
	plan, err := sweep.Read("gap.sweep.yaml", strings.NewReader(`
experiment: braking.exc
parameters:
  gap: {values: [20, 40]}
set: {lead.x: 60 + gap}
seeds: 2
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	cases, err := plan.Cases()
	for _, x := range cases {
		fmt.Println(x.Index+1, x.Set, x.Seed)
	}
	fmt.Println(err)
	// Output:
	// 1 [{lead.x 80}] 1
	// 2 [{lead.x 80}] 2
	// 3 [{lead.x 100}] 1
	// 4 [{lead.x 100}] 2
	// <nil>
}
