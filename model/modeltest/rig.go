// Package modeltest runs a model in a Go test the way a host would, without C and without packing
// it:
//
//	rig := modeltest.New(t, definition)
//	rig.Set("visibility", 120.0)
//	rig.Start()
//	rig.Write("OSMPSensorViewIn", bytes)
//	rig.Step(0.02)
//	seen := rig.Read("OSMPSensorViewOut")
//
// The host is strict. Its buffers become invalid after a step returns, so a model that keeps data
// it read fails the test. Addresses use both halves. Data published by the FMU must stay unchanged
// until the end of the second step after that.
//
// A definition is run as an FMU of its version of FMI: Host.Instantiate(t, d.FMU().Twin()) creates
// an FMI 3.0 instance. The methods of a rig are the same for both versions.
package modeltest

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/model"
	"gosmp/osmp"
)

// T is the part of a test that a rig uses. *testing.T, *testing.B, *testing.F and the T of property
// tests implement it.
type T interface {
	Helper()
	Cleanup(func())
	Errorf(format string, arguments ...any)
	Fatalf(format string, arguments ...any)
	Fatal(arguments ...any)
}

// Rig is one instance of a model and its host. Every error fails the test, except in the methods
// that return a status.
type Rig struct {
	t         T
	variables *fmu.Variables
	instance  *fmu.Instance
	memory    Memory
	log       mock.Log
	now       float64
	given     []uint64    // addresses of the bytes written for the next step
	fixed     []uint64    // addresses of the bytes written for the initialization
	promised  []published // by the two newest steps
}

// Memory is an address space: operations that an instance requests from its host, and operations of
// the host itself.
type Memory interface {
	fmu.Memory

	// Provide puts a copy of data into a buffer of the host and returns its address.
	Provide(data []byte) (address uint64)

	// Protect makes a buffer of the host unreadable: after that, using it is a fault.
	Protect(address uint64)

	// Read returns the n bytes at address, which belong to the host or to an instance.
	Read(address uint64, n int) ([]byte, error)

	// Faults returns the faults of instances, or nil if there are none.
	Faults() error
}

// Host is the environment of an instance. The zero value is the host of [New].
type Host struct {
	Resources  string            // folder of resources; empty for none
	LoggingOff bool              // the argument loggingOn of fmi2Instantiate is false
	Options3   fmu.Options3      // of FMI 3.0: Event Mode, early return, intermediate updates
	Memory     Memory            // shared with other instances; nil for a memory of its own
	Deliver    func(fmu.Message) // also receives each log line, if not nil
}

// New instantiates a model, with a resources folder if one is given.
func New(t T, d model.Definition, resources ...string) *Rig {
	t.Helper()
	var h Host
	if len(resources) > 0 {
		h.Resources = resources[0]
	}
	return h.Instantiate(t, d.FMU())
}

// Instantiate creates an instance of an FMU on this host.
func (h Host) Instantiate(t T, d *fmu.Definition) *Rig {
	t.Helper()
	if err := d.Check(); err != nil {
		t.Fatalf("definition of %s:\n%v", d.ModelIdentifier, err)
	}
	r := &Rig{t: t, variables: &d.Variables, memory: h.Memory}
	if r.memory == nil {
		r.memory = mock.NewMemory()
	}
	deliver := func(m fmu.Message) {
		r.log.Deliver(m)
		if h.Deliver != nil {
			h.Deliver(m)
		}
	}
	var err error
	if r.instance, err = fmu.Instantiate(d, fmu.Config{
		Version: d.Standard(), InstanceName: d.ModelIdentifier, Resources: h.Resources,
		LoggingOn: !h.LoggingOff, Deliver: deliver, Memory: r.memory, Options3: h.Options3,
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.instance.Free()
		if err := r.memory.Faults(); err != nil {
			t.Errorf("memory: %v", err)
		}
	})
	return r
}

// Instance returns the instance itself, for calls that this package does not wrap.
func (r *Rig) Instance() *fmu.Instance { return r.instance }

// Log returns the lines logged since its last call.
func (r *Rig) Log() (lines []string) {
	for _, m := range r.log.Drain() {
		lines = append(lines, m.Text)
	}
	return lines
}

// must fails the test if a call did not succeed.
func (r *Rig) must(s fmi.Status, call string) {
	r.t.Helper()
	if s > fmi.Warning {
		r.t.Fatalf("%s: %v\n%v", call, s, r.Log())
	}
}

func (r *Rig) references(v *fmu.Variable) []fmi.ValueReference {
	return []fmi.ValueReference{v.Reference(r.instance.Version())}
}

func (r *Rig) named(name string) *fmu.Variable {
	r.t.Helper()
	v := r.variables.Named(name)
	if v == nil {
		r.t.Fatalf("there is no variable %q", name)
	}
	return v
}

// Set sets a plain variable to a float64, an int or int32, a bool, a string or another type of
// [model.Scalar], according to its type; an array to a slice. An enumeration is an int32.
func (r *Rig) Set(name string, value any) {
	r.t.Helper()
	r.must(r.TrySet(name, value), fmt.Sprintf("set %s to %v", name, value))
}

// TrySet is like Set, for values that may be rejected.
func (r *Rig) TrySet(name string, value any) fmi.Status {
	r.t.Helper()
	v := r.named(name)
	refs := r.references(v)
	if n, ok := value.(int); ok && (v.Type == fmi.Integer || v.Type == fmi.Enumeration) {
		value = int32(n)
	}
	if n, ok := value.(int); ok && v.Type == fmi.Real {
		value = float64(n)
	}
	if status, is := r.set(v, refs, value); is {
		return status
	}
	r.t.Fatalf("%s is of type %v, and %v is of type %T", name, v.Type, value, value)
	return fmi.Error
}

// Get returns the value of a plain variable: a float64, int32, bool, string or another type of
// [model.Scalar]; an int32 for an enumeration.
func (r *Rig) Get(name string) any {
	r.t.Helper()
	value, status := r.TryGet(name)
	r.must(status, "get "+name)
	return value
}

// TryGet is like Get, for variables that may not be readable.
func (r *Rig) TryGet(name string) (value any, status fmi.Status) {
	r.t.Helper()
	v := r.named(name)
	refs := r.references(v)
	return r.get(v, refs)
}

// Write sets a notional binary variable, given by its prefix, to bytes or to a message: an input
// for the next step only, a parameter for the initialization. Empty bytes are "no data".
func (r *Rig) Write(prefix string, value any) {
	r.t.Helper()
	data, ok := value.([]byte)
	if m, is := value.(proto.Message); is {
		var err error
		if data, err = proto.Marshal(m); err != nil {
			r.t.Fatalf("%s: %v", prefix, err)
		}
		ok = true
	}
	if !ok {
		r.t.Fatalf("%s: %T, expected bytes or a message", prefix, value)
	}
	if v := r.variables.Named(prefix); v != nil && v.Type == fmi.Binary {
		r.must(r.instance.SetBinary(r.references(v), [][]byte{data}), "set "+prefix)
		return
	}
	var address uint64
	if len(data) > 0 {
		address = r.memory.Provide(data)
		list := &r.given
		if r.named(prefix+".size").Causality == fmi.Parameter {
			list = &r.fixed
		}
		*list = append(*list, address)
	}
	r.must(r.TryPoint(prefix, address, int32(len(data))), "set "+prefix)
}

// TryPoint sets the three integers of a notional binary variable to any address and size, and
// returns the status. The rig does not invalidate such a buffer afterwards.
func (r *Rig) TryPoint(prefix string, address uint64, size int32) fmi.Status {
	r.t.Helper()
	lo, hi := osmp.SplitAddress(address)
	return r.instance.SetInteger(r.References(prefix), []int32{lo, hi, size})
}

// Pointer returns address and size from the three integers of a notional binary variable.
func (r *Rig) Pointer(prefix string) (address uint64, size int32) {
	r.t.Helper()
	var v [3]int32
	r.must(r.instance.GetInteger(r.References(prefix), v[:]), "get "+prefix)
	return osmp.JoinAddress(v[0], v[1]), v[2]
}

// References returns the references of the base.lo, base.hi and size of a notional binary variable.
func (r *Rig) References(prefix string) (refs []fmi.ValueReference) {
	r.t.Helper()
	for _, role := range []string{".base.lo", ".base.hi", ".size"} {
		refs = append(refs, r.references(r.named(prefix+role))...)
	}
	return refs
}

// Read returns the content of a notional binary variable, or nil if it has none. The bytes belong
// to the FMU.
func (r *Rig) Read(prefix string) []byte {
	r.t.Helper()
	_, data := r.read(prefix)
	return data
}

func (r *Rig) read(prefix string) (address uint64, data []byte) {
	r.t.Helper()
	if v := r.variables.Named(prefix); v != nil && v.Type == fmi.Binary {
		var value [1][]byte
		r.must(r.instance.GetBinary(r.references(v), value[:]), "get "+prefix)
		if len(value[0]) == 0 {
			return 0, nil
		}
		return r.instance.PublishedBinary(v.Reference(fmi.FMI3)), value[0]
	}
	address, size := r.Pointer(prefix)
	if (address == 0) != (size == 0) {
		r.t.Fatalf("%s: address %#x and size %d contradict each other", prefix, address, size)
	}
	if size == 0 {
		return 0, nil
	}
	data, err := r.memory.Read(address, int(size))
	if err != nil {
		r.t.Fatalf("%s: %v", prefix, err)
	}
	return address, data
}

// Decode reads a notional binary variable into m and reports whether there was data.
func (r *Rig) Decode(prefix string, m proto.Message) bool {
	r.t.Helper()
	data := r.Read(prefix)
	if err := proto.Unmarshal(data, m); err != nil {
		r.t.Fatalf("%s: %v", prefix, err)
	}
	return data != nil
}
