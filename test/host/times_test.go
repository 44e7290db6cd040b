package host_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stamped is a record of times.c.
type stamped struct {
	Point, Size float64
	Stamp       int64
}

func (i importer) times(t *testing.T, how string, n, dividend, divisor int) []stamped {
	t.Helper()
	c := exec.Command(compile(t, "times.c"), i.InstantiationToken, i.resources(),
		i.library(i.binaries()), how, strconv.Itoa(n),
		strconv.Itoa(dividend), strconv.Itoa(divisor))
	var trouble bytes.Buffer
	c.Stderr = &trouble
	output, err := c.Output()
	require.NoError(t, err, trouble.String())
	records := make([]stamped, n)
	require.NoError(t, binary.Read(bytes.NewReader(output), binary.NativeEndian, records))
	return records
}

// nanoseconds rounds exact seconds to the nearest nanosecond.
func nanoseconds(seconds *big.Rat) int64 {
	twice := new(big.Rat).Mul(seconds, big.NewRat(2_000_000_000, 1))
	floor := new(big.Int).Div(twice.Num(), twice.Denom())
	return new(big.Int).Rsh(floor.Add(floor, big.NewInt(1)), 1).Int64()
}

const manySteps = 100_000

// TestTimes_StampsAreTheExactNanosecond makes 100 000 steps of each size, with the communication
// point computed as a product. In each step the timestamp of SensorData is the result of exact
// arithmetic, rounded to a nanosecond.
func TestTimes_StampsAreTheExactNanosecond(t *testing.T) {
	i := newImporter(t)
	for _, size := range [][2]int{{1, 50}, {1, 100}, {1, 3}, {3, 50}, {1, 1000}} {
		t.Run(fmt.Sprintf("%d÷%d s", size[0], size[1]), func(t *testing.T) {
			for k, r := range i.times(t, "product", manySteps, size[0], size[1]) {
				want := nanoseconds(big.NewRat(int64(k+1)*int64(size[0]), int64(size[1])))
				if r.Stamp != want {
					require.Equal(t, want, r.Stamp, "step %d", k)
				}
			}
		})
	}
}

// TestTimes_StampsFollowTheHostsSum makes 100 000 steps of an importer that accumulates time, whose
// sum drifts away from exact arithmetic, and as many of random sizes. The timestamp is the host's
// own communication point, rounded to a nanosecond.
func TestTimes_StampsFollowTheHostsSum(t *testing.T) {
	i := newImporter(t)
	for _, how := range []string{"sum", "random"} {
		t.Run(how, func(t *testing.T) {
			sizes := map[float64]bool{}
			for k, r := range i.times(t, how, manySteps, 1, 3) {
				want := nanoseconds(new(big.Rat).SetFloat64(r.Point + r.Size))
				if r.Stamp != want {
					require.Equal(t, want, r.Stamp, "step %d", k)
				}
				sizes[r.Size] = true
			}
			require.Equal(t, how == "random", len(sizes) > manySteps/2)
		})
	}
}

// coarse holds clocks of importers that cannot represent 1/60 s: a float32, one that accumulates,
// and one that is rounded to microseconds, with or without the step size.
var coarse = map[string]func(k int) (point, size float64){
	"float32": func(k int) (point, size float64) {
		return float64(float32(float64(k) / 60)), float64(float32(1. / 60))
	},
	"float32, an exact step": func(k int) (point, size float64) {
		return float64(float32(float64(k) / 60)), 1. / 60
	},
	"float32, added up": func() func(k int) (point, size float64) {
		sum := float32(0)
		return func(k int) (point, size float64) {
			if sum += 1. / 60; k == 0 {
				sum = 0
			}
			return float64(sum), float64(float32(1. / 60))
		}
	}(),
	"microseconds": func(k int) (point, size float64) {
		return math.Round(float64(k)/60*1e6) / 1e6, 0.016667
	},
	"microseconds, an exact step": func(k int) (point, size float64) {
		return math.Round(float64(k)/60*1e6) / 1e6, 1. / 60
	},
}

// TestTimes_CoarseClocksAreForgiven lets such importers step the packed FMU for a minute: each step
// is performed, and the log states once what was assumed.
func TestTimes_CoarseClocksAreForgiven(t *testing.T) {
	i := newImporter(t)
	for name, clock := range coarse {
		t.Run(name, func(t *testing.T) {
			s := i.script(t).new("coarse", true).call("setup", 0, 61).call("enter").call("exit")
			for k := range 3600 {
				point, size := clock(k)
				s.call("step", point, size)
			}
			said := 0
			for _, a := range s.play(t) {
				require.NotEqual(t, "error", a.text, "%v", a.log)
				for _, line := range a.log {
					if strings.Contains(line.text, "rounded to microseconds or to float32") {
						said++
					}
				}
			}
			require.Equal(t, 1, said)
		})
	}
}

// TestTimes_TheLastStepMayBeShorter uses stop times that are not a multiple of the step, with the
// rest as the last step; steps beyond the stop time, backwards and repeated are refused.
func TestTimes_TheLastStepMayBeShorter(t *testing.T) {
	i := newImporter(t)
	for _, h := range []float64{0.02, 0.01, 1.0 / 3, 0.06, 0.001} {
		for _, rest := range []float64{0.4 * h, 1e-6, 0.99 * h} {
			stop := 10*h + rest
			begin := func() *script {
				s := i.script(t).new("last", true).call("setup", 0, stop).call("enter").call("exit")
				for k := range 10 {
					s.call("step", float64(k)*h, h)
				}
				return s
			}
			begin().call("step", 10*h, stop-10*h).good(t)
			for _, wrong := range []struct {
				what, said string
				point      float64
			}{
				{"a whole step", "end of the step", 10 * h},
				{"the last step once more", "currentCommunicationPoint", 9 * h},
				{"backwards", "currentCommunicationPoint", 8 * h},
				{"a gap", "currentCommunicationPoint", 11 * h},
			} {
				answers := begin().call("step", wrong.point, h).play(t)
				last := answers[len(answers)-1]
				require.Equal(t, "error", last.text, "%s: h %v, stop %v", wrong.what, h, stop)
				require.Len(t, last.log, 1)
				require.Contains(t, last.log[0].text, wrong.said)
			}
			answers := begin().call("step", 10*h, stop-10*h).call("step", stop, h).play(t)
			last := answers[len(answers)-1]
			require.Equal(t, "error", last.text)
			require.Contains(t, last.log[0].text, "stop time")
		}
	}
}
