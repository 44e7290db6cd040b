package modeltest_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// witness is the testing.TB of a test that is expected to fail: it records the messages.
type witness struct {
	testing.TB // nil: a method that is missing here must not be called

	reported []string
	stopped  bool
	cleanups []func()
}

func (w *witness) Helper()          {}
func (w *witness) Cleanup(f func()) { w.cleanups = append(w.cleanups, f) }
func (w *witness) Errorf(text string, a ...any) {
	w.reported = append(w.reported, fmt.Sprintf(text, a...))
}

func (w *witness) Fatalf(text string, a ...any) {
	w.Errorf(text, a...)
	w.stopped = true
	runtime.Goexit()
}

func (w *witness) Fatal(a ...any) { w.Fatalf("%s", fmt.Sprint(a...)) }

// watch runs a test in its own goroutine, because Fatalf ends the goroutine, and then its cleanups
// in order.
func watch(test func(t testing.TB)) *witness {
	w := &witness{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for k := len(w.cleanups) - 1; k >= 0; k-- {
				w.cleanups[k]()
			}
		}()
		test(w)
	}()
	<-done
	return w
}

// fails requires that a test fails with the wanted message.
func fails(t *testing.T, wanted string, test func(t testing.TB)) {
	t.Helper()
	w := watch(test)
	require.NotEmpty(t, w.reported, "the test should have failed")
	require.Contains(t, strings.Join(w.reported, "\n"), wanted)
}

// passes requires that a test does not fail.
func passes(t *testing.T, test func(t testing.TB)) {
	t.Helper()
	require.Empty(t, watch(test).reported)
}

// probe is a model whose step is defined by the test.
type probe struct {
	model.Stateless

	in     *model.Input
	out    *model.Output
	truth  *model.Constant
	number int32
	real   float64
	text   string
	yes    bool
	step   func(*probe) error
	setup  func(*probe) error
}

func probes(setup, step func(*probe) error) model.Definition {
	return model.Definition{Identifier: "Probe", New: func(d *model.Declaration) model.Model {
		p := &probe{setup: setup, step: step}
		p.in, p.out = d.Input(osmp.SensorDataIn), d.Output(osmp.SensorDataOut)
		p.truth = d.Constant(osmp.GroundTruthInit)
		model.PlainInput(d, &p.number, "number", 0, "an Integer")
		model.PlainInput(d, &p.real, "real", 0, "a Real", model.Unit("m"), model.Max(10))
		model.PlainInput(d, &p.text, "text", "", "a String")
		model.PlainInput(d, &p.yes, "yes", false, "a Boolean")
		return p
	}}
}

func (p *probe) Setup(model.Environment) error {
	if p.setup == nil {
		return nil
	}
	return p.setup(p)
}

func (p *probe) Step(timebase.Span) error {
	if p.step == nil {
		return nil
	}
	return p.step(p)
}

// twoSteps writes different bytes for each of two steps.
func twoSteps(step func(*probe) error) func(testing.TB) {
	return func(t testing.TB) {
		rig := modeltest.New(t, probes(nil, step))
		rig.Start()
		for k := range 2 {
			rig.Write("OSMPSensorDataIn", []byte{'a' + byte(k), 'x'})
			rig.Step(0.02)
		}
	}
}

func TestModelThatReadsInTimePasses(t *testing.T) {
	passes(t, twoSteps(func(p *probe) error {
		return p.out.Publish(append(p.out.Buffer(), p.in.Bytes()...))
	}))
}

func TestModelThatKeepsItsInputIsShownRubbish(t *testing.T) {
	var kept []byte
	passes(t, func(t testing.TB) {
		rig := modeltest.New(t, probes(nil, func(p *probe) error {
			if kept == nil {
				kept = p.in.Bytes()
			}
			return p.out.Publish(kept)
		}))
		rig.Start()
		rig.Write("OSMPSensorDataIn", []byte("first"))
		rig.Step(0.02)
		if got := string(rig.Read("OSMPSensorDataOut")); got != "first" {
			t.Errorf("within the step it is %q", got)
		}
		rig.Step(0.02)
		if got := string(rig.Read("OSMPSensorDataOut")); strings.ContainsAny(got, "first") {
			t.Errorf("what was kept is still readable: %q", got)
		}
	})
}

func TestModelThatWritesIntoAKeptInputFails(t *testing.T) {
	var kept []byte
	fails(t, "after it was given back", twoSteps(func(p *probe) error {
		if kept == nil {
			kept = p.in.Bytes()
			return nil
		}
		kept[0] = 'z'
		return nil
	}))
}

func TestModelThatKeepsAConstantBeyondSetupMay(t *testing.T) {
	passes(t, func(t testing.TB) {
		rig := modeltest.New(t, probes(nil, func(p *probe) error {
			return p.out.Publish(p.truth.Bytes())
		}))
		rig.Write("OSMPGroundTruthInit", []byte("world"))
		rig.Start()
		rig.Step(0.02)
		if got := string(rig.Read("OSMPSensorDataOut")); got != "world" {
			t.Errorf("found %q", got)
		}
	})
}

func TestModelThatOverwritesAPublishedBufferFails(t *testing.T) {
	test := func(spoil bool) func(testing.TB) {
		return func(t testing.TB) {
			var steps int
			var kept []byte
			rig := modeltest.New(t, probes(nil, func(p *probe) error {
				// the third step wrote into memory used by the FMU since the first step
				if steps++; steps == 4 {
					if spoil {
						kept[0] = 'z'
					}
					return nil
				}
				kept = append(p.out.Buffer(), 'a')
				return p.out.Publish(kept)
			}))
			rig.Start()
			for range 4 {
				rig.Step(0.02)
			}
		}
	}
	passes(t, test(false))
	fails(t,
		"OSMPSensorDataOut: bytes published by a step changed "+
			"before the second step after it", test(true))
}

func TestRig_ThirdStepMayOverwriteTheFirst(t *testing.T) {
	passes(t, func(t testing.TB) {
		n := byte(0)
		rig := modeltest.New(t, probes(nil, func(p *probe) error {
			n++
			return p.out.Publish(append(p.out.Buffer(), n))
		}))
		rig.Start()
		var read [4][]byte
		for k := range read {
			rig.Step(0.02)
			read[k] = rig.Read("OSMPSensorDataOut")
		}
		if read[2][0] != 3 || read[3][0] != 4 || read[0][0] != 3 || read[1][0] != 4 {
			t.Errorf("found %v, expected two buffers that take turns", read)
		}
	})
}

func TestAddressesUseBothHalves(t *testing.T) {
	passes(t, func(t testing.TB) {
		rig := modeltest.New(t, probes(nil, func(p *probe) error {
			return p.out.Publish([]byte{1})
		}))
		rig.Start()
		rig.Step(0.02)
		lo, hi := rig.Get("OSMPSensorDataOut.base.lo").(int32),
			rig.Get("OSMPSensorDataOut.base.hi").(int32)
		if lo >= 0 || hi <= 0 {
			t.Errorf("base.lo %d, base.hi %d: an address that mistakes do not show with", lo, hi)
		}
	})
}

func TestCallsThatMayNotFailStopTheTest(t *testing.T) {
	broken := errors.New("the model is broken")
	for wanted, test := range map[string]func(*modeltest.Rig){
		`there is no variable "nubmer"`: func(r *modeltest.Rig) {
			r.Set("nubmer", 1)
		},
		`there is no variable "OSMPSensorViewIn.base.lo"`: func(r *modeltest.Rig) {
			r.Read("OSMPSensorViewIn")
		},
		`there is no variable "OSMPSensorViewOut.size"`: func(r *modeltest.Rig) {
			r.Write("OSMPSensorViewOut", []byte{1})
		},
		"number is of type Integer, and 1.5 is of type float64": func(r *modeltest.Rig) {
			r.Set("number", 1.5)
		},
		"real is of type Real, and true is of type bool": func(r *modeltest.Rig) {
			r.Set("real", true)
		},
		"text is of type String, and 1 is of type int": func(r *modeltest.Rig) {
			r.Set("text", 1)
		},
		"yes is of type Boolean, and yes is of type string": func(r *modeltest.Rig) {
			r.Set("yes", "yes")
		},
		"set real to 11: fmi2Error": func(r *modeltest.Rig) {
			r.Set("real", 11)
		},
		"OSMPSensorDataIn: string, expected bytes or a message": func(r *modeltest.Rig) {
			r.Write("OSMPSensorDataIn", "text")
		},
		"step: fmi2Error\n[fmi2DoStep: the model is broken]": func(r *modeltest.Rig) {
			r.Start()
			r.Set("yes", true)
			r.Step(1)
		},
		"step: fmi2Error\n[fmi2DoStep: illegal call sequence: st": func(r *modeltest.Rig) {
			r.Step(1)
		},
		"OSMPSensorDataOut: proto": func(r *modeltest.Rig) {
			r.Start()
			r.Set("text", "no message")
			r.Step(1)
			r.Decode("OSMPSensorDataOut", &osi3.SensorData{})
		},
		"deserialize: fmi2Error": func(r *modeltest.Rig) {
			r.Start()
			r.Restore([]byte("no state"), 0)
		},
	} {
		w := watch(func(t testing.TB) {
			test(modeltest.New(t, probes(nil, func(p *probe) error {
				if p.yes {
					return broken
				}
				return p.out.Publish([]byte(p.text))
			})))
		})
		require.True(t, w.stopped, wanted)
		require.Contains(t, strings.Join(w.reported, "\n"), wanted)
	}
}

func TestSetupThatFailsStopsStartOnly(t *testing.T) {
	definition := probes(func(*probe) error { return errors.New("no licence") }, nil)
	fails(t, "initialization: fmi2Error\n[fmi2ExitInitializationMode: no licence]",
		func(t testing.TB) { modeltest.New(t, definition).Start() })
	passes(t, func(t testing.TB) {
		if s := modeltest.New(t, definition).TryStart(0); s != fmi.Error {
			t.Errorf("status %v", s)
		}
	})
}

func TestSetupThatWarnsStartsAllTheSame(t *testing.T) {
	definition := probes(func(*probe) error { return model.Warning(errors.New("no map")) }, nil)
	passes(t, func(t testing.TB) {
		rig := modeltest.New(t, definition)
		if s := rig.TryStart(0); s != fmi.Warning {
			t.Errorf("status %v, expected fmi2Warning", s)
		}
		rig.Step(1)
	})
}

func TestWrongDefinitionStopsTheTest(t *testing.T) {
	fails(t, `modelIdentifier "" is not a C identifier`,
		func(t testing.TB) { modeltest.New(t, model.Definition{}) })
}

func TestStatusesOfTriesAreLeftToTheTest(t *testing.T) {
	passes(t, func(t testing.TB) {
		rig := modeltest.New(t, probes(nil, func(*probe) error {
			return fmt.Errorf("%w: not now", model.ErrDiscard)
		}))
		rig.Start()
		if s := rig.TryStep(1); s != fmi.Discard || rig.Now() != 0 {
			t.Errorf("%v at %g s, expected fmi2Discard at 0 s", s, rig.Now())
		}
		if log := rig.Log(); len(log) != 1 || len(rig.Log()) != 0 {
			t.Errorf("log %q, expected one line, once", log)
		}
	})
}

// A host connects two instances in one process by address and size alone.
func TestInstancesOfOneHostShareItsMemory(t *testing.T) {
	publish := func(p *probe) error {
		return p.out.Publish(append(p.out.Buffer(), append(p.in.Bytes(), '!')...))
	}
	memory := mock.NewMemory()
	host := modeltest.Host{Memory: memory}
	first, second := host.Instantiate(t, probes(nil, publish).FMU()), host.Instantiate(t,
		probes(nil, publish).FMU())
	first.Start()
	second.Start()
	first.Write("OSMPSensorDataIn", []byte("hello"))
	first.Step(0.02)
	address, size := first.Pointer("OSMPSensorDataOut")
	require.Equal(t, fmi.OK, second.TryPoint("OSMPSensorDataIn", address, size))
	second.Step(0.02)
	require.Equal(t, "hello!!", string(second.Read("OSMPSensorDataOut")))
	require.Len(t, second.References("OSMPSensorDataOut"), 3)
}

func TestStepFromAnotherCommunicationPointIsTheTestsChoice(t *testing.T) {
	var lines []fmu.Message
	host := modeltest.Host{LoggingOff: true, Deliver: func(m fmu.Message) {
		lines = append(lines, m)
	}}
	rig := host.Instantiate(t, probes(nil, nil).FMU())
	rig.Start()
	require.Equal(t, fmi.OK, rig.TryStepFrom(0, 0.5))
	require.Equal(t, 0.5, rig.Now())
	require.Equal(t, fmi.Error, rig.TryStepFrom(2, 0.5), "a gap")
	require.Equal(t, 0.5, rig.Now())
	require.Len(t, lines, 1)
	require.Equal(t, fmi.Error, lines[0].Status)
	_, status := rig.TryGet("real")
	require.Equal(t, fmi.OK, status, "an instance in the error state still shows its values")
}

func TestResourcesAndStartTimeReachTheModel(t *testing.T) {
	var got model.Environment
	d := model.Definition{Identifier: "Looker",
		New: func(*model.Declaration) model.Model { return looker{at: &got} }}
	passes(t, func(t testing.TB) {
		rig := modeltest.New(t, d, "some/folder")
		rig.TryStart(2.5)
		if rig.Now() != 2.5 {
			t.Errorf("now is %g s", rig.Now())
		}
	})
	require.Equal(t, 2500*timebase.Millisecond, got.Start)
	require.Equal(t, "some/folder", got.Resources)
}

// looker records the arguments of Setup.
type looker struct {
	model.Stateless

	at *model.Environment
}

func (l looker) Setup(e model.Environment) error { *l.at = e; return nil }
func (looker) Step(timebase.Span) error          { return nil }
