package findings_test

import (
	"context"
	"fmt"

	"gosmp/run/content"
	"gosmp/run/findings"
)

// Check a recording in memory.
func ExampleCheck() {
	recording := "SensorID,Timestamp\n2,1000,101325,293\n2,1020,x,293\n2,1040,101300,293\n0,1060\n"
	in := content.File{Name: "flight.csv", Bytes: []byte(recording), Piped: true}
	result, err := findings.Check(context.Background(), in, findings.Options{})
	fmt.Println(result.Kind, result.Passed, result.Recording.Rows, err)
	for _, f := range result.Findings {
		fmt.Println(f.ID, f.Place)
	}
	// Output:
	// recording false 2 <nil>
	// not-a-number flight.csv:3:8
}
