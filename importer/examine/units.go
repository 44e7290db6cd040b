package examine

import (
	"fmt"
	"slices"

	"gosmp/importer/worker/probe"
)

// units returns the groups of operations, up to the given last one, that can be omitted together.
// No group contains an operation to keep.
func (p *play) units(last int, keep []int, e *evidence) (list [][]int) {
	group := p.groups(e)
	needed := map[int]bool{}
	for k := range last + 1 {
		if p.stays(k) || slices.Contains(keep, k) {
			needed[group[k]] = true
		}
	}
	at := map[int]int{}
	for k := range last + 1 {
		if needed[group[k]] {
			continue
		}
		if _, known := at[group[k]]; !known {
			at[group[k]] = len(list)
			list = append(list, nil)
		}
		n := at[group[k]]
		list[n] = append(list[n], k)
	}
	return list
}

// stays reports whether an operation prepares others.
func (p *play) stays(k int) bool {
	switch o := &p.ops[k]; o.Code {
	case probe.Load, probe.Placement, probe.Measure, probe.Loop,
		probe.Next, probe.Twins, probe.Watch, probe.Told, probe.Updates:
		return true
	case probe.Fetch: // an operation may look at its bytes again
		return slices.ContainsFunc(p.ops[k:], func(later probe.Op) bool {
			return later.Code == probe.Peek && later.State == o.State
		})
	}
	return p.wrong[k]
}

// groups returns for each operation the first one of those with which it belongs together: a
// message and the call that passes it on, a step and its event, the two calls that begin an
// initialization, the same calls of two passes, and the same calls of several loops.
func (p *play) groups(e *evidence) []int {
	group := make([]int, len(p.ops))
	for k := range group {
		group[k] = k
	}
	join := func(from, to int) {
		for k := from + 1; k <= min(to, len(p.ops)-1); k++ {
			group[k] = group[from]
		}
	}
	for k := range p.ops {
		if group[k] != k {
			continue
		}
		next := &probe.Op{}
		if k+1 < len(p.ops) {
			next = &p.ops[k+1]
		}
		switch name := bare(p.ops[k].Code); {
		case p.ops[k].Code == probe.Place && next.Code == probe.Send:
			join(k, k+1)
		case name == "DoStep" && next.Code == probe.Unless:
			join(k, k+1+next.Count)
		case name == "EnterEventMode", name == "ExitInitializationMode":
			for _, n := range p.eventAfter(k) {
				group[n] = group[k]
			}
		case name == "SetupExperiment":
			join(k, k+1)
		}
	}
	if e.twin > 0 {
		for k := e.first + e.twin; k < len(p.ops); k++ {
			group[k] = group[k-e.twin]
		}
	}
	if loops := p.loops(); len(loops) > 1 {
		for _, loop := range loops[1:] {
			for k := range loop[1] - loop[0] {
				group[loop[0]+k] = group[loops[0][0]+k]
			}
		}
	}
	return group
}

// eventAfter returns the operations after k that belong to the event that begins there: the update
// and the return to Step Mode and, if clocks are activated, everything in between.
func (p *play) eventAfter(k int) (list []int) {
	clocks, slot := false, p.ops[k].Slot
	for n := k + 1; n < len(p.ops); n++ {
		o := &p.ops[n]
		if o.Slot != slot {
			continue
		}
		name := bare(o.Code)
		clocks = clocks || name == "SetClock"
		switch {
		case name == "EnterStepMode":
			if clocks || bare(p.ops[k].Code) == "EnterEventMode" {
				return append(list, n)
			}
			return nil
		case name == "DoStep" || name == "Terminate" || name == "FreeInstance":
			return nil
		case clocks || o.Code == probe.Settle:
			list = append(list, n)
		}
	}
	return nil
}

// loops returns the beginnings and ends of loops; nil if their bodies differ.
func (p *play) loops() (list [][2]int) {
	begin := 0
	for k := range p.ops {
		switch p.ops[k].Code {
		case probe.Loop:
			begin = k
		case probe.Next:
			list = append(list, [2]int{begin, k})
		}
	}
	for _, loop := range list {
		first := p.ops[list[0][0]:list[0][1]]
		if !slices.EqualFunc(first, p.ops[loop[0]:loop[1]], func(a, b probe.Op) bool {
			return a.Code == b.Code
		}) {
			return nil
		}
	}
	return list
}

// alike returns larger groups of units: all of one instance, all that set or read the same
// variables, and all steps.
func (p *play) alike(units [][]int) (list [][][]int) {
	index := map[string]int{}
	add := func(key string, unit []int) {
		if _, known := index[key]; !known {
			index[key] = len(list)
			list = append(list, nil)
		}
		list[index[key]] = append(list[index[key]], unit)
	}
	for _, instances := range []bool{true, false} {
		for _, unit := range units {
			o := &p.ops[unit[0]]
			key := fmt.Sprint("instance ", o.Slot)
			switch {
			case !instances && isOfStates(o):
				key = fmt.Sprint("state ", o.State)
			case !instances:
				key = fmt.Sprint(o.Code, o.Slot, o.References)
			}
			add(key, unit)
		}
	}
	return list
}
