package signalpage_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/report/internal/pagetest"
	"gosmp/report/signalpage"
)

// A flight in a circle, with a speed and a mode.
func TestWrite_LooksAsBefore(t *testing.T) {
	p := signalpage.New("flight.csv")
	latitude, longitude := p.Signal("gps.latitude", "ndeg", true),
		p.Signal("gps.longitude", "ndeg", true)
	speed, lone := p.Signal("speed", "m/s", false), p.Signal("mode", "", false)
	for k := range 300 {
		t := float64(k) / 10
		north, east := math.Sincos(t / 5)
		latitude.Add(t, 53e9+1e5*north)
		longitude.Add(t, 22e9+1e5*east)
		speed.Add(t, 10+math.Sin(t))
	}
	lone.Add(12, 1)
	var text bytes.Buffer
	require.NoError(t, p.Write(&text))
	pagetest.LooksAsBefore(t, text.Bytes(), 1200)
}
