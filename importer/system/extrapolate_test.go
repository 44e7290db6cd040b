//go:build linux && cgo

package system_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// The FMU outputs the value that its input has at the end of the step. Its clock, sent to another
// FMU, arrives one step late if it is held in a parallel run. It arrives on time if it is
// extrapolated, even in the first step if the producer provides the derivatives of its outputs.
func TestExtrapolate_SendsSlopesToFMUsThatInterpolate(t *testing.T) {
	able := testfmu.Build(t, testfmu.Recipe{Describe: func(xml string) string {
		return strings.Replace(xml, "<CoSimulation ", `<CoSimulation canInterpolateInputs="true" `,
			1)
	}})
	stating := testfmu.Build(t, testfmu.Recipe{Describe: func(xml string) string {
		return strings.Replace(xml, "<CoSimulation ", `<CoSimulation maxOutputDerivativeOrder="1" `,
			1)
	}})
	updating := func(attribute string) string {
		return testfmu.Build(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep update"},
			Describe: func(xml string) string {
				return strings.NewReplacer(
					"<CoSimulation ", `<CoSimulation providesIntermediateUpdate="true" `,
					`name="in" `, `name="in" `+attribute).Replace(xml)
			}})
	}
	asking, silent := updating(`intermediateUpdate="true" `), updating("")
	for _, c := range []struct {
		producer, consumer string
		texts              []string
		want               []float64
	}{
		{able, able, nil, []float64{0, 0, 0.25, 0.5, 0.75}},
		{able, able, []string{"linear"}, []float64{0, 0, 0.5, 0.75, 1}},
		{able, able, []string{"b.in=linear"}, []float64{0, 0, 0.5, 0.75, 1}},
		{able, able, []string{"linear", "b.in=hold"}, []float64{0, 0, 0.25, 0.5, 0.75}},
		{stating, able, []string{"linear"}, []float64{0, 0.25, 0.5, 0.75, 1}},
		{stating, able, nil, []float64{0, 0, 0.25, 0.5, 0.75}},
		// the last intermediate update occurs at three quarters of a step
		{able, asking, []string{"linear"}, []float64{0, 0, 0.4375, 0.6875, 0.9375}},
		{able, asking, nil, []float64{0, 0, 0.25, 0.5, 0.75}},
		{able, silent, []string{"linear"}, []float64{0, 0, 0.25, 0.5, 0.75}},
	} {
		s, err := system.Open([]string{"a=" + c.producer, "b=" + c.consumer})
		require.NoError(t, err)
		require.NoError(t, s.Connect([]string{"a.clock=b.in"}))
		require.NoError(t, s.Extrapolate(c.texts))
		pool := &importer.Pool{}
		e, err := s.Engine(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.25),
			Algorithm: cosim.Parallel}, pool,
			func(*system.Part) importer.Options { return importer.Options{} })
		require.NoError(t, err)
		out := e.Watch("b.out")
		require.NoError(t, e.Start(context.Background()))
		got := []float64{math.Float64frombits(out.Cells()[0])}
		for more := true; more; {
			more, err = e.Step(context.Background())
			require.NoError(t, err)
			got = append(got, math.Float64frombits(out.Cells()[0]))
		}
		_, err = e.Finish(context.Background())
		require.NoError(t, err)
		require.NoError(t, pool.Close())
		require.InDeltaSlice(t, c.want, got, 1e-12, c.texts)
	}
}

func TestExtrapolate_RefusesWhatItCannotDo(t *testing.T) {
	path := testfmu.Build(t, testfmu.Recipe{})
	s, err := system.Open([]string{"a=" + path, "b=" + path})
	require.NoError(t, err)
	require.NoError(t, s.Connect([]string{"a.out=b.in"}))
	for text, want := range map[string]string{"cubic": `found "cubic", expected hold or linear`,
		"b.in=":       `found "", expected hold or linear`,
		"a.in=linear": "found a.in without a connection, expected an input that another FMU makes",
		"c.in=hold":   `found "c.in", expected FMU.variable of a, b`} {
		require.ErrorContains(t, s.Extrapolate([]string{text}), want)
	}
}
