package scxml_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
)

// ring returns a flat machine: states that follow each other, each with a guard that fails and one
// that holds.
func ring(datamodel, data string, guard func(state int) (fails, holds string)) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel=%q>%s`,
		datamodel, data)
	const states = 8
	for i := range states {
		fails, holds := guard(i)
		fmt.Fprintf(&b,
			`<state id="s%d"><transition event="go" cond="%s" target="s0"/>`+
				`<transition event="go" cond="%s" target="s%d"/></state>`,
			i, fails, holds, (i+1)%states)
	}
	return b.String() + `</scxml>`
}

func nullRing() string {
	return ring("null", "", func(i int) (string, string) {
		return fmt.Sprintf("In('s%d')", (i+1)%8), fmt.Sprintf("In('s%d')", i)
	})
}

func ecmascriptRing() string {
	return ring("ecmascript", `<datamodel><data id="n" expr="3"/></datamodel>`, func(int) (string,
		string) {
		return "n &gt; 5", "n == 3"
	})
}

// endless lets machines take any number of steps, although their time stands still.
var endless = scxml.Options{Limits: scxml.Limits{PerSecond: math.MaxInt, Total: math.MaxInt}}

func benchmarkTransitions(b *testing.B, text string) {
	s := scxml.NewSystem(endless)
	m, err := s.Add("m", parse(b, text))
	require.NoError(b, err)
	require.NoError(b, m.Start())
	step := scxml.Event{Name: "go"}
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Handle(step); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
}

func BenchmarkTransition_NullGuards(b *testing.B) { benchmarkTransitions(b, nullRing()) }
func BenchmarkTransition_ECMAScriptGuards(b *testing.B) {
	benchmarkTransitions(b, ecmascriptRing())
}

// BenchmarkTransition_Queued sends events through the system's queue, as machines do among
// themselves.
func BenchmarkTransition_Queued(b *testing.B) {
	s := scxml.NewSystem(endless)
	m, err := s.Add("m", parse(b, nullRing()))
	require.NoError(b, err)
	require.NoError(b, m.Start())
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Post(scxml.Event{Name: "go"}); err != nil {
			b.Fatal(err)
		}
		if err := s.Settle(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
}

// Benchmark10000Machines reports the memory of 10 000 machines that were started and took a
// transition.
func Benchmark10000Machines(b *testing.B) {
	for name, text := range map[string]string{"null": nullRing(), "ecmascript": ecmascriptRing()} {
		b.Run(name, func(b *testing.B) {
			c := parse(b, text)
			for b.Loop() {
				before := heap()
				s := tenThousand(b, c)
				b.ReportMetric(float64(heap()-before)/1e6, "MB")
				runtime.KeepAlive(s)
			}
		})
	}
}

func tenThousand(t testing.TB, c *scxml.Chart) *scxml.System {
	s := scxml.NewSystem(scxml.Options{})
	for range 10_000 {
		m, err := s.Add("", c)
		require.NoError(t, err)
		require.NoError(t, m.Start())
		require.NoError(t, m.Handle(scxml.Event{Name: "go"}))
	}
	return s
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestTransition_AllocatesNothingWithoutData(t *testing.T) {
	nested := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="null">
	<parallel id="p"><state id="a"><history id="h" type="deep"><transition target="a1"/></history>
	  <state id="a1"><transition event="go" target="a2"/></state><state id="a2"><transition event="go" target="a1"/></state></state>
	<state id="b"><state id="b1"><transition event="go" cond="In('a1')" target="b2"/><onexit><raise event="x"/></onexit></state>
	  <state id="b2"><transition event="go" target="b1"/></state></state></parallel></scxml>`
	for name, text := range map[string]string{"flat": nullRing(), "parallel": nested} {
		s := scxml.NewSystem(scxml.Options{})
		m, err := s.Add("m", parse(t, text))
		require.NoError(t, err)
		require.NoError(t, m.Start())
		step := scxml.Event{Name: "go"}
		require.Zero(t, testing.AllocsPerRun(1000, func() { _ = m.Handle(step) }), name)
		require.True(t, m.Running())
	}
}

// sums is a script that mostly adds numbers and joins texts.
const sums = `function run() { var s = "", sum = 0; for (var i = 0; i &lt; 100; i++) {
	var speed = 3.6 * i; sum = sum + speed; total = total + sum / 2;
	var p = point(i, speed), q = point(speed, i); total += Math.sqrt((p.x + q.x) * (p.y + q.y));
	s = s + "t=" + i + ", v=" + speed; log = 'speed: ' + speed + ' of ' + total;
	if (s.length &gt; 200) s = "" } }
function point(x, y) { return {x: x + 1, y: y + 1} }`

// BenchmarkScript_Sums measures what the checks of the operator + cost.
func BenchmarkScript_Sums(b *testing.B) {
	benchmarkTransitions(b, `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">`+
		`<datamodel><data id="total" expr="0"/><data id="log" expr="''"/></datamodel>`+
		`<script>`+sums+`</script><state id="s"><transition event="go"><script>run()</script>`+
		`</transition></state></scxml>`)
}
