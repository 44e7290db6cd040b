package sensor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sensor"
)

func TestStamp_KnownFromTheFirstSampleOn(t *testing.T) {
	var s sensor.Stamp
	require.False(t, s.Known())
	require.True(t, sensor.Stamp{Count: 1}.Known(), "also at time 0")
	require.False(t, sensor.Stamp{Time: 5}.Known())
}

func TestGPS_HeadingThatWasNeverFilledInIsUnknown(t *testing.T) {
	fix := sensor.Stamp{Count: 1}
	for _, c := range []struct {
		name string
		gps  sensor.GPS
		want bool
	}{
		{"nothing", sensor.GPS{Stamp: fix}, false},
		{"a heading", sensor.GPS{Stamp: fix, Fix: sensor.Fix{Heading: 0.001}}, true},
		{"due north, with an accuracy",
			sensor.GPS{Stamp: fix, Fix: sensor.Fix{HeadingAccuracy: 0.02}}, true},
		{"no fix", sensor.GPS{Fix: sensor.Fix{Heading: 1, HeadingAccuracy: 1}}, false},
		{"an offset alone says nothing", sensor.GPS{Stamp: fix, Fix: sensor.Fix{HeadingOffset: 1}},
			false},
	} {
		require.Equal(t, c.want, c.gps.HeadingKnown(), c.name)
	}
}
