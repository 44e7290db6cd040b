//go:build linux && cgo

package importer_test

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

var stepCall = regexp.MustCompile(
	`currentCommunicationPoint=([^,]+), communicationStepSize=([^,)]+)`,
)

// stepsOf holds the communication points and step sizes in the calls of an FMU.
type stepsOf struct {
	mu     sync.Mutex
	points []float64
	sizes  []float64
}

func (s *stepsOf) log(m importer.Message) {
	if call := stepCall.FindStringSubmatch(m.Text); m.Call && call != nil {
		point, _ := strconv.ParseFloat(call[1], 64)
		size, _ := strconv.ParseFloat(call[2], 64)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.points, s.sizes = append(s.points, point), append(s.sizes, size)
	}
}

// require compares the steps with points that are computed exactly and rounded once.
func (s *stepsOf) require(t *testing.T, start, step string, n int) {
	t.Helper()
	require.Len(t, s.points, n)
	from, _ := new(big.Rat).SetString(start)
	h, _ := new(big.Rat).SetString(step)
	size, _ := h.Float64()
	for k := range s.points {
		x := new(big.Rat).Mul(h, big.NewRat(int64(k), 1))
		want, _ := x.Add(x, from).Float64()
		require.Equal(t, want, s.points[k], "point %d", k)
		require.Equal(t, size, s.sizes[k], "step %d", k)
	}
}

func rational(t *testing.T, text string) timebase.Rational {
	t.Helper()
	r, err := timebase.ParseSeconds(text)
	require.NoError(t, err)
	return r
}

// FMI 2.0.5, 4.3.1: communicationStepSize is constant unless the FMU can handle variable steps;
// here it is constant for every FMU.
func TestStep_RegularStepsHaveOneSize(t *testing.T) {
	for _, c := range []struct {
		step, start string
		steps       int64
	}{{"1/60", "0", 600}, {"1/24", "0", 100}, {"1/3", "1/3", 40}, {"0.1", "0.2", 50}, {"1001/30000",
		"-1", 70}} {
		for _, version := range []int{2, 3} {
			for _, variable := range []bool{false, true} {
				t.Run(
					fmt.Sprintf("%s from %s, FMI %d, %v", c.step, c.start, version, variable),
					func(t *testing.T) {
						fixed := func(xml string) string {
							return strings.Replace(
								xml,
								` canHandleVariableCommunicationStepSize="true"`,
								fmt.Sprintf(
									` canHandleVariableCommunicationStepSize="%v"`,
									variable,
								),
								1,
							)
						}
						start, grid := rational(
							t,
							c.start,
						), timebase.EveryRational(
							rational(t, c.step),
						)
						scale := timebase.NewScale(start, grid)
						r := newRun(
							open(t, testfmu.Recipe{Version: version, Describe: fixed}),
							"steps",
						)
						r.pool.Options.LogCalls = true
						r.spec = cosim.Spec{
							Start: start.Time(),
							From:  start,
							Stop:  scale.Point(c.steps),
							Step:  grid,
						}
						require.NoError(t, r.do(t))
						var s stepsOf
						for _, m := range r.messages {
							s.log(m)
						}
						s.require(t, c.start, c.step, int(c.steps))
						lines := strings.Split(strings.TrimSpace(r.csv.String()), "\n")
						require.Len(t, lines, int(c.steps)+2)
						last, _, _ := strings.Cut(lines[len(lines)-1], ",")
						read, err := strconv.ParseFloat(last, 64)
						require.NoError(t, err)
						require.Equal(
							t,
							scale.Seconds(scale.Point(c.steps)),
							read,
							"the time that was written reads back",
						)
					},
				)
			}
		}
	}
}

// FMUs with steps of 1/60, 1/30 and 1/20 s run together, one by one and as a batch. Each has its
// own constant step, and steps that coincide have the same time.
func TestStep_DifferentRatesMeet(t *testing.T) {
	for _, shared := range []bool{false, true} {
		pool := &importer.Pool{}
		pool.Options.LogCalls = true
		stop := timebase.Every(1).Point(0, 3)
		e := cosim.New(
			cosim.Spec{Stop: stop, Step: timebase.Every(1. / 60), Algorithm: cosim.Parallel},
		)
		steps := map[string]*stepsOf{"1/60": {}, "1/30": {}, "1/20": {}}
		f := open(t, testfmu.Recipe{})
		for step, s := range steps {
			i, err := f.NewInstance(
				"x"+step[2:],
				pool,
				importer.Options{Shared: shared, Log: s.log},
			)
			require.NoError(t, err)
			e.AddEvery("x"+step[2:], i, timebase.EveryRational(rational(t, step)))
		}
		_, err := e.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, pool.Close())
		for step, s := range steps {
			n, _ := strconv.Atoi(step[2:])
			s.require(t, "0", step, 3*n)
		}
	}
}

// Only the last step, which is shortened by the stop time, has a different size; it ends exactly at
// the given stop time.
func TestStep_TheShortenedOneEndsAtTheStop(t *testing.T) {
	stop := rational(t, "10/7")
	r := newRun(open(t, testfmu.Recipe{}), "clock")
	r.pool.Options.LogCalls = true
	r.spec = cosim.Spec{Stop: stop.Time(), Until: stop, Step: timebase.Every(1. / 3)}
	require.NoError(t, r.do(t))
	var s stepsOf
	for _, m := range r.messages {
		s.log(m)
		if strings.Contains(m.Text, "fmi2SetupExperiment") {
			require.Contains(t, m.Text, "stopTime=1.4285714285714286")
		}
	}
	require.Len(t, s.points, 5)
	require.Equal(t, []float64{1. / 3, 1. / 3, 1. / 3, 1. / 3}, s.sizes[:4])
	require.Equal(t, 4./3, s.points[4])
	require.InDelta(t, 10./7, s.points[4]+s.sizes[4], 1e-15)
	require.Contains(t, r.csv.String(), "\n1.4285714285714286,")
}
