package importer

import (
	"encoding/binary"
	"math"

	"gosmp/cosim"
	"gosmp/importer/worker"
	"gosmp/timebase"
)

// between handles the intermediate updates of an FMI 3.0 FMU within its steps (FMI 3.0, 4.2.1). The
// worker reads outputs and sets inputs in the callback, during the step. The host receives the
// outputs after the step, once the FMU has accepted it. The callback never requests an early
// return, because everything that a run waits for happens at communication points.
type between struct {
	see     func(t timebase.Time, seconds float64) error // nil if the values are not needed
	in, out *binding
}

// offersIntermediate reports whether the FMU calls back within steps.
func (f *FMU) offersIntermediate() bool {
	return f.Model.Major() == 3 && f.slave.Capabilities.Has("providesIntermediateUpdate")
}

// takesIntermediate reports whether an input may be set within steps.
func (f *FMU) takesIntermediate() bool {
	if !f.offersIntermediate() || !worker.UpdatesWithin {
		return false
	}
	for k := range f.table.list {
		if f.table.list[k].role == cosim.Input && f.table.list[k].isFollowed() {
			return true
		}
	}
	return false
}

// isFollowed reports whether an FMI 3.0 input may change within a step.
func (v *variable) isFollowed() bool { return v.isSloped() && v.model.IntermediateUpdate }

// Update implements [cosim.Updater].
func (i *Instance) Update(see func(t timebase.Time, seconds float64) error) {
	if i.o.Intermediate {
		i.between.see = see
	}
}

// bindBetween lays out the values that the worker reads and sets at intermediate updates.
func (i *Instance) bindBetween() (err error) {
	if i.fmu.Model.Major() == 3 && i.frameIn.Slopes != nil {
		if i.between.in, err = i.bindLines(); err != nil {
			return err
		}
	}
	if !i.o.Intermediate {
		return nil
	}
	if why := i.unseen(); why != "" {
		i.warn("%s: no intermediate values are recorded: %s", i.fmu.Path, why)
		i.between.see = nil
		return nil
	}
	var numbers, ports []int
	for k, p := range i.frameOut.Ports {
		if i.fmu.table.list[p.Variable].isSeen() {
			numbers, ports = append(numbers, p.Variable), append(ports, k)
		}
	}
	i.between.out, err = i.bind(numbers, i.frameOut, ports)
	return err
}

// isSeen reports whether a variable may be read within a step.
func (v *variable) isSeen() bool {
	return v.model != nil && v.model.IntermediateUpdate && !kindOf(v.kind).IsBlob() &&
		v.kind != cosim.Clock && !v.isClocked()
}

// unseen explains why no intermediate values can be recorded; "" if they can.
func (i *Instance) unseen() string {
	switch {
	case !worker.UpdatesWithin:
		return "this needs Linux"
	case i.fmu.Model.Major() != 3 || !i.fmu.offersIntermediate():
		return "the FMU has none (providesIntermediateUpdate of FMI 3.0)"
	case i.between.see == nil:
		return "this needs a run of one FMU, with a table, a plot or a report of its outputs"
	}
	for _, p := range i.frameOut.Ports {
		if i.fmu.table.list[p.Variable].isSeen() {
			return ""
		}
	}
	return "the FMU offers none of the recorded variables there (intermediateUpdate)"
}

// bindLines binds the inputs that follow a line within a step: their values, their values at the
// beginning of the step, and their slopes.
func (i *Instance) bindLines() (*binding, error) {
	t := i.fmu.table
	values := worker.Group{Kind: cosim.Float64}
	var members []entry
	for port, n := range i.inputs {
		if t.list[n].role == cosim.Input && t.list[n].isFollowed() {
			values.References = append(values.References, t.list[n].references...)
			values.Values += i.starts.sizes[n]
			members = append(members, entry{n, port})
		}
	}
	b := &binding{frame: i.frameIn}
	if len(members) == 0 {
		return b, nil
	}
	slopes := values
	slopes.Kind = worker.Slope
	return b, i.lay(b, []worker.Group{values, values, slopes}, [][]entry{members, members, members},
		sequence(len(i.inputs)))
}

// planOf returns the plan of a binding; nil if there is no binding.
func (b *binding) planOf() *worker.Plan {
	if b == nil {
		return nil
	}
	return b.plan
}

// replay shows the values of the intermediate updates within a step, which ends at the time reached
// by the FMU. Instants outside the step or before the previous instant are omitted.
func (b *between) replay(s timebase.Span, rows []byte) error {
	if b.see == nil || b.out == nil {
		return nil
	}
	cells := b.out.plan.Cells()
	width := 8 * (1 + len(cells))
	last := s.Start
	for ; len(rows) >= width; rows = rows[width:] {
		seconds := math.Float64frombits(binary.NativeEndian.Uint64(rows))
		t, err := timebase.FromSeconds(seconds)
		if err != nil || t <= s.Start || t < last || t >= s.End {
			continue
		}
		for k := range cells {
			cells[k] = binary.NativeEndian.Uint64(rows[8*(k+1):])
		}
		if err := b.out.fetch(); err != nil {
			return err
		}
		if err := b.see(t, seconds); err != nil {
			return err
		}
		last = t
	}
	return nil
}
