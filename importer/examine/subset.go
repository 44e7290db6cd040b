package examine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/importer/worker/probe"
)

// subset returns a script of the operations with kept[k], and the position in it of each operation;
// -1 for the others. Steps are shifted so that each begins where the previous one ended. ok is
// false if the script would make a call that the original one does not make in that way, such as a
// call in a state where it is illegal.
func (p *play) subset(kept []bool) (q *play, at []int, ok bool) {
	q = &play{s: p.s, wrong: map[int]bool{}}
	at = make([]int, len(p.ops))
	for k, o := range p.ops {
		at[k] = -1
		if !kept[k] {
			continue
		}
		if p.wrong[k] {
			at[k] = q.wrongly(o)
		} else {
			at[k] = q.add(o)
		}
	}
	before, movable := p.discipline(false)
	q.discipline(movable)
	after, _ := q.discipline(false)
	for _, fault := range after {
		if !slices.Contains(before, fault) {
			return nil, nil, false
		}
	}
	return q, at, true
}

// bare returns the name of a function without the prefix of its standard; empty for instructions.
func bare(code string) string {
	if !strings.HasPrefix(code, "fmi") {
		return ""
	}
	return code[len("fmi2"):]
}

func isBirth(code string) bool { return strings.HasPrefix(bare(code), "Instantiate") }

// isGlobal reports whether a function needs no instance.
func isGlobal(code string) bool {
	return bare(code) == "GetVersion" || bare(code) == "GetTypesPlatform"
}

// bookkeeper follows what a script does with instances, states, times and buffers.
type bookkeeper struct {
	p      *play
	faults []string
	alive  [8]bool
	owner  map[int]int // instances of saved states
	filled map[int]bool
	now    [8]float64
	saved  map[int]float64
	loops  []string
}

func (b *bookkeeper) fault(format string, values ...any) {
	b.faults = append(b.faults, fmt.Sprintf(format, values...))
}

// discipline lists the calls of a script that a careful importer would not make. movable is true if
// each step begins where the previous one ended; with retime, steps are shifted accordingly.
func (p *play) discipline(retime bool) (faults []string, movable bool) {
	b := &bookkeeper{p: p, faults: slices.Clone(p.illegal), owner: map[int]int{},
		filled: map[int]bool{}, saved: map[int]float64{}}
	movable = true
	for k := range p.ops {
		o := &p.ops[k]
		if p.wrong[k] || o.Flags&probe.NoInstance != 0 {
			continue
		}
		if bare(o.Code) != "" && !b.alive[o.Slot] && !isBirth(o.Code) && !isGlobal(o.Code) {
			b.fault("%s without an instance", o.Code)
		}
		if strings.HasSuffix(o.Code, "DoStep") {
			expected := b.now[o.Slot]
			switch {
			case o.Flags&probe.Clocked != 0:
				movable = false
			case math.Abs(o.X[0]-expected) > float64(1e-9*max(1, math.Abs(expected))):
				movable = false
				b.fault("a step does not begin at the end of the previous one")
				if retime {
					o.X[0] = expected
				}
			}
			b.now[o.Slot] = o.X[0] + o.X[1]
			continue
		}
		b.follow(o)
	}
	return b.faults, movable
}

// follow follows an operation other than a step.
func (b *bookkeeper) follow(o *probe.Op) {
	name := strings.ToLower(o.Code)
	switch {
	case isBirth(o.Code):
		if b.alive[o.Slot] {
			b.fault("an instance is lost")
		}
		b.alive[o.Slot] = true
	case strings.HasSuffix(name, "freeinstance"):
		b.alive[o.Slot] = false
		for _, slot := range b.owner {
			if slot == o.Slot {
				b.fault("a state is lost")
			}
		}
	case name == "fmi2setupexperiment", name == "fmi3enterinitializationmode":
		b.now[o.Slot] = o.X[0]
	case isOfStates(o):
		b.state(o, name[4:])
	case o.Code == probe.Place:
		b.filled[o.Slot] = true
	case o.Code == probe.Protect && !b.filled[o.Slot]:
		b.fault("a buffer does not exist")
	case o.Code == probe.Send && !b.filled[o.State]:
		b.fault("a message does not exist")
	case o.Code == probe.Loop:
		b.loops = append(b.loops, fmt.Sprint(b.alive, b.owner))
	case o.Code == probe.Next && len(b.loops) > 0:
		last := len(b.loops) - 1
		if b.loops[last] != fmt.Sprint(b.alive, b.owner) {
			b.fault("rounds differ")
		}
		b.loops = b.loops[:last]
	}
}

// state follows a call of a function for saved states.
func (b *bookkeeper) state(o *probe.Op, name string) {
	_, taken := b.owner[o.State]
	switch {
	case strings.HasPrefix(name, "get"), strings.HasPrefix(name, "deserialize"):
		b.owner[o.State] = o.Slot
		b.saved[o.State] = b.now[o.Slot]
	case !taken:
		b.fault("%s without a state", name)
	case strings.HasPrefix(name, "free"):
		delete(b.owner, o.State)
	case strings.HasPrefix(name, "set"):
		b.now[o.Slot] = b.saved[o.State]
	}
}
