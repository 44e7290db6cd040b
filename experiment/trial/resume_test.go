package trial_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// AppendState and RestoreState make the brake a [cosim.Keeper]: its only state is its output.
func (b *brake) AppendState(_ context.Context, s []byte) ([]byte, error) { return s, nil }

func (b *brake) RestoreState(context.Context, []byte) error { return nil }

// TestResume saves a run midway and continues it in a new trial, as another process would, with
// timers, watches, subscriptions and a driver. Log, verdict and report are the same as without an
// interruption.
func TestResume(t *testing.T) {
	busy := []string{`<transition event="error" target="lost"/>`,
		`<transition event="error" target="lost"/>
	<onentry><send type="experiment" event="drive"><content expr="({name: 'ego', speed: 12, accel: 2})"/></send>
	<send type="experiment" event="watch.zone"><content expr="({name: 'half', x: 100, y: -1.75, radius: 9})"/></send>
	<send type="experiment" event="watch.signal"><content expr="({name: 'slow', variable: 'lead.speed', below: 1})"/></send></onentry>
	<transition event="zone signal"><log expr="_event.name + JSON.stringify(_event.data)"/></transition><transition event="data.ego.speed" cond="_event.data.value &gt; 11"/>`}
	play := func(x *trial.Trial, from, to int) {
		for k := from; k < to; k++ {
			more, err := x.Step(t.Context())
			require.NoError(t, err)
			require.True(t, more)
		}
	}
	for _, at := range []int{1, 130, 251, 300} {
		var log []string
		o := trial.Options{Film: true, Log: func(line string) { log = append(log, line) }}
		one := open(t, files(t, true, busy...), o)
		require.NoError(t, one.Initialize(t.Context()))
		require.NoError(t, one.Start())
		play(one, 0, at)
		require.NoError(t, one.Pause())
		saved, err := one.AppendState(t.Context(), nil)
		require.NoError(t, err)
		before := len(log)
		end := func(x *trial.Trial) (string, *trial.Verdict) {
			v, err := x.Run(t.Context())
			require.NoError(t, err)
			return course(t, x), v
		}
		whole, want := end(one)
		rest := slices.Clone(log[before:])
		log = nil
		other := open(t, files(t, true, busy...), o)
		require.NoError(t, other.Resume(t.Context(), saved))
		resumed, got := end(other)
		require.Equal(t, want, got)
		require.True(t, whole == resumed, "what reports are made of is equal")
		require.Equal(t, rest, log[1:], "after the line about the resumed run")

		saved[len(saved)/2] ^= 1
		require.Error(t, open(t, files(t, true, busy...), o).Resume(t.Context(), saved))
	}
}

// echo is a bridge to a system under test that answers each request in the next step. Messages
// in transit belong to that system: they are not part of a saved run.
type echo struct {
	down []string
	up   []trial.Arrival
}

func (e *echo) Emit(now timebase.Time, name string, data map[string]any) error {
	e.down = append(e.down, fmt.Sprint(now, " ", name, " ", data))
	e.up = append(e.up, trial.Arrival{Name: "answer", Data: map[string]any{"to": data["count"]}})
	return nil
}

func (*echo) Handled() {}

func (e *echo) Arrived() ([]trial.Arrival, error) {
	list := e.up
	e.up = nil
	return list, nil
}

// TestResume_WithABridge: a machine that communicates with a system under test continues with the
// system of the new run.
func TestResume_WithABridge(t *testing.T) {
	talk := []string{`<datamodel>`, `<datamodel><data id="count" expr="0"/>`,
		`<transition event="collision" target="failure"/>`,
		`<transition event="collision" target="failure"/>
	<onentry><send event="ask" delay="1s"/></onentry>
	<transition event="ask"><assign location="count" expr="count + 1"/><send type="experiment" event="bridge.request"><param name="count" location="count"/></send><send event="ask" delay="1s"/></transition>
	<transition event="bridge.answer"><log expr="'answer to ' + _event.data.to"/></transition>`}
	var log []string
	run := func(x *trial.Trial, steps int) {
		for range steps {
			more, err := x.Step(t.Context())
			require.NoError(t, err)
			require.True(t, more)
		}
	}
	start := func(b *echo) *trial.Trial {
		return open(t, files(t, true, talk...), trial.Options{Bridge: b,
			Log: func(line string) { log = append(log, line) }})
	}
	first, second := &echo{}, &echo{}
	one := start(first)
	require.NoError(t, one.Initialize(t.Context()))
	require.NoError(t, one.Start())
	run(one, 130)
	require.NoError(t, one.Pause())
	saved, err := one.AppendState(t.Context(), nil)
	require.NoError(t, err)
	asked, logged := len(first.down), len(log)
	require.Equal(t, 2, asked, "%v", first.down)
	want, err := one.Run(t.Context())
	require.NoError(t, err)
	rest := slices.Clone(log[logged:])
	require.Contains(t, strings.Join(rest, "\n"), "answer to 3")

	log = nil
	other := start(second)
	require.NoError(t, other.Resume(t.Context(), saved))
	got, err := other.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, first.down[asked:], second.down)
	require.Equal(t, rest, log[1:], "after the line about the resumed run")
}

// TestResume_RefusesNull uses a state whose checksum is correct.
func TestResume_RefusesNull(t *testing.T) {
	one := open(t, files(t, true), trial.Options{})
	require.NoError(t, one.Initialize(t.Context()))
	saved, err := one.AppendState(t.Context(), nil)
	require.NoError(t, err)
	const magic = "gosmp trial 2\n"
	d, err := state.Open(magic, saved)
	require.NoError(t, err)
	text, engine, machines := d.Bytes(), d.Bytes(), d.Bytes()
	var kept map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &kept))
	var curves []any
	require.NoError(t, json.Unmarshal(kept["Curves"], &curves))
	kept["Curves"], err = json.Marshal(make([]any, len(curves)))
	require.NoError(t, err)
	text, err = json.Marshal(kept)
	require.NoError(t, err)
	b := state.AppendBytes(state.AppendBytes(state.AppendBytes([]byte(magic), text), engine),
		machines)
	require.ErrorIs(t, open(t, files(t, true), trial.Options{}).Resume(t.Context(),
		state.Seal(b, 0)), state.ErrState)
}
