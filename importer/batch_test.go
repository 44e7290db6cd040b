//go:build linux && cgo

package importer_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// alone is an instance that is never in a batch.
type alone struct{ *importer.Instance }

func (alone) Joins(cosim.Participant) bool { return false }

// chained describes a run of a chain of three FMUs in one process.
type chained struct {
	version int
	orders  [3][]string
	every   [3]float64 // step sizes; 0 for the base step
	spec    cosim.Spec
	limit   time.Duration
	convert bool // the value received by the third FMU
	apart   bool // they are not connected
	plain   bool // they exchange no messages
	unfed   bool // they receive no messages from outside
}

// told holds what a user can see of a run.
type told struct {
	records  string
	views    []string
	messages [3][]string
	order    []string // of all messages
	warnings []string
	printed  []string
	err      string
	result   cosim.Result
	ahead    [3]int64 // steps that each FMU has taken before the engine asked for them
}

var address = regexp.MustCompile(`run-[0-9]+|0x[0-9a-f]+|\(nil\)|\[-?[0-9]+, -?[0-9]+, `)

// run runs the FMUs; if single is true, each step has a request of its own.
func (c *chained) run(t *testing.T, fmus [3]*importer.FMU, single, shared bool) *told {
	t.Helper()
	var mu sync.Mutex
	r := &told{}
	pool := &importer.Pool{Print: func(_, line string) {
		mu.Lock()
		defer mu.Unlock()
		r.printed = append(r.printed, line)
	}}
	pool.Options.LogCalls = true
	e := cosim.New(c.spec)
	var signals []*cosim.Signal
	in, out := "OSMPSensorViewIn", "OSMPSensorDataOut"
	if c.version == 3 {
		in, out = "message", "echo"
	}
	names := []string{"a", "b", "c"}
	var instances []*importer.Instance
	for k, name := range names {
		o := importer.Options{Shared: shared, Timeout: c.limit, LoggingOn: true,
			Warn: func(text string) {
				mu.Lock()
				defer mu.Unlock()
				r.warnings = append(r.warnings, text)
			}}
		o.Log = func(m importer.Message) {
			mu.Lock()
			defer mu.Unlock()
			text := address.ReplaceAllString(fmt.Sprint(m.Status, m.Category, m.Text), "ADDRESS")
			r.messages[k] = append(r.messages[k], text)
			r.order = append(r.order, name+" "+text)
		}
		i, err := fmus[k].NewInstance(name, pool, o)
		require.NoError(t, err)
		instances = append(instances, i)
		var p cosim.Participant = i
		if single {
			p = alone{i}
		}
		e.AddEvery(name, p, cosim.Every(c.every[k]))
		signals = append(signals, e.Watch(name+".out"), e.Watch(name+".steps"),
			e.Watch(name+".clock"))
		if !c.plain {
			e.Observe(&seen{e.Watch(name + "." + out), r})
		}
	}
	if !c.plain && !c.unfed {
		c.feed(e, in)
	}
	if !c.apart {
		c.connect(e, in, out)
	}
	var records bytes.Buffer
	e.Observe(cosim.NewRecorder(&records, signals...))
	result, err := e.Run(context.Background())
	require.NoError(t, pool.Close())
	for k, i := range instances {
		r.ahead[k] = i.Ahead()
	}
	r.records, r.result = records.String(), *result
	r.err = address.ReplaceAllString(fmt.Sprint(err), "ADDRESS")
	r.result.Cause = nil
	slices.Sort(r.printed)
	if c.spec.Algorithm == cosim.Parallel {
		r.order = nil // several threads
	}
	return r
}

// feed connects a source of messages.
func (c *chained) feed(e *cosim.Engine, in string) {
	e.AddSource("s", cosim.NewSequence(cosim.Variable{Name: "view", Kind: cosim.Binary, Size: 1},
		[]timebase.Time{0, timebase.Second / 4, timebase.Second / 2, 3 * timebase.Second / 4},
		[][]byte{[]byte("one"), []byte("three"), nil, []byte("four")}))
	e.Connect("s.view", "a."+in)
}

// connect connects the FMUs in a row; the last one lags.
func (c *chained) connect(e *cosim.Engine, in, out string) {
	ends := [][2]string{{"a.clock", "b.in"}, {"c.clock", "a.in"}}
	if !c.plain {
		ends = append(ends, [2]string{"a." + out, "b." + in}, [2]string{"b." + out, "c." + in})
	}
	for _, pair := range ends {
		e.Connect(pair[0], pair[1])
	}
	last := cosim.Connection{From: "b.out", To: "c.in"}
	if c.convert {
		last.Conversions = []cosim.Conversion{cosim.Linear(2, 1)}
	}
	e.ConnectAs(last)
}

// seen records messages.
type seen struct {
	signal *cosim.Signal
	told   *told
}

func (s *seen) Begin(*cosim.Result) error { return nil }
func (s *seen) End(*cosim.Result) error   { return nil }
func (s *seen) Row(timebase.Time, cosim.Row) error {
	s.told.views = append(s.told.views, string(s.signal.Blobs()[0]))
	return nil
}

// open opens the FMUs and completes the specification of the run.
func (c *chained) open(t *testing.T) (fmus [3]*importer.FMU) {
	t.Helper()
	if c.spec.Stop == 0 {
		c.spec.Stop = timebase.Second
	}
	c.spec.Step = cosim.Every(0.1)
	for k := range fmus {
		fmus[k] = open(t, testfmu.Recipe{Version: c.version, OSMP: c.version == 2,
			Orders: c.orders[k],
			Describe: func(xml string) string {
				return strings.ReplaceAll(xml, "type=SensorData", "type=SensorView")
			}})
	}
	return fmus
}

// compare runs the FMUs in batches and one by one.
func (c *chained) compare(t *testing.T) *told {
	t.Helper()
	fmus := c.open(t)
	want, got := c.run(t, fmus, true, true), c.run(t, fmus, false, true)
	require.Equal(t, want.err, got.err)
	require.Equal(t, want, got)
	if want.err == "<nil>" {
		own := c.run(t, fmus, false, false)
		require.Equal(t, want.records, own.records)
		require.Equal(t, want.views, own.views)
	}
	return got
}

func versions(t *testing.T, test func(t *testing.T, version int)) {
	for _, version := range []int{2, 3} {
		t.Run(fmt.Sprint("FMI ", version), func(t *testing.T) {
			t.Parallel()
			test(t, version)
		})
	}
}

// places yields each order with each of the three FMUs that can get it. With -short, it yields each
// order once, with another FMU than the previous order.
func places(orders ...string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, order := range orders {
			for k := range 3 {
				if testing.Short() && k != i%3 {
					continue
				}
				if !yield(k, order) {
					return
				}
			}
		}
	}
}

func TestBatch_GivesWhatSingleStepsGive(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		for _, algorithm := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
			for _, rollback := range []bool{false, true} {
				spec := cosim.Spec{Algorithm: algorithm, Rollback: rollback, Threads: 2}
				r := (&chained{version: version, spec: spec}).compare(t)
				require.Equal(t, "<nil>", r.err)
				require.Equal(t, int64(10), r.result.Steps)
				require.Contains(t, r.views, "three")
				(&chained{version: version, spec: spec, convert: true}).compare(t)
				(&chained{version: version, spec: spec, every: [3]float64{0, 0.2, 0}}).compare(t)
				(&chained{version: version, spec: spec, every: [3]float64{0, 0, 0.3}}).compare(t)
				spec.Stop = timebase.Second * 95 / 100
				(&chained{version: version, spec: spec}).compare(t)
			}
		}
	})
}

func TestBatch_StopsWhereAStepNeedsTheHost(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		for k, order := range places("error 0 5", "fatal 0 5", "crash 0 5", "abort 0 5", "exit 3 5",
			"warning 0 5", "discard 0 5", "terminate 0 5", "roundup 0 5", "print 2 5", "log 2 5") {
			for _, rollback := range []bool{false, true} {
				c := &chained{version: version, spec: cosim.Spec{Rollback: rollback}}
				c.orders[k] = []string{"DoStep " + order}
				c.compare(t)
			}
		}
		for k := range 3 {
			c := &chained{version: version}
			c.orders[k] = []string{"SetReal error 0 5", "SetFloat64 error 0 5"}
			require.NotEqual(t, "<nil>", c.compare(t).err)
			c.orders[k] = []string{"GetInteger error 0 9", "GetBinary crash 0 9"}
			require.NotEqual(t, "<nil>", c.compare(t).err)
		}
	})
}

// TestBatch_GivesEachStepItsTime checks that the limit applies to each step. Each FMU sleeps for half
// of the limit, so that together they exceed it on any machine. On a loaded machine a step takes
// longer than the sleep, so the limit grows until it is enough.
func TestBatch_GivesEachStepItsTime(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		growing(t, func(limit time.Duration) (errs [2]string, is bool) {
			c := &chained{version: version, limit: limit}
			for k := range c.orders { // different, so that the FMUs do not share a library
				c.orders[k] = []string{fmt.Sprintf("DoStep sleep %d 3",
					limit.Milliseconds()/2+int64(k))}
			}
			errs = c.errors(t)
			return errs, errs == [2]string{"<nil>", "<nil>"}
		})
		for k, name := range []string{"a", "b", "c"} {
			growing(t, func(limit time.Duration) (errs [2]string, is bool) {
				c := &chained{version: version, limit: limit}
				c.orders[k] = []string{"DoStep hang 0 5"}
				errs = c.errors(t)
				return errs, errs[0] == errs[1] &&
					strings.Contains(errs[0], name+": at 0.4 s, step 5") &&
					strings.Contains(errs[0],
						fmt.Sprintf("no answer within %v in fmi%dDoStep", limit, version))
			})
		}
	})
}

// errors runs the FMUs one by one and in batches, and returns both errors.
func (c *chained) errors(t *testing.T) [2]string {
	t.Helper()
	fmus := c.open(t)
	return [2]string{c.run(t, fmus, true, true).err, c.run(t, fmus, false, true).err}
}

// growing repeats a test with longer limits until it succeeds.
func growing(t *testing.T, test func(limit time.Duration) (errs [2]string, is bool)) {
	t.Helper()
	const longest = 10 * time.Second
	for limit := 300 * time.Millisecond; ; limit *= 2 {
		errs, is := test(limit)
		if is {
			return
		}
		require.LessOrEqual(t, limit, longest, "with a limit of %v: %v", limit, errs)
	}
}
