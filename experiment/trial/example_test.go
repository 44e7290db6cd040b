package trial_test

import (
	"context"
	"fmt"
	"os"

	"gosmp/experiment/trial"
)

// Run an experiment without FMUs. run.FMUs creates the FMUs of experiments that have any.
func ExampleOpen() {
	document, err := os.ReadFile("testdata/driving.exc")
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := trial.Open("driving.exc", document, trial.Options{Files: os.DirFS("testdata")})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := t.Run(context.Background())
	fmt.Println(v.Experiment, v.Outcome, v.Time, err)
	// Output: Driving passed 2 <nil>
}
