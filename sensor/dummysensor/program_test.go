package dummysensor

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// The clock catches a panic in the callback of an activity; the step, and only this one, must still
// fail.
func TestProgram_APanicEndsTheStep(t *testing.T) {
	calls := 0
	p, err := newProgram(0, nil, nil, handlers{
		detect: func(timebase.Span, []byte) bool { return true },
		emit: func(timebase.Span, []byte) error {
			if calls++; calls == 2 {
				panic("out of range")
			}
			return nil
		},
	})
	require.NoError(t, err)
	require.NoError(t, p.step(timebase.Span{End: benchStep}, []byte{1}))
	require.ErrorContains(
		t,
		p.step(timebase.Span{Start: benchStep, End: 2 * benchStep}, []byte{1}),
		"out of range",
	)
	require.NoError(t, p.step(timebase.Span{Start: 2 * benchStep, End: 3 * benchStep}, []byte{1}))
}

// Detection and output are triggered by the step together with their data. A SensorView that comes
// and goes is processed in its own step. In other steps, the output is produced without it, and
// nothing is delayed or repeated.
func TestProgram_DetectionAndOutputNeedTimeAndData(t *testing.T) {
	var detected, alone, together []timebase.Span
	usable := true
	p, err := newProgram(0, nil, nil, handlers{
		detect: func(s timebase.Span, _ []byte) bool {
			detected = append(detected, s)
			return usable
		},
		emit: func(s timebase.Span, view []byte) error {
			if view == nil {
				alone = append(alone, s)
			} else {
				together = append(together, s)
			}
			return nil
		},
	})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, p.node.WriteText(&text))
	for _, line := range []string{
		`activity detector/detect: manager 0, order 0, triggered by And(alarm host/step every ` +
			`step, channel "SensorView", entry 0 read by detector)`,
		`activity sensor/emit: manager 0, order 0, triggered by And(alarm host/step every step, ` +
			`channel "scene", entry 0 read by sensor)`,
	} {
		require.Contains(t, text.String(), line)
	}

	span := timebase.Span{}
	step := func(view []byte) timebase.Span {
		span = timebase.Span{Start: span.End, End: span.End + benchStep}
		require.NoError(t, p.step(span, view))
		return span
	}
	var seen, unseen, unused []timebase.Span
	for k := range 9000 { // more than the spans that a trigger keeps
		if usable = k%7 != 0; k%3 > 0 {
			unseen = append(unseen, step(nil))
			continue
		}
		s := step([]byte{1})
		if seen = append(seen, s); !usable {
			unused = append(unused, s)
		}
	}
	require.Equal(t, seen, detected)
	require.Len(t, together, len(seen)-len(unused))
	require.Len(t, alone, len(unseen)+len(unused))
	require.NotContains(t, together, unused[0])
	require.Contains(t, alone, unused[0])
	require.Zero(t, p.node.Findings(activity.TriggerBacklog))
	require.Zero(t, p.node.Findings(activity.StreamGap))
}

// A counter that exceeds fmi2Integer stays at its maximum.
func TestSaturated(t *testing.T) {
	for n, want := range map[int64]int32{
		0: 0, math.MaxInt32 - 1: math.MaxInt32 - 1, math.MaxInt32: math.MaxInt32,
		math.MaxInt32 + 1: math.MaxInt32, math.MaxInt64: math.MaxInt32,
	} {
		require.Equal(t, want, saturated(n))
	}
}

// A step without a usable SensorView is not a gap in the streams: only the input failed.
func TestProgram_MissingViewsAreNotGaps(t *testing.T) {
	var found []activity.Finding
	usable := true
	p, err := newProgram(0, nil, nil, handlers{
		detect:   func(timebase.Span, []byte) bool { return usable },
		emit:     func(timebase.Span, []byte) error { return nil },
		diagnose: func(d activity.Diagnostic) { found = append(found, d.Finding) },
	})
	require.NoError(t, err)
	span := timebase.Span{}
	step := func(view []byte) {
		span = timebase.Span{Start: span.End, End: span.End + benchStep}
		require.NoError(t, p.step(span, view))
	}
	for range 2 {
		step([]byte{1})
		step(nil)
		step([]byte{1})
		usable = false
		step([]byte{1})
		usable = true
		step([]byte{1})
	}
	failed, restored := activity.InputFailed, activity.InputRestored
	require.Equal(
		t,
		[]activity.Finding{failed, restored, failed, restored, failed, restored, failed, restored},
		found,
	)
}

// A SensorView reaches detection and output as data of its channels, even in a step whose rows take
// several rounds. After the step, neither the data kept by the channels nor a saved state refers to
// the host's memory.
func TestProgram_SensorViewsTravelInTheirChannels(t *testing.T) {
	var detected, emitted []string
	p, err := newProgram(0, nil, nil, handlers{
		detect: func(_ timebase.Span, view []byte) bool {
			detected = append(detected, string(view))
			return true
		},
		emit: func(_ timebase.Span, view []byte) error {
			emitted = append(emitted, string(view))
			return nil
		},
	})
	require.NoError(t, err)
	for k, view := range []string{"one", "two", "", "four"} {
		p.more = view == "four" // as after a portion of rows
		start := timebase.Time(k) * benchStep
		var bytes []byte
		if view != "" {
			bytes = []byte(view)
		}
		if p.more {
			p.input.bytes = bytes
			require.NoError(t, p.clock.AdvanceTo(start+benchStep))
			require.NotContains(t, emitted, "four", "the output waits for the rows")
			scene := take(p.sceneRead, timebase.Span{Start: start, End: start + benchStep})
			require.Equal(
				t,
				"four",
				string(scene.data()),
				"and finds the scene when they are there",
			)
			p.more, p.input.bytes = false, nil
			continue
		}
		require.NoError(t, p.step(timebase.Span{Start: start, End: start + benchStep}, bytes))
	}
	require.Equal(t, []string{"one", "two", "four"}, detected)
	require.Equal(t, []string{"one", "two", ""}, emitted)
	for _, reader := range []*activity.Reader[view]{p.viewRead, p.sceneRead} {
		newest, ok := reader.Newest()
		require.True(t, ok)
		require.Nil(t, newest.Value.data())
	}
	saved, err := p.appendState(nil)
	require.NoError(t, err)
	require.NotContains(t, string(saved), "four")
}
