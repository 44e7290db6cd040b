//go:build linux && cgo

package importer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// Load an FMU, connect a Go participant to its binary input, step, and record its outputs. A Go
// participant is any type with the methods of cosim.Participant.
func Example() {
	fmu, err := importer.Open(sensorFMU())
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := &importer.Pool{}
	defer func() { _ = pool.Close() }()
	sensor, err := fmu.NewInstance("sensor", pool, importer.Options{
		Start: []importer.StartValue{{Name: "temperature", Value: "20[degC]"},
			{Name: "gain", Value: "0.5"}},
		Log: func(m importer.Message) { fmt.Println(m.Text) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := cosim.New(cosim.Spec{Stop: timebase.Second / 2, Step: cosim.Every(0.1)})
	e.Add("source", &messages{})
	e.Add("sensor", sensor)
	e.Connect("source.view", "sensor.OSMPSensorViewIn")
	e.Observe(cosim.NewRecorder(os.Stdout, e.Watch("sensor.steps"), e.Watch("sensor.temperature"),
		e.Watch("sensor.out")))
	data := e.Watch("sensor.OSMPSensorDataOut")
	result, err := e.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Steps, "steps; the last message has", len(data.Blobs()[0]), "bytes")
	// Output:
	// "time","sensor.steps","sensor.temperature","sensor.out"
	// 0.0,0,293.15,0.5
	// 0.1,1,293.15,0.5
	// 0.2,2,293.15,0.5
	// 0.3,3,293.15,0.5
	// 0.4,4,293.15,0.5
	// 0.5,5,293.15,0.5
	// 5 steps; the last message has 6250 bytes
}

// The variables of an FMU are available before its library is loaded. A notional binary variable of
// OSMP, in FMI 2.0 three Integers, is a single Binary.
func ExampleFMU_Variables() {
	fmu, err := importer.Open(sensorFMU())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range fmu.Variables() {
		if v.Kind == cosim.Binary && v.Role == cosim.Input {
			fmt.Println(v.Name, v.Kind, v.MIMEType)
		}
	}
	// Output: OSMPSensorViewIn Binary application/x-open-simulation-interface; type=SensorView; version=3.8.0
}

// A failure in an FMU is reported with the name of the function that failed, and the host
// continues.
func ExampleInstance() {
	fmu, err := importer.Open(sensorFMU("DoStep crash 0 3"))
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := &importer.Pool{}
	defer func() { _ = pool.Close() }()
	sensor, err := fmu.NewInstance("sensor", pool, importer.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.Add("sensor", sensor)
	result, err := e.Run(context.Background())
	var failed *cosim.RunError
	if errors.As(err, &failed) && errors.Is(err, importer.ErrFailed) {
		fmt.Println(failed.Participant, "failed in step", failed.Step, "after",
			result.Reached.Seconds(), "s")
	}
	// Output: sensor failed in step 3 after 0.2 s
}

// sensorFMU builds an FMU in a folder for all examples.
func sensorFMU(orders ...string) string {
	return testfmu.Build(builder{}, testfmu.Recipe{OSMP: true, Orders: orders, Name: "sensor"})
}

// builder is the part of testing.TB that is needed to build an FMU.
type builder struct{ testing.TB }

func (builder) Helper()                           {}
func (builder) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (builder) FailNow()                          { panic("no FMU") }
func (builder) TempDir() string {
	// removed with all other test files
	folder, err := os.MkdirTemp(os.Getenv("XDG_CACHE_HOME"), "sensor-")
	if err != nil {
		panic(err)
	}
	return folder
}
