package dummysensor_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/sensor/simsensor/demodrive"
)

// flight returns a synthetic scenario with the rates of a recorded flight: three sensors at 360 Hz,
// barometer at 24 Hz, GPS at 5 Hz, in microseconds.
func flight() string {
	var b strings.Builder
	for k := range 3600 {
		at := 2778 * k
		fmt.Fprintf(&b, "1,%d,%d,2,-9807\n8,%d,1,2,3,4,5,6\n16,%d,200,-10,430\n", at, k%100, at, at)
		if k%15 == 0 {
			fmt.Fprintf(&b, "2,%d,%d,290\n", at, 100000+k)
		}
		if k%72 == 0 {
			fmt.Fprintf(&b,
				"4,%d,%d,52300000000,%d,%d,140,216,131000,5000,3000,-4000,500,1500,2500,250,785,1"+
					"0,20,9,3\n",
				at, 95000+k, 13400000000+k*1000, 1700000000000000+at)
		}
	}
	return b.String()
}

func TestStep_NoAllocationsAfterWarmUp(t *testing.T) {
	var demo bytes.Buffer
	require.NoError(t, demodrive.Write(&demo))
	view := marshal(t, sensorView(1, 50))
	for _, c := range []struct {
		name, scenario, unit string
		h                    int64
		connected            bool
	}{
		{"demo", demo.String(), "ms", cycle, false},
		{"demo with a SensorView", demo.String(), "ms", cycle, true},
		{"flight", flight(), "us", 2_500_000, false},
		{"flight with a SensorView", flight(), "us", 2_500_000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := started(t, c.scenario, set{"replay.timeUnit": c.unit})
			address := r.memory.Provide(view)
			lo, hi := int32(uint32(address)), int32(uint32(address>>32))
			in, input := []fmi.ValueReference{0, 1, 2}, []int32{lo, hi, int32(len(view))}
			out, triple := []fmi.ValueReference{3, 4, 5}, make([]int32, 3)
			reals, values := []fmi.ValueReference{}, make([]float64, 20)
			for k := range values {
				reals = append(reals, fmi.ValueReference(k))
			}
			round := func() {
				status := fmi.OK
				if c.connected {
					status = r.SetInteger(in, input)
				}
				status = max(status, r.DoStep(float64(r.now)/1e9, float64(c.h)/1e9),
					r.GetInteger(out, triple), r.GetReal(reals, values))
				r.now += c.h
				if status != fmi.OK || triple[2] == 0 {
					panic(r.log.Lines)
				}
			}
			for range 100 {
				round()
			}
			require.Zero(t, testing.AllocsPerRun(1000, round))
		})
	}
}
