package support_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/mocksim"
	"gosmp/mocksim/support"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/simapi"
	"gosmp/timebase"
)

// TestWeather_ReachesTheMessagesOrIsRefused checks that every part of a director's weather either
// reaches the messages or is refused.
func TestWeather_ReachesTheMessagesOrIsRefused(t *testing.T) {
	ctx := t.Context()
	var world *mocksim.World
	sim := support.New(support.Options{Traffic: mocksim.Traffic{Count: 1},
		Populated: func(w *mocksim.World) { world = w }})
	server := simapi.NewServer(simapi.Config{Name: "mocksim", Simulator: sim})
	defer func() { _ = server.Close() }()
	c, err := server.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	_, err = c.Init(ctx, &simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: ring}})
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(ctx))
	_, err = c.CreateActor(ctx, &simapi.CreateActor{ActorId: "ego",
		Description: &simapi.ActorDescription{ActorType: "car"},
		State:       &simapi.ActorState{Position: at(20, -1.75)}})
	require.NoError(t, err)
	require.NoError(t, c.SetWeather(ctx, &simapi.SetWeather{Snow: proto.Float64(5),
		CloudCover: proto.Float64(0.5), WindSpeed: proto.Float64(7), WindYaw: proto.Float64(1)}))
	require.NoError(t, c.SetTimeOfDay(ctx, &simapi.SetTimeOfDay{SecondsSinceMidnight: 3600,
		Date: "2026-05-17"}))

	maker, err := truth.New(world, truth.Options{Host: "ego", Static: truth.Never})
	require.NoError(t, err)
	b, err := maker.GroundTruth()
	require.NoError(t, err)
	g := &osi3.GroundTruth{}
	require.NoError(t, proto.Unmarshal(b, g))
	e := g.EnvironmentalConditions
	require.Equal(t, "PRECIPITATION_MODERATE", e.Precipitation.String())
	require.Equal(t, "FRACTIONAL_CLOUD_COVER_FOUR_OKTAS", e.Clouds.FractionalCloudCover.String())
	require.InDelta(t, 7, e.Wind.GetSpeed(), 0)
	require.InDelta(t, 1-3.141592653589793, e.Wind.GetOriginDirection(), 1e-12,
		"where it comes from")
	require.EqualValues(t, 1_778_979_600, e.GetUnixTimestamp())

	saved := world.AppendState(nil)
	require.NoError(t, c.SetWeather(ctx, &simapi.SetWeather{WindSpeed: proto.Float64(0)}))
	require.NoError(t, world.Restore(saved))
	require.InDelta(t, 7, world.Weather().WindSpeed, 0)

	for _, err := range []error{
		c.SetWeather(ctx, &simapi.SetWeather{AdditionalProperty: []*simapi.Property{
			{Name: "pollen", Value: "3"}}}),
		c.SetTimeOfDay(ctx, &simapi.SetTimeOfDay{Date: "yesterday"}),
		c.SetTimeOfDay(ctx, &simapi.SetTimeOfDay{SecondsSinceMidnight: 86400}),
		c.SetTimeOfDay(ctx, &simapi.SetTimeOfDay{SecondsSinceMidnight: math.NaN()}),
		c.SetTimeOfDay(ctx, &simapi.SetTimeOfDay{Date: "1900-01-01"}),
		c.SetWeather(ctx, &simapi.SetWeather{WindSpeed: proto.Float64(1000)}),
	} {
		require.Error(t, err)
	}
}

// TestTimeOfDay_KeepsTheDate checks that a time alone leaves the date as it is, also after midnight,
// and that a refused date leaves the time as it is.
func TestTimeOfDay_KeepsTheDate(t *testing.T) {
	var world *mocksim.World
	c := begun(t, support.Options{Traffic: mocksim.Traffic{Count: 1},
		Populated: func(w *mocksim.World) { world = w }}, &simapi.MapInfo{Path: ring})
	const date = 20_590 // 2026-05-17
	require.NoError(t, c.SetTimeOfDay(t.Context(), &simapi.SetTimeOfDay{
		SecondsSinceMidnight: 86399.99, Date: "2026-05-17"}))
	_, err := world.Step(20 * timebase.Millisecond)
	require.NoError(t, err)
	now, _ := world.Date()
	require.EqualValues(t, date+1, now)
	require.NoError(t, c.SetTimeOfDay(t.Context(),
		&simapi.SetTimeOfDay{SecondsSinceMidnight: 3600}))
	now, _ = world.Date()
	require.EqualValues(t, date+1, now)

	for _, refused := range []string{"2026-02-30", "1969-12-31"} {
		err = c.SetTimeOfDay(t.Context(), &simapi.SetTimeOfDay{SecondsSinceMidnight: 7200,
			Date: refused})
		require.Error(t, err)
		require.Equal(t, 3600*timebase.Second, world.TimeOfDay(), refused)
	}
	require.ErrorContains(t, err, "found 1969-12-31")
}

// TestWeather_EachCombination sets every combination of the fields of SetWeather, and checks that
// each field changes the messages, and that it makes no difference whether fields are set together
// or one by one.
func TestWeather_EachCombination(t *testing.T) {
	var world *mocksim.World
	c := begun(t, support.Options{Traffic: mocksim.Traffic{Count: 1},
		Populated: func(w *mocksim.World) { world = w }}, &simapi.MapInfo{Path: ring})
	fair := world.Weather()
	environment := func() *osi3.EnvironmentalConditions {
		r, err := c.GroundTruth(t.Context(), &simapi.GetGroundTruth{})
		require.NoError(t, err)
		g := &osi3.GroundTruth{}
		require.NoError(t, proto.Unmarshal(r.GetGroundTruth(), g))
		return g.EnvironmentalConditions
	}
	values := map[protoreflect.Name]float64{"temperature": 260, "atmospheric_pressure": 95000,
		"relative_humidity": 0.9, "cloud_cover": 0.7, "rain": 3, "snow": 30, "visibility": 90,
		"wind_speed": 12, "wind_yaw": 2}
	fields := (&simapi.SetWeather{}).ProtoReflect().Descriptor().Fields()
	var known []protoreflect.FieldDescriptor
	for k := range fields.Len() {
		if f := fields.Get(k); f.Kind() == protoreflect.DoubleKind {
			require.Contains(t, values, f.Name())
			known = append(known, f)
		}
	}
	require.Len(t, known, fields.Len()-1, "all but additional_property, which is refused")
	for set := range 1 << len(known) {
		require.NoError(t, world.SetWeather(fair))
		together, before := &simapi.SetWeather{}, environment()
		for k, f := range known {
			if set>>k&1 == 0 {
				continue
			}
			v := protoreflect.ValueOfFloat64(values[f.Name()])
			together.ProtoReflect().Set(f, v)
			alone := &simapi.SetWeather{}
			alone.ProtoReflect().Set(f, v)
			require.NoError(t, c.SetWeather(t.Context(), alone))
			after := environment()
			windless := f.Name() == "wind_yaw" && world.Weather().WindSpeed == 0
			dry := f.Name() == "snow" || f.Name() == "rain"
			if !windless && !dry || set == 1<<k && !windless {
				require.False(t, proto.Equal(before, after), "%s, set %b", f.Name(), set)
			}
			before = after
		}
		require.NoError(t, world.SetWeather(fair))
		require.NoError(t, c.SetWeather(t.Context(), together))
		require.True(t, proto.Equal(before, environment()), "%v", together)
	}
}
