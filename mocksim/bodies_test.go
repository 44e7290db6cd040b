package mocksim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// threeLanes is a straight road of 300 m with three lanes in one direction.
func threeLanes(t *testing.T) *opendrive.Map {
	t.Helper()
	var lanes strings.Builder
	for k := 1; k <= 3; k++ {
		fmt.Fprintf(&lanes, `<lane id="-%d" type="driving"><width sOffset="0" a="3.5" b="0" c="0" `+
			`d="0"/></lane>`, k)
	}
	m, err := opendrive.Read("three.xodr", strings.NewReader(`<OpenDRIVE><header revMajor="1" `+
		`revMinor="6"/><road id="1" junction="-1" length="300"><planView><geometry s="0" x="0" `+
		`y="0" hdg="0" length="300"><line/></geometry></planView><lanes><laneSection s="0">`+
		`<center><lane id="0" type="none"/></center><right>`+lanes.String()+
		`</right></laneSection></lanes></road></OpenDRIVE>`))
	require.NoError(t, err)
	return m
}

// TestBodies_AreNotDrivenInto checks that a vehicle stops before a body that reaches into its lane
// from a lane farther away, and drives past it if there is room.
func TestBodies_AreNotDrivenInto(t *testing.T) {
	for name, c := range map[string]struct {
		length float64
		stops  bool
	}{
		"reaches into the lane": {14, true},
		"leaves room":           {10, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := New(threeLanes(t), Options{Seed: 1})
			require.NoError(t, err)
			defer w.Close()
			require.NoError(t, w.Create(Actor{Name: "beam", Kind: Static,
				Start: OnRoad("1", -3, 200).Facing(math.Pi / 2),
				Shape: Shape{Length: c.length, Width: 1, Height: 1}}))
			require.NoError(t, w.Create(Actor{Name: "car", Kind: Car,
				Start: OnRoad("1", -1, 20).WithSpeed(15)}))
			require.NoError(t, w.SetController("car", Controller{}))
			for range 600 {
				events, err := w.Step(50 * timebase.Millisecond)
				require.NoError(t, err)
				for k := range events {
					require.NotEqual(t, Collision, events[k].Kind, events[k].String())
				}
			}
			car := w.find("car")
			if !c.stops {
				require.Greater(t, car.state.Position.X, 250.0)
				return
			}
			require.Zero(t, car.state.Speed)
			front := car.state.Position.X + car.shape.Length/2
			require.InDelta(t, 199.5, front, car.driver.MinGap+0.5)
			require.Less(t, front, 199.5)
		})
	}
}
