package hub_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sensor/hub"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// flight has two rows of a barometer and one of a thermometer, 20 ms apart.
const flight = `SensorID,Timestamp
2,1000,101325,293
32,1020,293
2,1040,101300,293
0,1060
`

// drivers returns the drivers with these names, which replay flight.
func drivers(t *testing.T, names ...string) (list []hub.Driver) {
	for _, name := range names {
		d, file, err := simsensor.ParseDriver(name + ":flight.csv")
		require.NoError(t, err)
		list = append(list, hub.Driver{Driver: d, Name: file, Content: []byte(flight)})
	}
	return list
}

// played replays and returns the events as text.
func played(ctx context.Context, t *testing.T, o hub.Options) (events []string, err error) {
	o.Event = func(e hub.Event) error {
		events = append(events, fmt.Sprint(e.At, " ", e.Driver, " ", e.Row.Kind))
		return nil
	}
	h, err := hub.New(o)
	require.NoError(t, err)
	defer h.Close()
	return events, h.Run(ctx)
}

// The clock decides only when events are published, not which.
func TestHub_SpeedsAgree(t *testing.T) {
	want := []string{"0.000000000s baro_sim barometer", "0.020000000s temp_sim thermometer",
		"0.040000000s baro_sim barometer"}
	for _, speed := range []float64{0, 1, 1000} {
		got, err := played(t.Context(), t, hub.Options{Speed: speed,
			Drivers: drivers(t, "baro_sim", "temp_sim")})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// Two drivers may have the same name.
func TestHub_SameDriverTwice(t *testing.T) {
	got, err := played(t.Context(), t, hub.Options{Drivers: drivers(t, "temp_sim", "temp_sim")})
	require.NoError(t, err)
	require.Len(t, got, 2)
}

// A replay ends before the time at which it should end, or when its context ends.
func TestHub_Ends(t *testing.T) {
	o := hub.Options{Drivers: drivers(t, "baro_sim"), Until: 40 * timebase.Millisecond}
	got, err := played(t.Context(), t, o)
	require.NoError(t, err)
	require.Len(t, got, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err = played(ctx, t, hub.Options{Drivers: drivers(t, "baro_sim")})
	require.NoError(t, err)
	require.Empty(t, got)
}

// An error of the receiver ends the replay.
func TestHub_ReceiverFails(t *testing.T) {
	full, calls := errors.New("full"), 0
	for _, speed := range []float64{0, 1000} {
		h, err := hub.New(hub.Options{Drivers: drivers(t, "baro_sim"), Speed: speed,
			Event: func(hub.Event) error { calls++; return full }})
		require.NoError(t, err)
		require.ErrorIs(t, h.Run(t.Context()), full)
		require.Equal(t, 1, calls)
		h.Close()
		calls = 0
	}
}

// A driver whose sensors are not in the file is refused.
func TestNew_NoRows(t *testing.T) {
	_, err := hub.New(hub.Options{Drivers: drivers(t, "baro_sim", "gps_sim")})
	require.ErrorIs(t, err, hub.ErrNoRows)
	require.ErrorContains(t, err, "found rows of barometer and thermometer, expected rows of gps")
}
