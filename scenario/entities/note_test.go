package entities_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNotes checks that an action without a visible effect adds a note.
func TestNotes(t *testing.T) {
	const assigned = `<ControllerAction><AssignControllerAction activateLateral="true">
<ObjectController name="lks"><Controller name="c"/></ObjectController></AssignControllerAction>
<ActivateControllerAction objectControllerRef="lks" longitudinal="true"/></ControllerAction>`
	const goesOn = "; without a system under test the storyboard continues"
	for action, notes := range map[string][]string{
		`<TrailerAction><DisconnectTrailerAction/></TrailerAction>`: {
			"has no trailer to disconnect"},
		`<ControllerAction><ActivateControllerAction objectControllerRef="acc" lateral="true"/>
</ControllerAction>`: {`controller "acc", which the scenario does not have, takes over: lateral` + goesOn},
		assigned: {`controller "lks" is assigned` + goesOn,
			`controller "lks" takes over: longitudinal` + goesOn},
	} {
		r := start(t, car("A", "10"), one(10), story(action))
		r.until(2, 0)
		var texts []string
		for _, n := range r.notes {
			texts = append(texts, n.Text)
		}
		require.Equal(t, notes, texts)
	}
}

// TestSignal_Unknown checks that a signal that is not a light on the map adds one note.
func TestSignal_Unknown(t *testing.T) {
	r := start(t, car("A", "10"), one(10), "")
	r.world.Signal("99", "green")
	r.world.Signal("99", "red")
	r.until(1, 0)
	require.Len(t, r.notes, 1)
	require.Equal(t, `the state of the signal "99", which is not a traffic light on the map`,
		r.notes[0].Text)
}
