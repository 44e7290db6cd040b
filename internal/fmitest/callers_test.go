package fmitest_test

import (
	"bytes"
	"math"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/fmitest"
)

// calls maps the arguments in the table to a call of one function.
type calls map[string]func(*probe) any

// caller finds the call of a row.
func caller(r row) func(*probe) any {
	if found := callers[r.function][r.arguments]; found != nil {
		return found
	}
	stranger := strangers[r.arguments]
	if stranger == nil {
		return nil
	}
	return func(p *probe) any {
		p.component = stranger(p)
		for _, good := range []string{"good", "none", "all", "all on", "new", "input",
			"fmi2DoStepStatus", "fmi2PendingStatus",
			"fmi2Terminated", "fmi2LastSuccessfulTime"} {
			if call := callers[r.function][good]; call != nil {
				return withoutAnswer(call(p))
			}
		}
		return "no good call of " + r.function
	}
}

// withoutAnswer makes the result of fmi2FreeInstance, which returns no status, look like the
// results of the other functions.
func withoutAnswer(got any) any {
	if got == nil {
		return fmi.Error
	}
	return got
}

// withComponent lists the functions that take a component, in the order of the standard's header.
func withComponent() []string {
	var names []string
	for _, line := range strings.Split(cells, "\n") {
		name, _, _ := strings.Cut(line, " ")
		last := len(names) == 0 || names[len(names)-1] != name
		if last && callers[name] != nil && name != "fmi2Instantiate" && !strings.HasSuffix(name,
			"GetVersion") &&
			!strings.HasSuffix(name, "GetTypesPlatform") {
			names = append(names, name)
		}
	}
	return names
}

// strangers holds numbers that do not identify a component.
var strangers = map[string]func(*probe) fmitest.Component{
	"NULL component": func(*probe) fmitest.Component { return 0 },
	"stale component": func(p *probe) fmitest.Component {
		gone := p.host.Instantiate(fmitest.Usual("gone"))
		gone.Free()
		return gone
	},
	"foreign component":    func(p *probe) fmitest.Component { return p.c + 1<<19 },
	"a state as component": func(p *probe) fmitest.Component { return fmitest.Component(p.saved) },
}

const hugeN = uint(math.MaxUint)

func name(s string) []*string { return []*string{&s} }

// callers holds the calls of the table.
var callers = map[string]calls{
	"fmi2GetTypesPlatform": {"none": func(*probe) any { return fmitest.GetTypesPlatform() }},
	"fmi2GetVersion":       {"none": func(*probe) any { return fmitest.GetVersion() }},
	"fmi2SetDebugLogging": {
		"all on": func(p *probe) any {
			return p.component.SetDebugLogging(true, 0, []*string{})
		},
		"all off": func(p *probe) any {
			return p.component.SetDebugLogging(false, 0, nil)
		},
		"two categories": func(p *probe) any {
			return p.component.SetDebugLogging(true, 2, twoCategories())
		},
		"NULL array, n = 0": func(p *probe) any {
			return p.component.SetDebugLogging(true, 0, nil)
		},
		"NULL array, n = 2": func(p *probe) any {
			return p.component.SetDebugLogging(true, 2, nil)
		},
		"NULL category": func(p *probe) any {
			return p.component.SetDebugLogging(true, 1, []*string{nil})
		},
		"unknown category": func(p *probe) any {
			return p.component.SetDebugLogging(true, 1, name("logWeather"))
		},
		"huge n": func(p *probe) any {
			return p.component.SetDebugLogging(true, hugeN, twoCategories())
		},
	},
	"fmi2Instantiate": {
		"good": instantiate(func(*fmitest.Arguments) {}),
		"guid in braces and capitals": instantiate(func(a *fmitest.Arguments) {
			a.GUID = name("{" + strings.ToUpper(fmitest.GUID) + "}")[0]
		}),
		"wrong guid": instantiate(func(a *fmitest.Arguments) {
			a.GUID = name("0f5a1c2d")[0]
		}),
		"NULL guid": instantiate(func(a *fmitest.Arguments) { a.GUID = nil }),
		"model exchange": instantiate(func(a *fmitest.Arguments) {
			a.ModelExchange = true
		}),
		"NULL name":  instantiate(func(a *fmitest.Arguments) { a.Name = nil }),
		"empty name": instantiate(func(a *fmitest.Arguments) { a.Name = name("")[0] }),
		"NULL callbacks": instantiate(func(a *fmitest.Arguments) {
			a.WithoutCallbacks = true
		}),
		"NULL logger": instantiate(func(a *fmitest.Arguments) {
			a.WithoutLogger = true
		}),
		"logging off":            instantiate(func(a *fmitest.Arguments) { a.LoggingOn = false }),
		"NULL resource location": instantiate(func(a *fmitest.Arguments) { a.Resources = nil }),
		"percent-encoded resources": instantiate(func(a *fmitest.Arguments) {
			a.Resources = name("file:///tmp/%C3%A4%20b/resources")[0]
		}),
		"broken escape in resources": instantiate(func(a *fmitest.Arguments) {
			a.Resources = name("file:///tmp/100%/resources")[0]
		}),
		"resources of another scheme": instantiate(func(a *fmitest.Arguments) {
			a.Resources = name("https://example.com/r")[0]
		}),
		"model panics": instantiatePanics,
	},
	"fmi2FreeInstance": {"good": func(p *probe) any {
		p.component.Free()
		return nil
	}},
	"fmi2SetupExperiment": {
		"good": func(p *probe) any {
			return p.component.SetupExperiment(0, nil)
		},
		"with stop time":                 setup(0, 10),
		"negative start":                 setup(-5, -1),
		"start NaN":                      setup(math.NaN(), 1),
		"start infinite":                 setup(math.Inf(-1), 1),
		"stop NaN":                       setup(0, math.NaN()),
		"stop infinite: there is no end": setup(0, math.Inf(1)),
		"stop before start":              setup(0, -1),
	},
	"fmi2EnterInitializationMode": {"none": func(p *probe) any {
		return p.component.EnterInitializationMode()
	}},
	"fmi2ExitInitializationMode": {
		"none": func(p *probe) any { return p.component.ExitInitializationMode() },
		"model warns": behaving(fmitest.InitializeWarns,
			fmitest.Component.ExitInitializationMode),
		"model discards": behaving(fmitest.InitializeDiscards,
			fmitest.Component.ExitInitializationMode),
		"model fails": behaving(fmitest.InitializeFails,
			fmitest.Component.ExitInitializationMode),
		"model panics": behaving(fmitest.InitializePanics,
			fmitest.Component.ExitInitializationMode),
	},
	"fmi2Terminate": {"none": func(p *probe) any { return p.component.Terminate() }},
	"fmi2Reset": {
		"none":         func(p *probe) any { return p.component.Reset() },
		"model panics": behaving(fmitest.ResetPanics, fmitest.Component.Reset),
	},
	"fmi2GetReal": getters(6, fmitest.Component.GetReal, calls{
		"reference of another type": func(p *probe) any {
			return p.component.GetReal([]uint32{fmitest.IntegerSize}, 1, make([]float64, 1))
		},
		"model warns to initialize": behaving(fmitest.InitializeWarns, getReach),
		"model fails to initialize": behaving(fmitest.InitializeFails, getReach),
	}),
	"fmi2GetInteger": getters(11, fmitest.Component.GetInteger, nil),
	"fmi2GetBoolean": getters(3, fmitest.Component.GetBoolean, calls{
		"reference of another type": func(p *probe) any {
			return p.component.GetBoolean([]uint32{fmitest.RealReach}, 1, make([]int32, 1))
		},
	}),
	"fmi2GetString": getters(3, fmitest.Component.GetString, calls{
		"reference of another type": func(p *probe) any {
			return p.component.GetString([]uint32{fmitest.RealReach}, 1, make([]fmitest.Text, 1))
		},
	}),
	"fmi2SetReal": setters(fmitest.Component.SetReal, 6, 1, calls{
		"fixed parameter":           setReal(fmitest.RealGain, 3),
		"tunable parameter":         setReal(fmitest.RealTrim, 3),
		"input":                     setReal(fmitest.RealForce, 3),
		"calculated output":         setReal(fmitest.RealSpeed, 3),
		"constant":                  setReal(fmitest.RealGravity, 3),
		"calculated parameter":      setReal(fmitest.RealReach, 3),
		"above the maximum":         setReal(fmitest.RealGain, 10.5),
		"NaN":                       setReal(fmitest.RealTrim, math.NaN()),
		"infinite":                  setReal(fmitest.RealTrim, math.Inf(1)),
		"reference of another type": setReal(fmitest.IntegerSize, 3),
	}),
	"fmi2SetInteger": setters(fmitest.Component.SetInteger, 11, 1, calls{
		"fixed parameter":         setInteger(fmitest.IntegerOffset, 3),
		"tunable parameter":       setInteger(fmitest.IntegerSize, 3),
		"input":                   setInteger(fmitest.IntegerGear, 3),
		"output with start value": setInteger(fmitest.IntegerCount, 3),
		"above the maximum":       setInteger(fmitest.IntegerOffset, 6),
	}),
	"fmi2SetBoolean": setters(fmitest.Component.SetBoolean, 3, 1, calls{
		"fixed parameter":           setBoolean(fmitest.BooleanEnabled, 1),
		"input":                     setBoolean(fmitest.BooleanBrake, 1),
		"output with start value":   setBoolean(fmitest.BooleanValid, 1),
		"neither 0 nor 1":           setBoolean(fmitest.BooleanBrake, -7),
		"reference of another type": setBoolean(fmitest.RealReach, 1),
	}),
	"fmi2SetString": setters(fmitest.Component.SetString, 3, name("x")[0], calls{
		"tunable parameter":         setString(fmitest.StringBehaviour, name("")[0]),
		"input":                     setString(fmitest.StringNote, name("ünïcode")[0]),
		"calculated output":         setString(fmitest.StringText, name("x")[0]),
		"NULL string":               setString(fmitest.StringBehaviour, nil),
		"invalid UTF-8":             setString(fmitest.StringBehaviour, name("\xff\xfe")[0]),
		"reference of another type": setString(fmitest.RealReach, name("x")[0]),
	}),
	"fmi2GetFMUstate": {
		"new":                getState(func(*probe) fmitest.State { return 0 }),
		"into an old one":    getState(func(p *probe) fmitest.State { return p.saved }),
		"NULL place":         func(p *probe) any { return p.component.GetFMUstate(nil) },
		"into a stale one":   getState(func(p *probe) fmitest.State { return p.stale }),
		"into a foreign one": getState(foreignState),
		"model panics": behaving(fmitest.SavePanics, func(c fmitest.Component) fmi.Status {
			var s fmitest.State
			return c.GetFMUstate(&s)
		}),
	},
	"fmi2SetFMUstate": {
		"good":        func(p *probe) any { return p.component.SetFMUstate(p.saved) },
		"NULL":        func(p *probe) any { return p.component.SetFMUstate(0) },
		"stale":       func(p *probe) any { return p.component.SetFMUstate(p.stale) },
		"foreign":     func(p *probe) any { return p.component.SetFMUstate(foreignState(p)) },
		"a component": func(p *probe) any { return p.component.SetFMUstate(fmitest.State(p.c)) },
	},
	"fmi2FreeFMUstate": {
		"good":          freeState(func(p *probe) fmitest.State { return p.saved }),
		"place of NULL": freeState(func(*probe) fmitest.State { return 0 }),
		"NULL place":    func(p *probe) any { return p.component.FreeFMUstate(nil) },
		"stale":         freeState(func(p *probe) fmitest.State { return p.stale }),
		"foreign":       freeState(foreignState),
	},
	"fmi2SerializedFMUstateSize": {
		"good": stateSize(func(p *probe) fmitest.State { return p.saved }),
		"NULL place": func(p *probe) any {
			return p.component.SerializedFMUstateSize(p.saved, nil)
		},
		"NULL":    stateSize(func(*probe) fmitest.State { return 0 }),
		"stale":   stateSize(func(p *probe) fmitest.State { return p.stale }),
		"foreign": stateSize(foreignState),
	},
	"fmi2SerializeFMUstate": {
		"good": serialize(func(p *probe) fmitest.State { return p.saved }),
		"one byte short": func(p *probe) any {
			return p.component.SerializeFMUstate(p.saved, p.bytes[1:], uint(len(p.bytes)-1))
		},
		"NULL array, n = 0": func(p *probe) any {
			return p.component.SerializeFMUstate(p.saved, nil, 0)
		},
		"NULL array, n = 1": func(p *probe) any {
			return p.component.SerializeFMUstate(p.saved, nil, 1)
		},
		"NULL":    serialize(func(*probe) fmitest.State { return 0 }),
		"stale":   serialize(func(p *probe) fmitest.State { return p.stale }),
		"foreign": serialize(foreignState),
		"huge n": func(p *probe) any {
			return p.component.SerializeFMUstate(p.saved, p.bytes, hugeN)
		},
	},
	"fmi2DeSerializeFMUstate": {
		"good":           func(p *probe) any { return deserialize(p, p.bytes) },
		"one byte short": func(p *probe) any { return deserialize(p, p.bytes[:len(p.bytes)-1]) },
		"one bit changed": func(p *probe) any {
			changed := bytes.Clone(p.bytes)
			changed[len(changed)/2] ^= 4
			return deserialize(p, changed)
		},
		"NULL array, n = 0": func(p *probe) any {
			return p.component.DeSerializeFMUstate(nil, 0, new(fmitest.State))
		},
		"NULL array, n = 1": func(p *probe) any {
			return p.component.DeSerializeFMUstate(nil, 1, new(fmitest.State))
		},
		"NULL place": func(p *probe) any {
			return p.component.DeSerializeFMUstate(p.bytes, uint(len(p.bytes)), nil)
		},
		"huge n": func(p *probe) any {
			return p.component.DeSerializeFMUstate(p.bytes, hugeN, new(fmitest.State))
		},
	},
	"fmi2GetDirectionalDerivative": {
		"good":               directional([]uint32{fmitest.RealSpeed}, 1, []float64{1}),
		"NULL arrays, n = 0": directional(nil, 0, nil),
		"NULL arrays, n = 1": directional(nil, 1, nil),
	},
	"fmi2SetRealInputDerivatives": {
		"good": inputDerivatives([]uint32{fmitest.RealForce}, 1, []int32{1},
			[]float64{1}),
		"NULL arrays, n = 0": inputDerivatives(nil, 0, nil, nil),
		"NULL arrays, n = 1": inputDerivatives(nil, 1, nil, nil),
	},
	"fmi2GetRealOutputDerivatives": {
		"good": outputDerivatives([]uint32{fmitest.RealSpeed}, 1, []int32{1},
			make([]float64, 1)),
		"NULL arrays, n = 0":     outputDerivatives(nil, 0, nil, nil),
		"NULL references, n = 1": outputDerivatives(nil, 1, []int32{1}, make([]float64, 1)),
		"NULL orders, n = 1": outputDerivatives([]uint32{fmitest.RealSpeed}, 1, nil,
			make([]float64, 1)),
		"NULL values, n = 1": outputDerivatives([]uint32{fmitest.RealSpeed}, 1, []int32{1},
			nil),
		"order 0": outputDerivatives([]uint32{fmitest.RealSpeed}, 1, []int32{0},
			make([]float64, 1)),
		"no output": outputDerivatives([]uint32{fmitest.RealGain}, 1, []int32{1},
			make([]float64, 1)),
		"unknown reference": outputDerivatives([]uint32{6}, 1, []int32{1}, make([]float64, 1)),
		"huge n": outputDerivatives([]uint32{fmitest.RealSpeed}, hugeN, []int32{1},
			make([]float64, 1)),
	},
	"fmi2DoStep": {
		"good":                        step(0.5, 0.25),
		"to the stop time":            step(0.5, 0.5),
		"an ulp beyond the stop time": step(0.5, anUlpBeyond1-0.5),
		"10 us beyond the stop time":  step(0.5, 0.5+10e-6),
		"a step beyond the stop time": step(0.5, 1),
		"an ulp off in time":          step(anUlpAfter05, 0.25),
		"the same step again":         step(0, 0.5),
		"a gap in time":               step(0.75, 0.25),
		"time NaN":                    step(math.NaN(), 0.25),
		"time infinite":               step(math.Inf(1), 0.25),
		"step 0":                      step(0.5, 0),
		"step negative":               step(0.5, -0.25),
		"step NaN":                    step(0.5, math.NaN()),
		"step infinite":               step(0.5, math.Inf(1)),
		"step below the resolution":   step(0.5, 1e-10),
		"model warns":                 behaving(fmitest.StepWarns, goodStep),
		"model discards":              behaving(fmitest.StepDiscards, goodStep),
		"model fails":                 behaving(fmitest.StepFails, goodStep),
		"model panics":                behaving(fmitest.StepPanics, goodStep),
		"model follows nil":           behaving(fmitest.StepFollowsNil, goodStep),
	},
	"fmi2CancelStep": {"none": func(p *probe) any { return p.component.CancelStep() }},
	"fmi2GetStatus": {
		"fmi2DoStepStatus": func(p *probe) any {
			return p.component.GetStatus(fmu.DoStepStatus, new(fmi.Status))
		},
		"fmi2PendingStatus": func(p *probe) any {
			return p.component.GetStatus(fmu.PendingStatus, new(fmi.Status))
		},
		"NULL place": func(p *probe) any {
			return p.component.GetStatus(fmu.DoStepStatus, nil)
		},
		"unknown kind": func(p *probe) any {
			return p.component.GetStatus(4, new(fmi.Status))
		},
	},
	"fmi2GetRealStatus": {
		"fmi2LastSuccessfulTime": func(p *probe) any {
			return p.component.GetRealStatus(fmu.LastSuccessfulTime, new(float64))
		},
		"fmi2Terminated": func(p *probe) any {
			return p.component.GetRealStatus(fmu.TerminatedStatus, new(float64))
		},
		"NULL place": func(p *probe) any {
			return p.component.GetRealStatus(fmu.LastSuccessfulTime, nil)
		},
		"unknown kind": func(p *probe) any {
			return p.component.GetRealStatus(99, new(float64))
		},
	},
	"fmi2GetIntegerStatus": {
		"fmi2DoStepStatus": func(p *probe) any {
			return p.component.GetIntegerStatus(fmu.DoStepStatus, new(int32))
		},
		"NULL place": func(p *probe) any {
			return p.component.GetIntegerStatus(fmu.DoStepStatus, nil)
		},
		"unknown kind": func(p *probe) any {
			return p.component.GetIntegerStatus(4, new(int32))
		},
	},
	"fmi2GetBooleanStatus": {
		"fmi2Terminated": func(p *probe) any {
			return p.component.GetBooleanStatus(fmu.TerminatedStatus, new(int32))
		},
		"fmi2LastSuccessfulTime": func(p *probe) any {
			return p.component.GetBooleanStatus(fmu.LastSuccessfulTime, new(int32))
		},
		"NULL place": func(p *probe) any {
			return p.component.GetBooleanStatus(fmu.TerminatedStatus, nil)
		},
		"unknown kind": func(p *probe) any {
			return p.component.GetBooleanStatus(4, new(int32))
		},
	},
	"fmi2GetStringStatus": {
		"fmi2PendingStatus": func(p *probe) any {
			return p.component.GetStringStatus(fmu.PendingStatus, new(fmitest.Text))
		},
		"fmi2DoStepStatus": func(p *probe) any {
			return p.component.GetStringStatus(fmu.DoStepStatus, new(fmitest.Text))
		},
		"NULL place": func(p *probe) any {
			return p.component.GetStringStatus(fmu.PendingStatus, nil)
		},
		"unknown kind": func(p *probe) any {
			return p.component.GetStringStatus(4, new(fmitest.Text))
		},
	},
}

func twoCategories() []*string { return append(name("logStatusError"), name(fmitest.LogModel)...) }

// instantiate changes the usual arguments and calls fmi2Instantiate; the answer is nil for NULL.
func instantiate(change func(*fmitest.Arguments)) func(*probe) any {
	return func(p *probe) any {
		a := fmitest.Usual("newcomer")
		change(&a)
		if c := p.host.Instantiate(a); c != 0 {
			return c
		}
		return nil
	}
}

func instantiatePanics(p *probe) any {
	fmitest.PanicInNew(true)
	defer fmitest.PanicInNew(false)
	return instantiate(func(*fmitest.Arguments) {})(p)
}

// behaving sets the behavior of the model as far as the state allows, and then performs the call.
func behaving(behaviour string, call func(fmitest.Component) fmi.Status) func(*probe) any {
	return func(p *probe) any {
		if strings.ContainsAny(p.state, "IMC") {
			if status := p.behave(behaviour); status != fmi.OK {
				return status
			}
		}
		return call(p.component)
	}
}

func setup(start, stop float64) func(*probe) any {
	return func(p *probe) any { return p.component.SetupExperiment(start, &stop) }
}

func step(t, h float64) func(*probe) any {
	return func(p *probe) any { return p.component.DoStep(t, h) }
}

func getReach(c fmitest.Component) fmi.Status {
	return c.GetReal([]uint32{fmitest.RealReach}, 1, make([]float64, 1))
}

func goodStep(c fmitest.Component) fmi.Status { return c.DoStep(0.5, 0.25) }

// getters returns the calls shared by the four Get functions; its type has count variables.
func getters[T any](count int, get func(fmitest.Component, []uint32, uint, []T) fmi.Status,
	more calls) calls {
	c := common(count, get)
	c["all"] = func(p *probe) any {
		refs := make([]uint32, count)
		for k := range refs {
			refs[k] = uint32(k)
		}
		return get(p.component, refs, uint(count), make([]T, count))
	}
	for name, call := range more {
		c[name] = call
	}
	return c
}

// setters returns the calls shared by the four Set functions.
func setters[T any](set func(fmitest.Component, []uint32, uint, []T) fmi.Status, count int, value T,
	more calls) calls {
	c := common(count, func(c fmitest.Component, refs []uint32, n uint, values []T) fmi.Status {
		for k := range values {
			values[k] = value
		}
		return set(c, refs, n, values)
	})
	for name, call := range more {
		c[name] = call
	}
	return c
}

// common returns the calls shared by all eight functions.
func common[T any](count int, f func(fmitest.Component, []uint32, uint, []T) fmi.Status) calls {
	one := []uint32{0}
	return calls{
		"NULL arrays, n = 0": func(p *probe) any { return f(p.component, nil, 0, nil) },
		"NULL references, n = 1": func(p *probe) any {
			return f(p.component, nil, 1, make([]T, 1))
		},
		"NULL values, n = 1": func(p *probe) any { return f(p.component, one, 1, nil) },
		"unknown reference": func(p *probe) any {
			return f(p.component, []uint32{uint32(count)}, 1, make([]T, 1))
		},
		"largest reference": func(p *probe) any {
			return f(p.component, []uint32{math.MaxUint32}, 1, make([]T, 1))
		},
		"huge n": func(p *probe) any {
			return f(p.component, one, hugeN, make([]T, 1))
		},
	}
}

func setReal(ref uint32, x float64) func(*probe) any {
	return func(p *probe) any { return p.component.SetReal([]uint32{ref}, 1, []float64{x}) }
}

func setInteger(ref uint32, x int32) func(*probe) any {
	return func(p *probe) any { return p.component.SetInteger([]uint32{ref}, 1, []int32{x}) }
}

func setBoolean(ref uint32, x int32) func(*probe) any {
	return func(p *probe) any { return p.component.SetBoolean([]uint32{ref}, 1, []int32{x}) }
}

func setString(ref uint32, x *string) func(*probe) any {
	return func(p *probe) any { return p.component.SetString([]uint32{ref}, 1, []*string{x}) }
}

// foreignState returns a number that does not identify a state.
func foreignState(p *probe) fmitest.State { return p.saved + 1<<19 }

func getState(place func(*probe) fmitest.State) func(*probe) any {
	return func(p *probe) any {
		s := place(p)
		return p.component.GetFMUstate(&s)
	}
}

func freeState(place func(*probe) fmitest.State) func(*probe) any {
	return func(p *probe) any {
		s := place(p)
		return p.component.FreeFMUstate(&s)
	}
}

func stateSize(of func(*probe) fmitest.State) func(*probe) any {
	return func(p *probe) any { return p.component.SerializedFMUstateSize(of(p), new(uint)) }
}

func serialize(of func(*probe) fmitest.State) func(*probe) any {
	return func(p *probe) any {
		to := make([]byte, len(p.bytes))
		return p.component.SerializeFMUstate(of(p), to, uint(len(to)))
	}
}

func deserialize(p *probe, data []byte) any {
	return p.component.DeSerializeFMUstate(data, uint(len(data)), new(fmitest.State))
}

func directional(refs []uint32, n uint, values []float64) func(*probe) any {
	return func(p *probe) any {
		return p.component.GetDirectionalDerivative(refs, refs, n, values, values)
	}
}

func inputDerivatives(refs []uint32, n uint, orders []int32, values []float64) func(*probe) any {
	return func(p *probe) any {
		return p.component.SetRealInputDerivatives(refs, n, orders, values)
	}
}

func outputDerivatives(refs []uint32, n uint, orders []int32, values []float64) func(*probe) any {
	return func(p *probe) any {
		return p.component.GetRealOutputDerivatives(refs, n, orders, values)
	}
}
