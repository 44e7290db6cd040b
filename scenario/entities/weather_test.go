package entities_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/scenario/storyboard"
)

// TestEnvironment_WithValuesThatOSIDoesNotHave checks that weather that OSI messages cannot express
// is replaced by the closest expressible weather, with a note.
func TestEnvironment_WithValuesThatOSIDoesNotHave(t *testing.T) {
	weather := func(attributes string) string {
		return `<GlobalAction><EnvironmentAction><Environment name="e"><Weather ` + attributes +
			`/></Environment></EnvironmentAction></GlobalAction>`
	}
	r := start(t, car("A", "10"), weather(`atmosphericPressure="10000" temperature="400"`)+one(10),
		"")
	v := r.world.Simulation().Weather()
	require.InDelta(t, 80_000, v.Pressure, 0)
	require.InDelta(t, 340, v.Temperature, 0)
	require.Len(t, r.notes, 2)
	require.Equal(t, "limited", r.notes[0].Kind)
	require.Equal(t, storyboard.NoEntity, r.notes[0].Entity)
	require.Equal(t, "pressure of the weather 10000 Pa to 80000 Pa, because OSI has no others",
		r.notes[0].Text)
	r = start(t, car("A", "10"), weather(`atmosphericPressure="95000" temperature="280"`)+one(10),
		"")
	require.InDelta(t, 95_000, r.world.Simulation().Weather().Pressure, 0)
	require.Empty(t, r.notes)
}

// TestEnvironment_InMessages checks that each part of an environment is either in the ground truth
// or named in a note.
func TestEnvironment_InMessages(t *testing.T) {
	weather := func(parts string) *run {
		return start(t, car("A", "10"), `<GlobalAction><EnvironmentAction><Environment name="e">`+
			parts+`</Environment></EnvironmentAction></GlobalAction>`+one(10), "")
	}
	r := weather(`<TimeOfDay animation="false" dateTime="2026-11-27T23:59:58"/>
<Weather fractionalCloudCover="fourOktas"><Sun azimuth="1.5" elevation="0.5" illuminance="500"/>
<Fog visualRange="100"><BoundingBox><Center x="0" y="0" z="0"/>
<Dimensions width="1" length="1" height="1"/></BoundingBox></Fog>
<Precipitation precipitationType="snow" precipitationIntensity="3"/>
<Wind direction="1" speed="7"/><DomeImage><DomeFile filepath="sky.png"/></DomeImage></Weather>
<RoadCondition frictionScaleFactor="0.5" wetness="moist"/>`)
	var shown []string
	for _, n := range r.notes {
		require.Equal(t, "not shown", n.Kind)
		shown = append(shown, n.Text)
	}
	require.Equal(t, []string{"the condition of the road, which is in no message",
		"the image of the sky, which is in no message",
		"the place of the fog, which is in no message"}, shown)
	e := truthOf(t, r).EnvironmentalConditions
	day := time.Date(2026, 11, 27, 23, 59, 58, 0, time.UTC).Unix()
	require.Equal(t, day, e.GetUnixTimestamp())
	require.EqualValues(t, 23*3600+59*60+58, e.TimeOfDay.GetSecondsSinceMidnight())
	require.InDelta(t, 1.5, e.Sun.GetAzimuth(), 0)
	require.InDelta(t, 0.5, e.Sun.GetElevation(), 0)
	require.InDelta(t, 500, e.Sun.GetIntensity(), 0)
	require.Equal(t, osi3.EnvironmentalConditions_AMBIENT_ILLUMINATION_LEVEL7,
		e.GetAmbientIllumination())
	require.InDelta(t, 7, e.Wind.GetSpeed(), 0)
	require.InDelta(t, 1-math.Pi, e.Wind.GetOriginDirection(), 1e-12, "the wind comes from there")
	require.Equal(t, osi3.EnvironmentalConditions_PRECIPITATION_MODERATE, e.GetPrecipitation())
	require.Equal(t, osi3.EnvironmentalConditions_FOG_THICK, e.GetFog())
	v := r.world.Simulation().Weather()
	require.InDelta(t, 3, v.Snow, 0)
	require.Zero(t, v.Precipitation)
	r.until(3, 0)
	require.Equal(t, day+3, truthOf(t, r).EnvironmentalConditions.GetUnixTimestamp(),
		"the next day has begun")

	r = weather(`<Weather><Precipitation precipitationType="rain" intensity="1"/></Weather>`)
	require.Empty(t, r.notes)
	e = truthOf(t, r).EnvironmentalConditions
	require.Nil(t, e.Sun)
	require.Nil(t, e.Wind)
	require.Nil(t, e.UnixTimestamp, "no date is made up")
	require.Equal(t, osi3.EnvironmentalConditions_PRECIPITATION_LIGHT, e.GetPrecipitation())
}

func truthOf(t *testing.T, r *run) *osi3.GroundTruth {
	t.Helper()
	m, err := truth.New(r.world.Simulation(), truth.Options{Host: "A", Looks: r.world.Looks()})
	require.NoError(t, err)
	bytes, err := m.GroundTruth()
	require.NoError(t, err)
	g := &osi3.GroundTruth{}
	require.NoError(t, proto.Unmarshal(bytes, g))
	return g
}
