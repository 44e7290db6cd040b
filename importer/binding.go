package importer

import (
	"math"
	"slices"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/worker"
)

// binding is a list of variables with a frame for the engine and a plan for the worker. Both hold
// their values in the same order: by kind, so that one call gets or sets all variables of a kind.
type binding struct {
	plan  *worker.Plan
	frame *cosim.Frame
	cells []stretch // position of the frame's cells in the plan
	blobs []stretch
	slope []stretch  // position of the frame's slopes in the plan
	ahead []uint64   // values of a step taken early; nil: the plan's values
	names [][]string // of the variables in each group, for errors
}

type stretch struct{ frame, plan, n int }

// entry is a variable that is bound, with its port if there is a frame.
type entry struct {
	variable int
	port     int
}

// groups sorts variables into groups: one for each kind, and one for each notional binary variable
// of OSMP.
func (t *table) groups(numbers []int, sizes []int) (groups []worker.Group, members [][]entry) {
	list := make([]entry, len(numbers))
	for k, n := range numbers {
		list[k] = entry{n, k}
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return int(t.list[a.variable].kind) - int(t.list[b.variable].kind)
	})
	for _, e := range list {
		v := &t.list[e.variable]
		last := len(groups) - 1
		if last < 0 || groups[last].Kind != v.kind || v.kind == worker.OSMP {
			groups, members = append(groups, worker.Group{Kind: v.kind}), append(members, nil)
			last++
		}
		g := &groups[last]
		g.References = append(g.References, v.references...)
		g.Values += sizes[e.variable]
		members[last] = append(members[last], e)
	}
	return groups, members
}

// bind lays out a list of variables. If there is already a frame, this plan may cover only part of
// it.
func (i *Instance) bind(numbers []int, frame *cosim.Frame, ports []int) (*binding, error) {
	t := i.fmu.table
	groups, members := t.groups(numbers, i.starts.sizes)
	b := &binding{frame: frame}
	if len(groups) == 0 {
		return b, nil
	}
	return b, i.lay(b, groups, members, ports)
}

// lay lays out groups that hold the values of the members, through the ports of the frame.
func (i *Instance) lay(b *binding, groups []worker.Group, members [][]entry,
	ports []int) (err error) {
	t, frame := i.fmu.table, b.frame
	if b.plan, err = i.process.NewPlan(groups); err != nil {
		return err
	}
	i.plans[b.plan.Number()] = b
	cells, blobs := 0, 0
	for k := range groups {
		var names []string
		for _, e := range members[k] {
			names = append(names, t.list[e.variable].name)
			size := i.starts.sizes[e.variable]
			isBlob := kindOf(groups[k].Kind).IsBlob()
			at := 0
			if frame != nil {
				at = frame.Ports[ports[e.port]].Offset
			}
			switch {
			case groups[k].Kind == worker.Slope:
				b.slope = join(b.slope, stretch{at, cells, size})
				cells += size
			case isBlob:
				b.blobs = join(b.blobs, stretch{at, blobs, size})
				blobs += size
			default:
				b.cells = join(b.cells, stretch{at, cells, size})
				cells += size
			}
		}
		b.names = append(b.names, names)
	}
	return nil
}

// bindSlopes is like bind, for all variables of a frame. The values are followed by the slopes of
// the variables that may have them.
func (i *Instance) bindSlopes(numbers []int, frame *cosim.Frame) (*binding, error) {
	t := i.fmu.table
	groups, members := t.groups(numbers, i.starts.sizes)
	slopes := worker.Group{Kind: worker.Slope}
	var sloped []entry
	for port, n := range numbers {
		if t.list[n].isSloped() {
			slopes.References = append(slopes.References, t.list[n].references...)
			slopes.Values++
			sloped = append(sloped, entry{n, port})
		}
	}
	b := &binding{frame: frame}
	return b, i.lay(b, append(groups, slopes), append(members, sloped), sequence(len(numbers)))
}

// isSloped reports whether a variable may have a derivative with respect to time.
func (v *variable) isSloped() bool {
	return v.kind == cosim.Float64 && v.model != nil && v.model.Variability == fmi.Continuous
}

// bindOutputs is like bind, for all outputs after initialization, including their derivatives if
// they are requested and the FMU provides them (FMI 2.0.5, 4.2.2). Derivatives are NaN until the
// FMU provides them.
func (i *Instance) bindOutputs(outputs []int) (*binding, error) {
	t := i.fmu.table
	sloped := slices.ContainsFunc(outputs, func(n int) bool { return t.list[n].isSloped() })
	if !i.o.OutputDerivatives || !sloped || i.fmu.Model.Major() == 3 ||
		!i.fmu.slave.Capabilities.IsPositive("maxOutputDerivativeOrder") {
		return i.part(outputs, i.frameOut, func(v *variable) bool { return !v.isClocked() })
	}
	i.frameOut.Slopes = slices.Repeat([]float64{math.NaN()}, len(i.frameOut.Cells))
	return i.bindSlopes(outputs, i.frameOut)
}

// join appends a stretch to the list, or extends the last one.
func join(list []stretch, s stretch) []stretch {
	if n := len(list) - 1; n >= 0 && list[n].frame+list[n].n == s.frame && list[n].plan+
		list[n].n == s.plan {
		list[n].n += s.n
		return list
	}
	return append(list, s)
}

// newFrame creates a frame with the layout of a plan of the same variables.
func (t *table) newFrame(numbers, sizes []int) *cosim.Frame {
	f := &cosim.Frame{Ports: make([]cosim.Port, len(numbers))}
	_, members := t.groups(numbers, sizes)
	cells, blobs := 0, 0
	for _, group := range members {
		for _, e := range group {
			kind, size := kindOf(t.list[e.variable].kind), sizes[e.variable]
			p := cosim.Port{Variable: e.variable, Kind: kind, Offset: cells, Size: size}
			if kind.IsBlob() {
				p.Offset = blobs
				blobs += size
			} else {
				cells += size
			}
			f.Ports[e.port] = p
		}
	}
	f.Cells, f.Blobs = make([]uint64, cells), make([][]byte, blobs)
	return f
}

// send copies the values of the frame to the plan.
func (b *binding) send() error {
	if b == nil || b.plan == nil {
		return nil
	}
	to := b.plan.Cells()
	for _, s := range b.cells {
		copy(to[s.plan:s.plan+s.n], b.frame.Cells[s.frame:s.frame+s.n])
	}
	for _, s := range b.slope {
		for k, v := range b.frame.Slopes[s.frame : s.frame+s.n] {
			to[s.plan+k] = math.Float64bits(v)
		}
	}
	for _, s := range b.blobs {
		for k := range s.n {
			if err := b.plan.SetBlob(s.plan+k, b.frame.Blobs[s.frame+k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fetch copies the values written by the worker from the plan.
func (b *binding) fetch() error {
	if b.plan == nil {
		return nil
	}
	from := b.ahead
	if from == nil {
		from = b.plan.Cells()
	}
	for _, s := range b.cells {
		copy(b.frame.Cells[s.frame:s.frame+s.n], from[s.plan:s.plan+s.n])
	}
	for _, s := range b.slope {
		for k, v := range from[s.plan : s.plan+s.n] {
			b.frame.Slopes[s.frame+k] = math.Float64frombits(v)
		}
	}
	for _, s := range b.blobs {
		for k := range s.n {
			bytes, err := b.blob(s.plan + k)
			if err != nil {
				return err
			}
			b.frame.Blobs[s.frame+k] = bytes
		}
	}
	return nil
}

// blob returns a text or a binary that the worker has read.
func (b *binding) blob(k int) ([]byte, error) {
	if b.ahead != nil {
		return b.plan.BlobIn(b.ahead, k)
	}
	return b.plan.Blob(k)
}

// preset creates a plan of start values.
func (i *Instance) preset(values []startValue) (*binding, error) {
	numbers := make([]int, len(values))
	for k := range values {
		numbers[k] = values[k].variable
	}
	frame := i.fmu.table.newFrame(numbers, i.starts.sizes)
	for k, v := range values {
		p := frame.Ports[k]
		copy(frame.Cells[min(p.Offset, len(frame.Cells)):], v.cells)
		if p.Kind.IsBlob() {
			copy(frame.Blobs[p.Offset:], v.blobs)
		}
	}
	b, err := i.bind(numbers, frame, sequence(len(numbers)))
	if err == nil {
		err = b.send()
	}
	return b, err
}

func sequence(n int) []int {
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}
