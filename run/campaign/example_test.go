package campaign_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"gosmp/report/sweeppage"
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

// Compute a plan, and write a page on its results.
func ExampleReadStored() {
	folder, _ := os.MkdirTemp("", "")
	defer func() { _ = os.RemoveAll(folder) }()
	const plan = "testdata/driving.sweep.yaml"
	_, err := campaign.Run(context.Background(), campaign.Options{
		File: plan, Out: folder + "/driving.results", Store: folder + "/store"})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := campaign.ReadStored(plan, folder+"/driving.results")
	if err != nil {
		fmt.Println(err)
		return
	}
	var page bytes.Buffer
	err = sweeppage.Write(&page, s.Page(folder+"/driving.html"))
	fmt.Println(s.Name, s.About.Parameters, len(s.Results), page.Len() > 0, err)
	// Output: driving.results [judge.least] 6 true <nil>
}
