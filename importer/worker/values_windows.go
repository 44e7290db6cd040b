//go:build amd64

package worker

import (
	"fmt"
	"unsafe"

	"gosmp/cosim"
)

func (g *Group) isBlob() bool { return g.Kind.IsBlob() || g.Kind == OSMP }

// Plan is a list of groups that are set or read together, with space for their values.
//
// Cells holds the values of all groups, in order, except texts and binaries, which are transferred
// by SetBlob and Blob.
type Plan struct {
	process *Process
	id      int
	groups  []Group
	cells   []uint64
	blobs   []blob
}

// blob is a text or a binary. Values from FMUs have two alternating places, so that the bytes of a
// step are preserved while the next step runs. A zero follows the bytes.
type blob struct {
	place  [2][]byte
	newest int
}

// NewPlan lays out a plan.
func (p *Process) NewPlan(groups []Group) (*Plan, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	plain, blobs := 0, 0
	for k := range groups {
		if groups[k].isBlob() {
			blobs += groups[k].Values
		} else {
			plain += groups[k].Values
		}
	}
	p.plans++
	return &Plan{process: p, id: p.plans, groups: groups, cells: make([]uint64, plain, plain+1),
		blobs: make([]blob, blobs)}, nil
}

// Number returns the number of the plan in replies and in a [DeathError].
func (l *Plan) Number() int { return l.id }

// Cells returns the plain values of all groups: the bits of a float64, the bits of a float32 in the
// low half, a sign-extended integer, 0 or 1.
func (l *Plan) Cells() []uint64 { return l.cells }

// SetBlob copies the k-th text or binary of the plan.
func (l *Plan) SetBlob(k int, bytes []byte) error {
	l.blobs[k].keep(bytes, true)
	return nil
}

// Blob returns the k-th text or binary that has been read. Its bytes are valid until the second
// command from now that reads the plan without the flag [SamePlace].
func (l *Plan) Blob(k int) ([]byte, error) {
	b := &l.blobs[k]
	if n := len(b.place[b.newest]); n > 1 {
		return b.place[b.newest][: n-1 : n-1], nil
	}
	return nil, nil
}

func (b *blob) keep(bytes []byte, samePlace bool) {
	if !samePlace {
		b.newest = 1 - b.newest
	}
	b.place[b.newest] = append(append(b.place[b.newest][:0], bytes...), 0)
}

// pointer returns the address of the bytes and their number.
func (b *blob) pointer() (address, size uintptr) {
	bytes := b.place[b.newest]
	if len(bytes) == 0 {
		return address0(emptyText), 0
	}
	return address0(bytes), uintptr(len(bytes) - 1)
}

var emptyText = []byte{0}

// address0 returns the address of the first element. All memory passed to FMUs is kept alive by the
// plan, the process or the instance, and is not moved by Go.
func address0[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// set passes the values of a plan to an FMU; get reads them. They return the worst status; after a
// status worse than Warning, they skip the remaining groups.
func (i *instance) set(l *Plan) int { return i.plan(l, true, 0) }

func (i *instance) get(l *Plan, flags uint32) int { return i.plan(l, false, flags) }

func (i *instance) plan(l *Plan, set bool, flags uint32) int {
	if l == nil {
		return 0
	}
	at := &i.process.before
	at.plan = l.id
	defer func() { at.group = -1 }()
	worst, cells, blobs := 0, l.cells, l.blobs
	for k := range l.groups {
		g := &l.groups[k]
		at.group = k
		status := i.group(g, cells, blobs, set, flags)
		if worst = max(worst, status); worst > 1 {
			return worst
		}
		if g.isBlob() {
			blobs = blobs[g.Values:]
		} else {
			cells = cells[g.Values:]
		}
	}
	return worst
}

// group makes one call of a getter or setter.
func (i *instance) group(g *Group, cells []uint64, blobs []blob, set bool, flags uint32) int {
	if g.Kind >= Interval || set && g.Kind == cosim.Clock {
		return i.timing(g, cells[:g.Values], set)
	}
	name := accessor(i.major, g.Kind, set)
	if name == "" {
		return i.process.fail(StatusMisuse, "", fmt.Sprintf("kind %d in FMI %d", g.Kind, i.major))
	}
	p := i.process
	p.makeRoom(max(3, g.Values))
	var values uintptr
	if set {
		values = p.layOut(i.major, g, cells, blobs)
	} else {
		values = p.roomFor(g, cells)
	}
	status := i.access(name, g, values)
	if !set && status <= 1 {
		return max(status, p.take(i.major, g, cells, blobs, name, flags&SamePlace != 0))
	}
	return status
}

func (i *instance) access(name string, g *Group, values uintptr) int {
	references, n := address0(g.References), uintptr(len(g.References))
	switch {
	case g.Kind == Slope:
		return i.call(name, references, n, address0(i.process.scratch), values)
	case i.major < 3 || g.Kind == cosim.Clock:
		return i.call(name, references, n, values)
	case g.Kind == cosim.Binary:
		return i.call(name, references, n, address0(i.process.sizes), values, uintptr(g.Values))
	}
	return i.call(name, references, n, values, uintptr(g.Values))
}

// typeNames are the names of kinds as used in the names of FMI 3.0 functions.
var typeNames = map[cosim.Kind]string{cosim.Float64: "Float64", cosim.Float32: "Float32",
	cosim.Int8:  "Int8",
	cosim.UInt8: "UInt8", cosim.Int16: "Int16", cosim.UInt16: "UInt16", cosim.Int32: "Int32",
	cosim.UInt32: "UInt32", cosim.Int64: "Int64", cosim.UInt64: "UInt64", cosim.Boolean: "Boolean",
	cosim.String: "String", cosim.Binary: "Binary", cosim.Clock: "Clock"}

// accessor returns the name of a getter or setter; it is empty if a standard has none for a kind.
func accessor(major int, kind cosim.Kind, set bool) string {
	verb := map[bool]string{false: "Get", true: "Set"}[set]
	if major >= 3 {
		if name, ok := typeNames[kind]; ok {
			return "fmi3" + verb + name
		}
		return ""
	}
	switch kind {
	case cosim.Float64:
		return "fmi2" + verb + "Real"
	case cosim.Int32, OSMP:
		return "fmi2" + verb + "Integer"
	case cosim.Boolean:
		return "fmi2" + verb + "Boolean"
	case cosim.String:
		return "fmi2" + verb + "String"
	case Slope:
		return map[bool]string{false: "fmi2GetRealOutputDerivatives",
			true: "fmi2SetRealInputDerivatives"}[set]
	}
	return ""
}

func (p *Process) makeRoom(values int) {
	if values > len(p.scratch) {
		p.scratch, p.sizes = make([]uint64, 2*values), make([]uint64, 2*values)
		p.pointers = make([]uintptr, 2*values)
	}
}

// arrayOf returns space for an FMU's array of n elements of a type.
func arrayOf[T any](p *Process, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(p.scratch))), n)
}

func fill[T any](p *Process, cells []uint64, convert func(uint64) T) uintptr {
	array := arrayOf[T](p, len(cells))
	for k, c := range cells {
		array[k] = convert(c)
	}
	return address0(p.scratch)
}

func taken[T any](p *Process, cells []uint64, convert func(T) uint64) {
	for k, v := range arrayOf[T](p, len(cells)) {
		cells[k] = convert(v)
	}
}

// roomFor returns the address at which an FMU stores the values of a group. Values that the FMU
// does not store are 0, not values from another call.
func (p *Process) roomFor(g *Group, cells []uint64) uintptr {
	clear(p.scratch[:max(3, g.Values)])
	clear(p.sizes[:g.Values])
	switch g.Kind {
	case Slope:
		fill(p, cells[:g.Values], func(uint64) int32 { return 1 }) // the order of each derivative
		return address0(cells)
	case cosim.Float64, cosim.Int64, cosim.UInt64:
		return address0(cells)
	case cosim.String, cosim.Binary:
		clear(p.pointers[:g.Values])
		return address0(p.pointers)
	}
	return address0(p.scratch)
}

// layOut builds the FMU's array from the cells of a group.
func (p *Process) layOut(major int, g *Group, cells []uint64, blobs []blob) uintptr {
	switch g.Kind {
	case cosim.String, cosim.Binary:
		for k := range g.Values {
			address, size := blobs[k].pointer()
			p.pointers[k], p.sizes[k] = address, uint64(size)
		}
		return address0(p.pointers)
	case OSMP: // no data is represented by 0/0/0, never by an old address
		address, size := blobs[0].pointer()
		if size == 0 {
			address = 0
		}
		copy(arrayOf[int32](p, 3), []int32{int32(address), int32(uint64(address) >> 32),
			int32(size)})
		return address0(p.scratch)
	}
	cells = cells[:g.Values]
	switch g.Kind {
	case Slope:
		fill(p, cells, func(uint64) int32 { return 1 })
		return address0(cells)
	case cosim.Float32, cosim.Int32, cosim.UInt32:
		return fill(p, cells, func(c uint64) uint32 { return uint32(c) })
	case cosim.Int16, cosim.UInt16:
		return fill(p, cells, func(c uint64) uint16 { return uint16(c) })
	case cosim.Int8, cosim.UInt8:
		return fill(p, cells, func(c uint64) uint8 { return uint8(c) })
	case cosim.Boolean:
		if major < 3 {
			return fill(p, cells, func(c uint64) int32 { return int32(min(c, 1)) })
		}
		return fill(p, cells, func(c uint64) uint8 { return uint8(min(c, 1)) })
	}
	return address0(cells)
}

// take converts an FMU's array to cells.
func (p *Process) take(major int, g *Group, cells []uint64, blobs []blob, name string,
	same bool) int {
	switch g.Kind {
	case cosim.String, cosim.Binary:
		return p.takeBlobs(g, blobs, name, same)
	case OSMP:
		v := arrayOf[uint32](p, 3)
		address, size := uintptr(v[0])|uintptr(v[1])<<32, int(int32(v[2]))
		if address == 0 || size < 0 {
			size = 0
		}
		blobs[0].keep(bytesAt(address, size), same)
		return 0
	}
	cells = cells[:g.Values]
	switch g.Kind {
	case cosim.Float32, cosim.UInt32:
		taken(p, cells, func(v uint32) uint64 { return uint64(v) })
	case cosim.Int32:
		taken(p, cells, func(v int32) uint64 { return uint64(int64(v)) })
	case cosim.Int16:
		taken(p, cells, func(v int16) uint64 { return uint64(int64(v)) })
	case cosim.UInt16:
		taken(p, cells, func(v uint16) uint64 { return uint64(v) })
	case cosim.Int8:
		taken(p, cells, func(v int8) uint64 { return uint64(int64(v)) })
	case cosim.UInt8:
		taken(p, cells, func(v uint8) uint64 { return uint64(v) })
	case cosim.Boolean, cosim.Clock:
		if major < 3 {
			taken(p, cells, func(v int32) uint64 { return uint64(min(uint32(v), 1)) })
		} else {
			taken(p, cells, func(v uint8) uint64 { return uint64(min(v, 1)) })
		}
	}
	return 0
}

// takeBlobs copies texts and binaries before the next call of the FMU.
func (p *Process) takeBlobs(g *Group, blobs []blob, name string, same bool) int {
	for k := range g.Values {
		address, size := p.pointers[k], int(p.sizes[k])
		if address == 0 && (g.Kind == cosim.String || size > 0) {
			return p.fail(StatusBadValue, name, fmt.Sprintf("NULL as value %d of %d", k+1,
				g.Values))
		}
		if g.Kind == cosim.String {
			size = lengthOf(address)
		}
		blobs[k].keep(bytesAt(address, size), same)
	}
	return 0
}

// timing gets or sets the times at which clocks tick, or activates the clocks.
func (i *instance) timing(g *Group, cells []uint64, set bool) int {
	if i.major < 3 || set && g.Kind >= Shift {
		return i.process.fail(StatusMisuse, "", fmt.Sprintf("kind %d in FMI %d", g.Kind, i.major))
	}
	references, n := address0(g.References), len(g.References)
	verb, first := "fmi3Get", address0(cells)
	if set {
		verb = "fmi3Set"
	}
	switch g.Kind {
	case cosim.Clock:
		return i.activate(g, cells)
	case Shift:
		return i.call("fmi3GetShiftDecimal", references, uintptr(n), first)
	case ShiftFraction:
		return i.call("fmi3GetShiftFraction", references, uintptr(n), first, first+8*uintptr(n))
	}
	arguments := []uintptr{references, uintptr(n), first}
	name := verb + "IntervalDecimal"
	if g.Kind == IntervalFraction {
		name, arguments = verb+"IntervalFraction", append(arguments, first+8*uintptr(n))
	}
	if set {
		return i.call(name, arguments...)
	}
	i.process.makeRoom(n)
	clear(i.process.scratch[:n])
	status := i.call(name, append(arguments, address0(i.process.scratch))...)
	taken(i.process, cells[len(cells)-n:], func(v int32) uint64 { return uint64(int64(v)) })
	return status
}

// activate passes only the clocks that tick, because setting any other clock to inactive may be
// illegal (FMI 3.0, canBeDeactivated).
func (i *instance) activate(g *Group, cells []uint64) int {
	i.process.makeRoom(len(g.References))
	var ticking []uint32
	for k, r := range g.References {
		if cells[k] != 0 {
			arrayOf[uint8](i.process, len(g.References))[len(ticking)] = 1
			ticking = append(ticking, r)
		}
	}
	if len(ticking) == 0 {
		return 0
	}
	return i.call("fmi3SetClock", address0(ticking), uintptr(len(ticking)),
		address0(i.process.scratch))
}
