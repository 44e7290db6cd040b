//go:build amd64

package worker

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// instance is an FMU in a slot. It includes everything whose address the FMU may retain.
type instance struct {
	process   *Process
	slot      int
	major     int
	library   library
	functions map[string]uintptr
	component uintptr
	number    uintptr // the environment of its log messages
	texts     [3][]byte
	callbacks [5]uintptr // fmi2CallbackFunctions
	states    [MaxStates]uintptr
	out       [6]uint64 // where functions store their results
	saved     []byte    // a serialized state
}

// The functions without which a library cannot be used.
var needed = map[bool][]string{
	false: {"fmi2GetVersion", "fmi2Instantiate", "fmi2FreeInstance", "fmi2SetupExperiment",
		"fmi2EnterInitializationMode",
		"fmi2ExitInitializationMode", "fmi2Terminate", "fmi2DoStep"},
	true: {"fmi3GetVersion", "fmi3InstantiateCoSimulation", "fmi3FreeInstance",
		"fmi3EnterInitializationMode",
		"fmi3ExitInitializationMode", "fmi3Terminate", "fmi3DoStep"},
}

// execute runs a command in the thread of the process.
func (p *Process) execute(o Operation, a *Arguments) {
	p.reply = Reply{Group: -1}
	p.before = place{slot: a.Slot, group: -1}
	if a.Slot < 0 || a.Slot >= MaxInstances {
		p.fail(StatusMisuse, "", fmt.Sprintf("slot %d", a.Slot))
		return
	}
	if o == Load {
		p.load(a)
		return
	}
	i := p.slots[a.Slot]
	if i == nil || i.component == 0 && o != Instantiate && o != Free {
		p.fail(StatusMisuse, "", fmt.Sprintf("operation %d without an instance", o))
		return
	}
	i.execute(o, a)
}

func (i *instance) execute(o Operation, a *Arguments) {
	switch o {
	case Instantiate:
		i.instantiate(a)
	case Configure:
		i.inOrder(func() int { return i.call("fmi3EnterConfigurationMode") },
			func() int { return i.set(a.In) },
			func() int { return i.call("fmi3ExitConfigurationMode") })
	case Set:
		i.set(a.In)
	case Get:
		i.get(a.Out, a.Flags)
	case Exchange:
		i.inOrder(func() int { return i.set(a.In) }, func() int { return i.get(a.Out, a.Flags) })
	case Initialize:
		i.initialize(a)
	case LeaveInitialization:
		i.leaveInitialization(a)
	case Step:
		i.step(a)
	case Event:
		i.inOrder(func() int { return i.call("fmi3EnterEventMode") },
			func() int { return i.set(a.In) }, i.settle,
			func() int { return i.get(a.Out, a.Flags) }, i.enterStepMode)
	case EnterEvent:
		i.inOrder(func() int { return i.call("fmi3EnterEventMode") },
			func() int { return i.set(a.In) },
			func() int { return i.get(a.Out, a.Flags) })
	case Update:
		i.update()
	case EnterStep:
		i.inOrder(func() int { return i.get(a.Out, a.Flags) },
			func() int { return i.call("fmi3EnterStepMode") })
	case Terminate:
		i.call(i.either("fmi2Terminate", "fmi3Terminate"))
	case Reset:
		i.call(i.either("fmi2Reset", "fmi3Reset"))
	case Free:
		i.free()
	case SetLogging:
		i.setLogging(a)
	case SaveState, RestoreState, ForgetState, SerializeState, DeserializeState:
		i.state(o, a)
	default:
		i.process.fail(StatusMisuse, "", fmt.Sprintf("operation %d", o))
	}
}

// inOrder makes calls in order until one returns a status worse than Warning.
func (i *instance) inOrder(calls ...func() int) (status int) {
	for _, call := range calls {
		if status = call(); status > 1 {
			break
		}
	}
	return status
}

func (i *instance) either(fmi2, fmi3 string) string {
	if i.major < 3 {
		return fmi2
	}
	return fmi3
}

func flag(a *Arguments, f uint32) uintptr {
	if a.Flags&f != 0 {
		return 1
	}
	return 0
}

func double(v float64) uintptr { return uintptr(math.Float64bits(v)) }

func (i *instance) instantiate(a *Arguments) {
	texts := append(a.Texts[:len(a.Texts):len(a.Texts)], "", "", "")
	var at [3]uintptr
	for k := range i.texts {
		i.texts[k] = append([]byte(texts[k]), 0)
		at[k] = address0(i.texts[k])
	}
	if texts[2] == "" {
		at[2] = 0
	}
	register(i)
	name := i.either("fmi2Instantiate", "fmi3InstantiateCoSimulation")
	f := i.function(name)
	if f == 0 {
		return
	}
	i.process.begin(name)
	if i.major < 3 {
		i.callbacks = [5]uintptr{logger2, allocate, release, 0, i.number}
		i.component = invoke(f, at[0], 1, at[1], at[2], address0(i.callbacks[:]), flag(a, Visible),
			flag(a, LoggingOn))
	} else {
		i.component = invoke(f, at[0], at[1], at[2], flag(a, Visible), flag(a, LoggingOn),
			flag(a, EventMode),
			flag(a, EarlyReturn), 0, 0, i.number, logger3, 0)
	}
	i.process.status(name, 0)
	i.process.reply.Address = uint64(i.component)
	if i.component == 0 {
		i.process.fail(StatusNull, name, "")
	}
}

func (i *instance) initialize(a *Arguments) {
	tolerance, stop := flag(a, HasTolerance), flag(a, HasStopTime)
	enter := func() int { return i.call("fmi2EnterInitializationMode") }
	setup := func() int {
		return i.call("fmi2SetupExperiment", tolerance, double(a.Tolerance), double(a.Time), stop,
			double(a.Stop))
	}
	if i.major >= 3 {
		enter = func() int { return 0 }
		setup = func() int {
			return i.call("fmi3EnterInitializationMode", tolerance, double(a.Tolerance),
				double(a.Time), stop,
				double(a.Stop))
		}
	}
	i.inOrder(func() int { return i.set(a.In) }, setup, enter)
}

func (i *instance) leaveInitialization(a *Arguments) {
	status := i.call(i.either("fmi2ExitInitializationMode", "fmi3ExitInitializationMode"))
	if status <= 1 && a.Flags&EventMode != 0 {
		status = i.inOrder(i.settle, i.enterStepMode)
	}
	if status <= 1 {
		i.get(a.Out, a.Flags)
	}
}

// enterStepMode leaves Event Mode unless the FMU has requested to terminate.
func (i *instance) enterStepMode() int {
	if i.process.reply.Terminate {
		return 0
	}
	return i.call("fmi3EnterStepMode")
}

// returned returns the address at which a function stores its k-th result.
func (i *instance) returned(k int) uintptr { return address0(i.out[k:]) }

// boolean returns a C bool returned by a function.
func (i *instance) boolean(k int) bool { return byte(i.out[k]) != 0 }

// update calls UpdateDiscreteStates once.
func (i *instance) update() int {
	clear(i.out[:])
	status := i.call("fmi3UpdateDiscreteStates", i.returned(0), i.returned(1), i.returned(2),
		i.returned(3),
		i.returned(4), i.returned(5))
	if r := &i.process.reply; status <= 1 {
		r.More, r.Terminate, r.NextEvent = i.boolean(0), i.boolean(1), i.boolean(4)
		r.NextTime = math.Float64frombits(i.out[5])
	}
	return status
}

// settle updates the discrete states until they are settled.
func (i *instance) settle() int {
	const rounds = 1000
	worst := 0
	for range rounds {
		status := i.update()
		worst = max(worst, status)
		if status > 1 || !i.process.reply.More || i.process.reply.Terminate {
			return worst
		}
	}
	return i.process.fail(StatusUnsettled, "fmi3UpdateDiscreteStates", fmt.Sprintf("%d rounds",
		rounds))
}

func (i *instance) step(a *Arguments) {
	if i.set(a.In) > 1 {
		return
	}
	forget := 1 - flag(a, KeepState)
	clear(i.out[:])
	var status int
	if i.major < 3 {
		status = i.step2(a, forget)
	} else {
		i.out[3] = math.Float64bits(a.Time + a.Step)
		status = i.call("fmi3DoStep", double(a.Time), double(a.Step), forget, i.returned(0),
			i.returned(1),
			i.returned(2), i.returned(3))
		r := &i.process.reply
		r.EventNeeded, r.Terminate, r.Early = i.boolean(0), i.boolean(1), i.boolean(2)
		r.LastTime = math.Float64frombits(i.out[3])
	}
	if status <= 1 {
		i.get(a.Out, a.Flags)
	}
}

// step2 takes an FMI 2.0 step, which may be pending for some time.
func (i *instance) step2(a *Arguments, forget uintptr) int {
	const name = "fmi2DoStep"
	f := i.function(name)
	if f == 0 {
		return StatusMissing
	}
	i.process.begin(name)
	status := int32(invoke(f, i.component, double(a.Time), double(a.Step), forget))
	if status == pending && a.Flags&Asynchronous != 0 {
		status = i.await()
	}
	if i.process.status(name, status) == discard {
		i.ask()
	}
	return int(status)
}

const (
	discard = 2
	pending = 5
)

// The kinds of status in FMI 2.0 (fmi2StatusKind).
const (
	doStepStatus = iota
	_
	lastSuccessfulTime
	terminated
)

// await polls an asynchronous step.
func (i *instance) await() int32 {
	f := i.function("fmi2GetStatus")
	if f == 0 {
		return 3
	}
	for i.out[0] = pending; int32(i.out[0]) == pending; {
		time.Sleep(100 * time.Microsecond)
		if int32(invoke(f, i.component, doStepStatus, i.returned(0))) > 1 {
			return 3
		}
	}
	return int32(i.out[0])
}

// ask queries how far a discarded step advanced. The FMU may refuse these queries, which is not a
// failure.
func (i *instance) ask() {
	r := &i.process.reply
	before := *r
	clear(i.out[:])
	answered := uint32(0)
	if i.call("fmi2GetBooleanStatus", terminated, i.returned(0)) <= 1 {
		answered |= 1
	}
	if i.call("fmi2GetRealStatus", lastSuccessfulTime, i.returned(1)) <= 1 {
		answered |= 2
	}
	*r = before
	r.Answered, r.Terminate, r.LastTime = answered, int32(i.out[0]) != 0,
		math.Float64frombits(i.out[1])
}

// free frees the instance. The library stays loaded: registered pointers may refer to it.
func (i *instance) free() {
	name := i.either("fmi2FreeInstance", "fmi3FreeInstance")
	if f := i.function(name); i.component != 0 && f != 0 {
		i.process.begin(name)
		invoke(f, i.component)
		i.process.status(name, 0)
	}
	i.component = 0
}

func (i *instance) setLogging(a *Arguments) {
	var list []byte
	if len(a.Texts) > 0 {
		list = append([]byte(a.Texts[0]), 0)
	}
	categories := make([]uintptr, 0, a.Count+1)
	for at := 0; len(categories) < a.Count; at += strings.IndexByte(string(list[at:]), 0) + 1 {
		categories = append(categories, address0(list[at:]))
	}
	i.call(i.either("fmi2SetDebugLogging", "fmi3SetDebugLogging"), flag(a, LoggingOn),
		uintptr(a.Count),
		address0(categories))
}

// state saves and restores FMU states.
func (i *instance) state(o Operation, a *Arguments) {
	if a.State < 0 || a.State >= MaxStates || o != SaveState && o != DeserializeState &&
		i.states[a.State] == 0 {
		i.process.fail(StatusMisuse, "", fmt.Sprintf("state %d", a.State))
		return
	}
	place := address0(i.states[a.State:])
	switch o {
	case SaveState:
		i.call(i.either("fmi2GetFMUstate", "fmi3GetFMUState"), place)
	case RestoreState:
		i.call(i.either("fmi2SetFMUstate", "fmi3SetFMUState"), i.states[a.State])
	case ForgetState:
		i.call(i.either("fmi2FreeFMUstate", "fmi3FreeFMUState"), place)
	case SerializeState:
		i.serialize(i.states[a.State])
	case DeserializeState:
		i.saved = append(i.saved[:0], a.Blob...)
		i.call(i.either("fmi2DeSerializeFMUstate", "fmi3DeserializeFMUState"), address0(i.saved),
			uintptr(len(i.saved)), place)
	}
}

func (i *instance) serialize(state uintptr) {
	clear(i.out[:])
	if i.call(i.either("fmi2SerializedFMUstateSize", "fmi3SerializedFMUStateSize"), state,
		i.returned(0)) > 1 {
		return
	}
	i.saved = make([]byte, i.out[0], i.out[0]+1)
	if i.call(i.either("fmi2SerializeFMUstate", "fmi3SerializeFMUState"), state, address0(i.saved),
		uintptr(len(i.saved))) <= 1 {
		i.process.reply.Blob = i.saved
	}
}
