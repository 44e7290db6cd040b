package support_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/support"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/simapi"
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
		c.SetTimeOfDay(ctx, &simapi.SetTimeOfDay{Date: "1900-01-01"}),
		c.SetWeather(ctx, &simapi.SetWeather{WindSpeed: proto.Float64(1000)}),
	} {
		require.Error(t, err)
	}
}
