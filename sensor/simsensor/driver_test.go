package simsensor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

func TestS10_DriverArgumentIsSplitAtTheFirstColon(t *testing.T) {
	d, file, err := ParseDriver("baro_sim:./etc/12:30:00.csv")
	require.NoError(t, err)
	require.Equal(t, "./etc/12:30:00.csv", file)
	require.Equal(t, "baro_sim", d.Name)
	require.True(t, d.Publishes(Barometer))
	require.False(t, d.Publishes(GPS))
	for argument, want := range map[string]string{
		"baro_sim": "expected name:file", "baro_sim:": "expected name:file", ":x.csv": `found ""`,
		"baro:x.csv": "write baro_sim:x.csv", "sonar_sim:x.csv": "one of accel_sim, baro_sim",
	} {
		_, _, err := ParseDriver(argument)
		require.ErrorIs(t, err, ErrDriver, argument)
		require.ErrorContains(t, err, want, argument)
	}
}

func TestS11_EverySensorHasASimulatedDriver(t *testing.T) {
	for _, k := range Kinds() {
		n := 0
		for _, d := range Drivers() {
			if d.Publishes(k) && len(d.Kinds) == 1 {
				n++
			}
		}
		require.Equal(t, 1, n, "%v", k)
	}
}

func TestDue_IsTheTimeOfTheNextRow(t *testing.T) {
	p, err := Open(write(t, "32,5,280\n32,15,281\n0\n"), Options{Start: timebase.Second})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	for _, want := range []timebase.Time{timebase.Second, timebase.Second +
		10*timebase.Millisecond} {
		at, ok, err := p.Due()
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, at)
		var row Row
		published, ok, err := p.Next(at, &row)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, at, published)
	}
	_, ok, err := p.Due()
	require.NoError(t, err)
	require.False(t, ok, "the end row")
}
