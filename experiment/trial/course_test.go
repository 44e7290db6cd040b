package trial_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/trial"
)

// course returns the content of a trial's report, as text. Both trials of a comparison have the
// same map.
func course(t *testing.T, x *trial.Trial) string {
	t.Helper()
	c := x.Course()
	require.NotNil(t, c.Roads)
	c.Roads = nil
	text, err := json.Marshal(c)
	require.NoError(t, err)
	return string(text)
}

// TestCourse checks what a report shows: the states, a curve of each vehicle, and a scene at each
// change of a state.
func TestCourse(t *testing.T) {
	x := open(t, files(t, false), trial.Options{})
	v, err := x.Run(t.Context())
	require.NoError(t, err)
	c := x.Course()
	require.Equal(t, v, c.Verdict)
	require.Contains(t, c.Text, "without touching it")
	require.Equal(t, v.Time, c.End.Seconds())
	require.NotEmpty(t, c.Records)
	require.Equal(t, []string{"ego", "lead"}, c.Vehicles)
	var curves []string
	for _, curve := range c.Curves {
		require.NotEmpty(t, curve.Buckets)
		curves = append(curves, curve.Name)
	}
	require.Contains(t, curves, "ego.speed")
	require.NotEmpty(t, c.Scenes)
	for _, s := range c.Scenes {
		require.Len(t, s.Actors, 2)
		require.True(t, slices.ContainsFunc(c.Records, func(r scxml.Record) bool {
			return r.Time == s.Time && r.Kind == scxml.Followed
		}))
	}
}

// TestCourse_Film: a film has pictures at regular intervals, and no more for a long trial than for
// a short one.
func TestCourse_Film(t *testing.T) {
	x := open(t, files(t, false), trial.Options{Film: true})
	v, err := x.Run(t.Context())
	require.NoError(t, err)
	film := x.Course().Film
	require.NotEmpty(t, film)
	require.LessOrEqual(t, len(film), 1200)
	require.Zero(t, film[0].Time)
	require.InDelta(t, v.Time, film[len(film)-1].Time.Seconds(), 1)
	for k := range film[1:] {
		require.Greater(t, film[k+1].Time, film[k].Time)
	}
}
