// Command modes packs a model for tests of hosts that uses all features that only FMI 3.0 has: an
// output with a clock, events within steps, enumerations, binaries without OSMP, and arrays whose
// length is set in Configuration Mode.
package main

import (
	"errors"
	"fmt"

	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
	"gosmp/osmp"
	"gosmp/timebase"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{Identifier: "Modes", Name: "Modes of FMI 3.0", New: newModel}

// period is the time between two messages. The steps of a host need not be aligned with it.
const period = 300 * timebase.Millisecond

// receiver publishes a numbered message at each multiple of period.
type receiver struct {
	fix           *model.Output
	weather, seen int32
	key, echo     []byte
	gains, sums   []float64
	levels        []float32
	number        int32
	way           float64
	told          *model.Input
	heard         string
}

func newModel(d *model.Declaration) model.Model {
	r := &receiver{}
	clock := d.Clock("newFix", "ticks with each message")
	r.fix = d.ClockedOutput(osmp.HostVehicleDataOut, clock)
	sky := model.Enumeration("Weather", "sunny", "fog", "rain")
	model.PlainInput(d, &r.weather, "weather", 1, "", sky)
	model.PlainOutput(d, &r.seen, "seen", "weather of the newest step", sky)
	model.PlainOutput(d, &r.number, "number", "of the newest message")
	model.PlainOutput(d, &r.way, "way", "grows by 1 m/s", model.Unit("m"), model.Continuous())
	if !d.ForFMI3() {
		r.listen(d)
		return r
	}
	model.BinaryInput(d, &r.key, "key", "application/x-key", "", model.MaxSize(8))
	model.BinaryOutput(d, &r.echo, "echo", "application/x-key", "the key of the newest step")
	n := model.NewSize(d, "channels", 2, 1, 5, "number of channels")
	model.SizedParameter(d, n, &r.gains, "gains", 0, "", model.Unit("1"))
	model.SizedOutput(d, n, &r.sums, "sums", "of the gains over steps", model.Unit("1"))
	depth := model.NewSize(d, "depth", 1, 1, 3, "number of levels", model.Tunable())
	model.SizedOutput(d, depth, &r.levels, "levels", "the newest message in each", model.Unit("1"))
	r.listen(d)
	return r
}

// listen declares the variables that both models of a system need.
func (r *receiver) listen(d *model.Declaration) {
	r.told = d.Input(osmp.HostVehicleDataIn)
	model.PlainOutput(d, &r.heard, "heard", "the message of another one in the newest step")
}

var errWarning = errors.New("as the key demands")

// Setup warns if the key is "warn".
func (r *receiver) Setup(model.Environment) error {
	if string(r.key) == "warn" {
		return model.Warning(errWarning)
	}
	return nil
}

// Terminated ends the simulation if the key is "end".
func (r *receiver) Terminated() bool { return string(r.key) == "end" }

func (r *receiver) NextEvent(t timebase.Time) (timebase.Time, bool) {
	return (t/period + 1) * period, true
}

// Step discards steps that do not begin at 0 if the key is "later". It warns in the first one if
// the key is "warn".
func (r *receiver) Step(span timebase.Span) error {
	if string(r.key) == "later" && span.Start > 0 {
		return fmt.Errorf("%w: later", model.ErrDiscard)
	}
	err := r.receive(span)
	if err == nil && string(r.key) == "warn" && span.Start == 0 {
		return model.Warning(errWarning)
	}
	return err
}

func (r *receiver) receive(span timebase.Span) error {
	r.way, r.seen = span.End.Seconds(), r.weather
	r.echo = append(r.echo[:0], r.key...)
	r.heard = string(r.told.Bytes())
	for k := range r.sums {
		r.sums[k] += r.gains[k]
	}
	for k := range r.levels {
		r.levels[k] = float32(r.number)
	}
	if span.End/period == span.Start/period {
		return nil
	}
	r.number++
	return r.fix.Publish(fmt.Appendf(r.fix.Buffer(), "fix %d at %.3f", r.number,
		span.End.Seconds()))
}

//nolint:unparam // the interface has an error
func (r *receiver) Snapshot(b []byte) ([]byte, error) {
	return model.AppendUint64(b, uint64(r.number)), nil
}

func (r *receiver) Restore(b []byte) error {
	d := model.StateReader{Data: b}
	r.number = int32(d.Uint64())
	return d.Done()
}
