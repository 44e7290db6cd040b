package cosim_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/cosim"
	"gosmp/timebase"
)

// wire is a connection: output y[output] of a plant to input u[input] of another.
type wire struct{ from, output, to, input int }

// network is a system of plants, described independently of how it is run.
type network struct {
	plants    []plant
	every     []int
	wires     []wire
	algorithm cosim.Algorithm
	steps     int
}

const baseStep = timebase.Second / 8

func drawNetwork(t *rapid.T) *network {
	n := &network{algorithm: rapid.SampledFrom([]cosim.Algorithm{cosim.Sequential,
		cosim.Parallel}).Draw(t, "algorithm"),
		steps: rapid.IntRange(1, 20).Draw(t, "steps")}
	small := rapid.Float64Range(-0.3, 0.3)
	for range rapid.IntRange(1, 7).Draw(t, "plants") {
		n.plants = append(n.plants, plant{
			weights: rapid.SliceOfN(small, 1, 3).Draw(t, "weights"), start: rapid.Float64Range(-5,
				5).Draw(t, "start"),
			direct: rapid.SliceOfN(rapid.OneOf(rapid.Just(0.0), small), 1, 2).Draw(t, "direct")})
		n.every = append(n.every, rapid.SampledFrom([]int{1, 1, 1, 2, 3, 5}).Draw(t, "every"))
	}
	for to := range n.plants {
		for input := range n.plants[to].weights {
			if rapid.IntRange(0, 3).Draw(t, "connected") == 0 {
				continue
			}
			from := rapid.IntRange(0, len(n.plants)-1).Draw(t, "from")
			n.wires = append(n.wires, wire{from, rapid.IntRange(0,
				len(n.plants[from].direct)-1).Draw(t, "output"), to, input})
		}
	}
	return n
}

// trace holds the values of all outputs at all points.
type trace struct {
	signals []*cosim.Signal
	rows    [][]float64
}

func (t *trace) Begin(*cosim.Result) error { return nil }
func (t *trace) End(*cosim.Result) error   { return nil }
func (t *trace) Row(timebase.Time, cosim.Row) error {
	row := make([]float64, len(t.signals))
	for k, s := range t.signals {
		row[k] = math.Float64frombits(s.Cells()[0])
	}
	t.rows = append(t.rows, row)
	return nil
}

// engine creates an engine for the network. Step and stop time are whole nanoseconds.
func (n *network) engine(threads int) (*cosim.Engine, *trace, []*plant) {
	e := cosim.New(cosim.Spec{Stop: timebase.Time(n.steps) * baseStep,
		Step: cosim.Every(baseStep.Seconds()), Algorithm: n.algorithm, Threads: threads})
	var plants []*plant
	for k := range n.plants {
		p := n.plants[k]
		plants = append(plants, &p)
		e.AddEvery(fmt.Sprintf("p%d", k), &p, cosim.Every(float64(n.every[k])*baseStep.Seconds()))
	}
	for _, w := range n.wires {
		e.Connect(fmt.Sprintf("p%d.y%d", w.from, w.output), fmt.Sprintf("p%d.u%d", w.to, w.input))
	}
	t := &trace{}
	for k := range n.plants {
		for j := range n.plants[k].direct {
			t.signals = append(t.signals, e.Watch(fmt.Sprintf("p%d.y%d", k, j)))
		}
	}
	e.Observe(t)
	return e, t, plants
}

// reference runs a network in the most naive way, without graph theory, frames, or any code shared
// with the engine. Its values are the outputs as other plants see them.
type reference struct {
	*network
	x      []float64
	values [][]float64
}

func (r *reference) inputs(k int) []float64 {
	u := make([]float64, len(r.plants[k].weights))
	for _, w := range r.wires {
		if w.to == k {
			u[w.input] = r.values[w.from][w.output]
		}
	}
	return u
}

func (r *reference) outputs(k int, u []float64) []float64 {
	y := make([]float64, len(r.plants[k].direct))
	for j, d := range r.plants[k].direct {
		y[j] = float64(float64(j+1) * r.x[k])
		if d != 0 {
			y[j] += float64(d * u[0])
		}
	}
	return y
}

// reach determines which plants receive values from which others, directly or through other plants.
func (r *reference) reach() [][]bool {
	to := make([][]bool, len(r.plants))
	for k := range to {
		to[k] = make([]bool, len(r.plants))
	}
	for _, w := range r.wires {
		to[w.from][w.to] = true
	}
	for via := range to {
		for a := range to {
			for b := range to {
				to[a][b] = to[a][b] || to[a][via] && to[via][b]
			}
		}
	}
	return to
}

// order lists producers before consumers; a cycle starts with its first plant.
func (r *reference) order() (order []int) {
	to := r.reach()
	placed := make([]bool, len(r.plants))
	same := func(a, b int) bool { return a == b || to[a][b] && to[b][a] }
	free := func(k int, within bool) bool {
		for _, w := range r.wires {
			if w.to == k && w.from != k && !placed[w.from] && same(w.from, k) == within {
				return false
			}
		}
		return true
	}
	enterable := func(k int) bool {
		for m := range r.plants {
			if same(k, m) && !free(m, false) {
				return false
			}
		}
		return true
	}
	for len(order) < len(r.plants) {
		for k := range r.plants {
			if placed[k] || !enterable(k) {
				continue
			}
			// All plants of the cycle of k, the first plant of the cycle that was added.
			for left := true; left; {
				left = false
				next := -1
				for m := range r.plants {
					if same(k, m) && !placed[m] {
						left = true
						if next < 0 || free(m, true) && !free(next, true) {
							next = m
						}
					}
				}
				if left {
					placed[next] = true
					order = append(order, next)
				}
			}
		}
	}
	return order
}

func (r *reference) run() (rows [][]float64) {
	r.x, r.values = make([]float64, len(r.plants)), make([][]float64, len(r.plants))
	for k := range r.plants {
		r.x[k], r.values[k] = r.plants[k].start, make([]float64, len(r.plants[k].direct))
	}
	for range 300 {
		for k := range r.plants {
			r.values[k] = r.outputs(k, r.inputs(k))
		}
	}
	note := func() {
		var row []float64
		for k := range r.plants {
			row = append(row, r.values[k]...)
		}
		rows = append(rows, row)
	}
	note()
	order := r.order()
	made := make([][]float64, len(r.plants))
	for s := range r.steps {
		given := make([][]float64, len(r.plants))
		for k := range r.plants {
			given[k] = r.inputs(k)
		}
		for _, k := range order {
			if s%r.every[k] == 0 {
				u := given[k]
				if r.algorithm == cosim.Sequential {
					u = r.inputs(k)
				}
				slope := 1 - float64(0.3*r.x[k])
				for i, w := range r.plants[k].weights {
					slope += float64(w * u[i])
				}
				r.x[k] += float64((timebase.Time(min(r.every[k],
					r.steps-s)) * baseStep).Seconds() * slope)
				made[k] = r.outputs(k, u)
			}
			if (s+1)%r.every[k] == 0 || s+1 == r.steps {
				r.values[k] = made[k]
			}
		}
		note()
	}
	return rows
}

func TestRun_DoesWhatANaiveEngineDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		e, got, _ := n.engine(rapid.IntRange(1, 4).Draw(t, "threads"))
		result, err := e.Run(context.Background())
		require.NoError(t, err)
		want := (&reference{network: n}).run()
		require.Len(t, got.rows, len(want))
		for k, row := range want {
			for j, v := range row {
				if len(result.Loops) == 0 {
					require.Equal(t, v, got.rows[k][j], "row %d, %s", k, got.signals[j].Name())
				} else {
					require.InDelta(t, v, got.rows[k][j], 1e-7, "row %d, %s", k,
						got.signals[j].Name())
				}
			}
		}
	})
}

func TestRun_ThreadsDoNotChangeTheTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		n.algorithm = cosim.Parallel
		var first [][]float64
		for _, threads := range []int{1, 2, 8} {
			e, got, _ := n.engine(threads)
			_, err := e.Run(context.Background())
			require.NoError(t, err)
			if first == nil {
				first = got.rows
			}
			require.Equal(t, first, got.rows)
		}
	})
}

func TestResume_ContinuesAsIfNothingHadHappened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		ctx := context.Background()
		whole, _, _ := n.engine(1)
		hash := func(e *cosim.Engine) *cosim.Hash {
			h := cosim.NewHash(e.Watch("p0.y0"))
			e.Observe(h)
			return h
		}
		wanted := hash(whole)
		at := rapid.IntRange(0, n.steps).Draw(t, "at")
		require.NoError(t, whole.Start(ctx))
		var saved []byte
		for k := 0; ; k++ {
			if k == at {
				var err error
				saved, err = whole.AppendState(ctx, nil)
				require.NoError(t, err)
			}
			if k == n.steps {
				break
			}
			_, err := whole.Step(ctx)
			require.NoError(t, err)
		}
		_, err := whole.Finish(ctx)
		require.NoError(t, err)

		other, got, _ := n.engine(1)
		gotten := hash(other)
		require.NoError(t, other.Resume(ctx, saved))
		require.Equal(t, timebase.Time(at)*baseStep, other.Now())
		for more := other.Now() < timebase.Time(n.steps)*baseStep; more; {
			more, err = other.Step(ctx)
			require.NoError(t, err)
		}
		result, err := other.Finish(ctx)
		require.NoError(t, err)
		require.Len(t, got.rows, n.steps-at)
		require.Equal(t, int64(n.steps), result.Steps)
		require.Equal(t, wanted.Sum(), gotten.Sum())
	})
}

// oscillators returns the states of two masses on springs, coupled by a third one.
func oscillators(t *testing.T, algorithm cosim.Algorithm, steps int) (largest float64) {
	const stop = 2.0
	h := stop / float64(steps)
	e := cosim.New(cosim.Spec{Stop: 2 * timebase.Second, Step: cosim.Every(h),
		Algorithm: algorithm})
	a, b := &mass{x: 1}, &mass{}
	e.Add("a", a)
	e.Add("b", b)
	e.Connect("a.x", "b.other")
	e.Connect("b.x", "a.other")
	require.NoError(t, e.Start(context.Background()))
	for more := true; more; {
		var err error
		more, err = e.Step(context.Background())
		require.NoError(t, err)
		// The modes x1+x2 and x1-x2 oscillate independently, with squared frequencies 4 and 4+2·3.
		now := e.Now().Seconds()
		want := (math.Cos(2*now) + math.Cos(math.Sqrt(10)*now)) / 2
		largest = max(largest, math.Abs(a.x-want))
	}
	_, err := e.Finish(context.Background())
	require.NoError(t, err)
	return largest
}

// mass solves x” = -4·x - 3·(x - other) exactly for the other's position at the beginning of a
// step.
type mass struct {
	plant
	x, v float64
}

func (m *mass) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "other", Kind: cosim.Float64, Role: cosim.Input, Size: 1},
		{Name: "x", Kind: cosim.Float64, Role: cosim.Output, Size: 1}}
}
func (m *mass) Depends(int) (inputs []int, known bool) { return nil, true }
func (m *mass) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	m.in, m.out = cosim.NewFrame(m.Variables(), inputs), cosim.NewFrame(m.Variables(), outputs)
	return m.in, m.out, nil
}
func (m *mass) Enter(context.Context, cosim.Setup) error { return nil }
func (m *mass) Exchange(context.Context) error           { m.out.SetFloat(0, 0, m.x); return nil }
func (m *mass) Leave(ctx context.Context) error          { return m.Exchange(ctx) }
func (m *mass) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	w := math.Sqrt(7)
	middle := 3 * m.in.Float(0, 0) / 7
	sin, cos := math.Sincos(w * s.Length().Seconds())
	x, v := m.x-middle, m.v
	m.x, m.v = middle+x*cos+v/w*sin, -w*x*sin+v*cos
	return cosim.Advance{Reached: s.End}, m.Exchange(ctx)
}

func TestRun_CoupledOscillatorsHaveErrorsOfTheFirstOrder(t *testing.T) {
	for _, a := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
		coarse, fine := oscillators(t, a, 1000), oscillators(t, a, 2000)
		require.InDelta(t, 2, coarse/fine, 0.1, "%v: %g and %g", a, coarse, fine)
		require.Less(t, fine, 0.02)
	}
}
