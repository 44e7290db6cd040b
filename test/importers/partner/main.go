// Command partner is an FMU for tests of importers: the other end of a sensor model's connections.
// It sends a SensorView with moving vehicles in every step, as a traffic simulation does, and
// receives SensorData, as a fusion function does. It outputs a checksum of the received data, so
// that a test can determine from which step the bytes are that an importer has passed on.
//
// It is a Go program of its own, linked with the generated OSI types: next to a sensor model it
// brings a second Go runtime, with a garbage collector that has work to do, into the importer's
// process.
package main

import (
	_ "embed" // for the documentation
	"errors"
	"fmt"
	"hash/crc32"

	"google.golang.org/protobuf/proto"

	"gosmp/build"
	"gosmp/export"
	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

//go:embed documentation.html
var documentation string

func init() { export.Register(definition) }

func main() { build.Main(definition, build.Documentation(documentation)) }

// indices are the indices of the variables.
type indices struct {
	viewOut, dataIn                        osmp.Place
	vehicles, messages, checksum, received fmu.Index
}

func definition() *fmu.Definition {
	d := &fmu.Definition{
		ModelName: "Partner", ModelIdentifier: "Partner",
		Description: "Sends SensorView, receives SensorData.", Version: "1.0",
		Units:       []fmi.Unit{{Name: "s", S: 1}},
		Experiment:  fmu.Experiment{Stop: 1, Tolerance: 1e-6, Step: 0.02},
		Annotations: []fmi.Annotation{osmp.Mark(osmp.Version030)},
	}
	refs, err := declare(&d.Variables)
	if err != nil {
		d.Variables.Fail(err)
	}
	d.New = func(h fmu.Host) fmu.Model {
		return &partner{values: h.Values, refs: refs, view: osmp.NewOutput(h, refs.viewOut),
			data: osmp.NewInput(h, refs.dataIn)}
	}
	return d
}

func declare(t *fmu.Variables) (r indices, err error) {
	var errs [2]error
	r.viewOut, errs[0] = osmp.Declare(t,
		osmp.Binary{Prefix: "OSMPSensorViewOut", MIMEType: osmp.MIMEType("SensorView"),
			Causality: fmi.Output, Variability: fmi.Discrete,
			Description: "SensorView at the end of the step"})
	r.dataIn, errs[1] = osmp.Declare(t,
		osmp.Binary{Prefix: "OSMPSensorDataIn", MIMEType: osmp.MIMEType("SensorData"),
			Causality: fmi.Input, Variability: fmi.Discrete, Description: "SensorData to look at"})
	r.vehicles = t.Add(fmu.Variable{Name: "vehicles", Type: fmi.Integer, Causality: fmi.Parameter,
		Variability: fmi.Fixed,
		Initial:     fmi.Exact, Start: int32(20),
		Description: "the SensorView of the n-th step has n modulo this many vehicles"})
	output := fmu.Variable{Type: fmi.Integer, Causality: fmi.Output, Variability: fmi.Discrete,
		Initial: fmi.Exact,
		Start:   int32(0)}
	r.messages = t.Add(named(output, "received.messages", "number of SensorData received"))
	r.checksum = t.Add(named(output, "received.crc32",
		"CRC-32 of the newest SensorData, as a signed number"))
	output.Type, output.Start, output.Unit = fmi.Real, 0.0, "s"
	r.received = t.Add(named(output, "received.time", "timestamp of the newest SensorData"))
	return r, errors.Join(errs[:]...)
}

func named(v fmu.Variable, name, description string) fmu.Variable {
	v.Name, v.Description = name, description
	return v
}

// partner is the model.
type partner struct {
	values *fmu.Values
	refs   indices
	view   *osmp.Output
	data   *osmp.Input
	steps  uint64
}

func (p *partner) Initialize(timebase.Time) error { return nil }

func (p *partner) Step(span timebase.Span) error {
	p.steps++
	if err := p.receive(); err != nil {
		return err
	}
	message, err := proto.MarshalOptions{Deterministic: true}.Marshal(p.sensorView(span.End))
	if err != nil {
		return fmt.Errorf("SensorView: %w", err)
	}
	return p.view.Publish(message)
}

// receive examines the SensorData of this step. An importer that connects outputs and inputs passes
// an address in every step; an address from an earlier step is a mistake of the importer.
func (p *partner) receive() error {
	data, presence := p.data.Take()
	switch presence {
	case osmp.NoData:
		return nil
	case osmp.Expired:
		return errors.New("OSMPSensorDataIn was not set for this step")
	case osmp.Contradiction:
		return p.data.Contradiction()
	}
	var message osi3.SensorData
	if err := proto.Unmarshal(data, &message); err != nil {
		return fmt.Errorf("OSMPSensorDataIn, %d bytes: %w", len(data), err)
	}
	p.values.Integers[p.refs.messages]++
	p.values.Integers[p.refs.checksum] = int32(crc32.ChecksumIEEE(data))
	p.values.Reals[p.refs.received] = float64(message.Timestamp.GetSeconds()) +
		float64(message.Timestamp.GetNanos())/1e9
	return nil
}

func (p *partner) Reset() {
	p.steps = 0
	p.view.Clear()
	p.data.Reset()
}

func (p *partner) Close() { p.view.Close() }

func (p *partner) AppendState(b []byte) ([]byte, error) {
	return p.data.AppendState(p.view.AppendState(state.AppendUint64(b, p.steps))), nil
}

func (p *partner) RestoreState(b []byte) error {
	d := state.Decoder{Data: b}
	p.steps = d.Uint64()
	if err := p.view.RestoreState(&d); err != nil {
		return err
	}
	p.data.RestoreState(&d)
	return d.Err()
}
