package campaign_test

import (
	"context"
	"fmt"
	"os"

	"gosmp/run/campaign"
)

// Compute the runs of a plan in this process, without the command.
func ExampleRun() {
	folder, _ := os.MkdirTemp("", "")
	defer func() { _ = os.RemoveAll(folder) }()
	results, err := campaign.Run(context.Background(), campaign.Options{
		File: "testdata/driving.sweep.yaml", Out: folder + "/results", Store: folder + "/store",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(results.Finished, results.Outcomes, results.NotPassed())
	fmt.Println(results.First.Case.Set, results.First.Row.Cause)
	// Output:
	// 6 map[failed:4 passed:2] 4
	// [{judge.least 3}] judge: from begin to failure in driving.exc:26 at 2 s by look
}
