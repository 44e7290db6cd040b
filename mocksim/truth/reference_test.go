package truth_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// referredLight is a map of two roads with a light on road 2 to which only road 1 refers.
func referredLight(t *testing.T) *opendrive.Map {
	t.Helper()
	road := func(id int, y float64, signals string) string {
		return fmt.Sprintf(`<road id="%d" length="300" junction="-1"><planView>
<geometry s="0" x="0" y="%g" hdg="0" length="300"><line/></geometry></planView><lanes>
<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes>
<signals>%s</signals></road>`, id, y, signals)
	}
	m, err := opendrive.Read("referred.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+
			road(1, 0, `<signalReference id="7" s="100" t="-4" orientation="+"/>`)+
			road(2, 50, `<signal id="7" s="5" t="-4" dynamic="yes" orientation="+" zOffset="3"
country="OpenDRIVE" type="1000001" subtype="-1"><validity fromLane="0" toLane="0"/></signal>`)+
			`</OpenDRIVE>`))
	require.NoError(t, err)
	return m
}

// TestLights_OfReferencesAreLit checks that the bulbs of a light to which another road refers show
// its color in each message, and that they belong to the lane of that road. A car stops at red
// there, and continues at green.
func TestLights_OfReferencesAreLit(t *testing.T) {
	w, err := mocksim.New(referredLight(t), mocksim.Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego",
		Start: mocksim.OnRoad("1", -1, 20).WithSpeed(10)}))
	require.NoError(t, w.SetController("ego", mocksim.Controller{}))
	made, err := truth.New(w, truth.Options{Host: "ego", Static: truth.Every})
	require.NoError(t, err)
	for _, c := range []struct {
		colour mocksim.Light
		lit    osi3.TrafficLight_Classification_Color
		passes bool
	}{
		{mocksim.LightOff, 0, false}, // for a moment
		{mocksim.LightRed, osi3.TrafficLight_Classification_COLOR_RED, false},
		{mocksim.LightGreen, osi3.TrafficLight_Classification_COLOR_GREEN, true},
		{mocksim.LightYellow, osi3.TrafficLight_Classification_COLOR_YELLOW, true},
	} {
		require.NoError(t, w.SetLight("7", c.colour))
		seconds := timebase.Time(15)
		if c.colour == mocksim.LightOff {
			seconds = 1
		}
		for end := w.Time() + seconds*timebase.Second; w.Time() < end; {
			_, err := w.Step(100 * timebase.Millisecond)
			require.NoError(t, err)
			b, err := made.GroundTruth()
			require.NoError(t, err)
			g := &osi3.GroundTruth{}
			require.NoError(t, proto.Unmarshal(b, g))
			requireBulbs(t, g, c.lit)
		}
		require.Equal(t, c.passes, w.At(0).Place().S > 100, c.colour)
	}
}

// requireBulbs checks that one of three bulbs is lit, or none, and that all belong to lane -1 of
// road 1.
func requireBulbs(t *testing.T, g *osi3.GroundTruth, lit osi3.TrafficLight_Classification_Color) {
	t.Helper()
	lanes := map[uint64][]string{}
	for _, l := range g.Lane {
		lanes[l.Id.GetValue()] = l.SourceReference[0].Identifier
	}
	require.Len(t, g.TrafficLight, 3)
	for _, l := range g.TrafficLight {
		c := l.Classification
		want := osi3.TrafficLight_Classification_MODE_OFF
		if c.GetColor() == lit {
			want = osi3.TrafficLight_Classification_MODE_CONSTANT
		}
		require.Equal(t, want, c.GetMode(), c.GetColor())
		require.Len(t, c.AssignedLaneId, 1)
		require.Equal(t, []string{"1", "0", "-1"}, lanes[c.AssignedLaneId[0].GetValue()])
	}
}
