package entities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
	"gosmp/scenario/storyboard"
)

// TestAnimation checks that an action that OSI cannot represent takes the specified time and adds a
// note.
func TestAnimation(t *testing.T) {
	const walks = `<AnimationType><PedestrianAnimation motion="walking"/></AnimationType>`
	for _, c := range []struct {
		action string
		end    float64 // 0: never
	}{
		{`<AnimationAction animationDuration="2.5">` + walks + `</AnimationAction>`, 3.5},
		{`<AnimationAction>` + walks + `</AnimationAction>`, 1},
		{`<AnimationAction animationDuration="2" loop="true">` + walks + `</AnimationAction>`, 0},
		{`<LightStateAction transitionTime="0.5"><LightType><UserDefinedLight ` +
			`userDefinedLightType="beacon"/></LightType><LightState mode="on"/></LightStateAction>`,
			1.5},
	} {
		r := start(t, car("A", "10"), one(10),
			story(`<AppearanceAction>`+c.action+`</AppearanceAction>`))
		r.until(6, 0)
		end, ended := r.ends["X"]
		require.Equal(t, c.end > 0, ended, c.action)
		require.InDelta(t, c.end, end, 1e-9, c.action)
		require.Len(t, r.notes, 1)
		require.Equal(t, "not shown", r.notes[0].Kind)
	}
}

// TestRefused_Traffic checks that anonymous traffic is refused with an error that explains what to
// do.
func TestRefused_Traffic(t *testing.T) {
	for action, hint := range map[string]string{
		"TrafficSwarmAction": "relative to the central one",
		"TrafficSinkAction":  "DeleteEntityAction", "TrafficSourceAction": "AddEntityAction",
		"TrafficAreaAction": "Init", "TrafficStopAction": "drop it",
	} {
		init := `<GlobalAction><TrafficAction trafficName="t"><` + action + `/></TrafficAction>` +
			`</GlobalAction>` + one(10)
		w, s, err := open(t, car("A", "10"), init, "", road)
		require.NoError(t, err)
		_, errs := storyboard.New(s, w, storyboard.Options{})
		require.Len(t, errs, 1)
		e := (*fault.Error)(nil)
		require.ErrorAs(t, errs[0], &e)
		require.Contains(t, e.Hint, hint)
		require.Positive(t, e.Place.Column)
	}
}

// TestLightState_WithAColour checks that a note reports light properties that messages cannot
// express.
func TestLightState_WithAColour(t *testing.T) {
	for state, notes := range map[string]int{
		`<LightState mode="on"/>`:                                      0,
		`<LightState mode="on" luminousIntensity="3"/>`:                1,
		`<LightState mode="on"><Color colorType="blue"/></LightState>`: 1,
	} {
		r := start(t, car("A", "10"), one(10), story(`<AppearanceAction><LightStateAction><LightType>
<VehicleLight vehicleLightType="lowBeam"/></LightType>`+state+
			`</LightStateAction></AppearanceAction>`))
		r.until(2, 0)
		require.Len(t, r.notes, notes, state)
	}
}
