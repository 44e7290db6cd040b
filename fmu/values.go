package fmu

import (
	"slices"

	"gosmp/fmi"
)

// Values holds the current values of an instance's variables, by type and [Index]. The instance's
// model reads its parameters and inputs here and writes its outputs; nothing else holds a
// reference.
type Values struct {
	Reals    []float64
	Integers []int32
	Booleans []bool
	Strings  []string
	Binaries [][]byte // the next Set overwrites the bytes of an input

	// The number types that FMI 2.0 does not have.
	Float32s []float32
	Int8s    []int8
	UInt8s   []uint8
	Int16s   []int16
	UInt16s  []uint16
	UInt32s  []uint32
	Int64s   []int64
	UInt64s  []uint64

	Clocks []bool // FMI 3.0: true if active

	lent     []uint64 // addresses of the Binaries that the model has published, 0 for others
	adopted  []uint64 // addresses of the inputs that the environment has put there
	rooms    []room   // addresses where it may put the next ones
	watchers []Watcher
	watched  perType[[][]Watcher] // by Index; may be shorter than the list of variables
	integers []integerWatch
}

// integerWatch is what one call of Watch has registered for integers.
type integerWatch struct {
	watcher   Watcher
	variables []Index
	summary   uint32 // of the variables, see Instance.IntegersSet
}

// Publish makes data the value of a Binary variable without copying it. The bytes are at address in
// the [Memory] of the host, where the environment reads them until the next call of the instance
// that changes them. The value is not part of saved states: the model publishes it again when a
// state is restored.
func (v *Values) Publish(at Index, data []byte, address uint64) {
	v.Binaries[at], v.lent[at], v.adopted[at] = data, address, 0
}

// Published returns the address of the value of a Binary variable if the model has published it,
// and 0 otherwise.
func (v *Values) Published(at Index) uint64 { return v.lent[at] }

// Watcher observes accesses of the environment to variables. Package osmp registers one for each
// binary variable that is passed as an address. An address is valid for a limited time after it was
// set, even if it is set to the same value again.
type Watcher interface {
	// VariableSet is called once or more for each call that sets watched variables.
	VariableSet()

	// MemoryReleased is called when fmi2DoStep has returned, even with an error, and when the
	// instance has failed: from then on the environment may release the memory that it has lent to
	// the instance.
	MemoryReleased()
}

// Watch registers a watcher of variables of one type, for the lifetime of the instance. A model
// registers its watchers in its constructor.
func (v *Values) Watch(w Watcher, t fmi.Type, variables ...Index) {
	watched := v.watched.of(t)
	for _, at := range variables {
		for len(*watched) <= int(at) {
			*watched = append(*watched, nil)
		}
		(*watched)[at] = append((*watched)[at], w)
	}
	if t == fmi.Integer {
		v.watchIntegers(w, variables)
	}
	if !slices.Contains(v.watchers, w) {
		v.watchers = append(v.watchers, w)
	}
}

// notify calls the watchers of the variables that have been set.
func (v *Values) notify(t fmi.Type, known []*Variable, refs []fmi.ValueReference) {
	watched := *v.watched.of(t)
	if watched == nil {
		return
	}
	for _, ref := range refs {
		if at := known[ref].Index; int(at) < len(watched) {
			for _, w := range watched[at] {
				w.VariableSet()
			}
		}
	}
}

func (v *Values) watchIntegers(w Watcher, variables []Index) {
	watch := integerWatch{watcher: w, variables: slices.Clone(variables)}
	for _, at := range variables {
		watch.summary |= 1 << (at % 32)
	}
	v.integers = append(v.integers, watch)
}

// notifyOfIntegers does the work of Instance.IntegersSet.
func (v *Values) notifyOfIntegers(marks []bool, summary uint32) {
	for k := range v.integers {
		if w := &v.integers[k]; w.summary&summary != 0 && w.marked(marks) {
			w.watcher.VariableSet()
		}
	}
	clear(marks)
}

func (w *integerWatch) marked(marks []bool) bool {
	for _, at := range w.variables {
		if int(at) < len(marks) && marks[at] {
			return true
		}
	}
	return false
}

func (v *Values) releaseMemory() {
	for _, w := range v.watchers {
		w.MemoryReleased()
	}
}

// NewValues returns the start values of a table.
func NewValues(t *Variables) *Values { return newValues(t, nil) }

// elements returns the number of values that a variable has at present.
func (v *Values) elements(x *Variable) int {
	if x.size == nil {
		return x.Elements()
	}
	return int(v.UInt64s[x.size.Index])
}

// newValues stores integer values in integers, unless it is nil.
func newValues(t *Variables, integers []int32) *Values {
	if integers == nil {
		integers = make([]int32, t.Cells(fmi.Integer))
	}
	v := &Values{
		Reals:    make([]float64, t.Cells(fmi.Real)),
		Integers: integers,
		Booleans: make([]bool, t.Cells(fmi.Boolean)),
		Strings:  make([]string, t.Cells(fmi.String)),
		Binaries: make([][]byte, t.Cells(fmi.Binary)),
		lent:     make([]uint64, t.Cells(fmi.Binary)),
		adopted:  make([]uint64, t.Cells(fmi.Binary)),
		rooms:    make([]room, t.Cells(fmi.Binary)),
	}
	v.makeSized(t)
	v.reset(t)
	return v
}

// makeSized allocates the values of number types that FMI 2.0 does not have.
func (v *Values) makeSized(t *Variables) {
	v.Float32s = make([]float32, t.Cells(fmi.Float32))
	v.Int8s, v.UInt8s = make([]int8, t.Cells(fmi.Int8)), make([]uint8, t.Cells(fmi.UInt8))
	v.Int16s, v.UInt16s = make([]int16, t.Cells(fmi.Int16)), make([]uint16, t.Cells(fmi.UInt16))
	v.UInt32s, v.Int64s = make([]uint32, t.Cells(fmi.UInt32)), make([]int64, t.Cells(fmi.Int64))
	v.UInt64s = make([]uint64, t.Cells(fmi.UInt64))
	v.Clocks = make([]bool, t.Cells(fmi.Clock))
}

// reset returns every variable to its start value; a calculated one is zero until it is computed.
func (v *Values) reset(t *Variables) {
	start(v.Reals, t.OfType(fmi.Real))
	start(v.Integers, t.OfType(fmi.Integer))
	start(v.Booleans, t.OfType(fmi.Boolean))
	start(v.Strings, t.OfType(fmi.String))
	for _, x := range t.OfType(fmi.Binary) {
		data, _ := x.Start.([]byte)
		for k := range x.Elements() {
			v.Publish(x.Index+Index(k), slices.Clone(data), 0)
		}
	}
	start(v.Float32s, t.OfType(fmi.Float32))
	start(v.Int8s, t.OfType(fmi.Int8))
	start(v.UInt8s, t.OfType(fmi.UInt8))
	start(v.Int16s, t.OfType(fmi.Int16))
	start(v.UInt16s, t.OfType(fmi.UInt16))
	start(v.UInt32s, t.OfType(fmi.UInt32))
	start(v.Int64s, t.OfType(fmi.Int64))
	start(v.UInt64s, t.OfType(fmi.UInt64))
	clear(v.Clocks)
}

// start sets the values of variables of one type.
func start[T any](to []T, variables []*Variable) {
	for _, x := range variables {
		value, _ := x.Start.(T)
		for k := range x.Elements() {
			to[int(x.Index)+k] = value
		}
	}
}
