package bench

import (
	"context"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	openscenario "gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/play"
)

// BenchmarkScenario measures a step of 0.01 s of three cars on a ring whose speed changes all the
// time, without output and with a row of CSV for each car.
func BenchmarkScenario(b *testing.B) {
	b.Run("alone", func(b *testing.B) { playRing(b, nil) })
	b.Run("csv", func(b *testing.B) { playRing(b, io.Discard) })
}

func playRing(b *testing.B, to io.Writer) {
	d, err := openscenario.Open("ring.xosc")
	require.NoError(b, err)
	s, err := d.Resolve(openscenario.Values{"End": "1e9"})
	require.NoError(b, err)
	w, err := entities.New(s, entities.Options{})
	require.NoError(b, err)
	defer w.Close()
	p, err := play.New(s, w, play.Options{Trajectories: to, Interval: play.DefaultStep,
		Duration: math.Inf(1)})
	require.NoError(b, err)
	over, err := p.Start(context.Background())
	require.NoError(b, err)
	require.False(b, over)
	for b.Loop() {
		if over, err := p.Step(context.Background()); over || err != nil {
			b.Fatal(over, err)
		}
	}
	b.ReportMetric(play.DefaultStep*float64(b.N)/b.Elapsed().Seconds(), "sim-s/s")
}
