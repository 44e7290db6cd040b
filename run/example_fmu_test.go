//go:build linux && cgo

package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosmp/internal/testfmu"
	"gosmp/run"
)

// Write the outputs of an FMU as the expected ones, and compare a second run with them.
func ExampleTest() {
	folder, fmu, drive := sensorAndDrive()
	defer func() { _ = os.RemoveAll(folder) }() // it is temporary
	step := 0.1
	o := run.TestOptions{FMU: fmu, Trace: drive, StepSize: &step, Update: true,
		Expect: []string{filepath.Join(folder, "golden.mcap")}}
	first, err := run.Test(context.Background(), o)
	if err != nil {
		fmt.Println(err)
		return
	}
	o.Update = false
	second, err := run.Test(context.Background(), o)
	fmt.Println(first.Updated[0].Messages, second.Passed, second.Steps, err)
	// Output: 3 true 3 <nil>
}

// sensorAndDrive creates an FMU that sends each SensorView on, and a trace for its input.
func sensorAndDrive() (folder, fmu, drive string) {
	folder, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	fmu = testfmu.Build(exampleTB{folder: folder}, testfmu.Recipe{OSMP: true,
		Describe: func(xml string) string {
			return strings.ReplaceAll(xml, "type=SensorData;", "type=SensorView;")
		}})
	var lines strings.Builder
	for k := range 3 {
		const line = `{"topic":"view","type":"osi3.SensorView","sequence":0,"log_time":"1%d00000000",` +
			`"publish_time":"1%[1]d00000000","data":{"timestamp":{"seconds":"1","nanos":%[2]d}}}`
		fmt.Fprintf(&lines, line+"\n", k, k*100_000_000)
	}
	drive = filepath.Join(folder, "drive.jsonl")
	if err := os.WriteFile(drive, []byte(lines.String()), 0o600); err != nil {
		panic(err)
	}
	return folder, fmu, drive
}

// exampleTB lets an example use a function for tests, which needs only folders unless it fails.
type exampleTB struct {
	testing.TB
	folder string
}

func (exampleTB) Helper() {}

func (t exampleTB) TempDir() string {
	folder, err := os.MkdirTemp(t.folder, "fmu-")
	if err != nil {
		panic(err)
	}
	return folder
}
