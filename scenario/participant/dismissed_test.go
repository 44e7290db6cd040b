package participant_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/scenario/participant"
	"gosmp/scenario/play"
	"gosmp/timebase"
)

// refuser dismisses each speed action that it receives, and once an unknown action.
type refuser struct {
	driver
	asked int
}

func (r *refuser) Variables() []cosim.Variable {
	return []cosim.Variable{
		{Name: "command", Kind: cosim.Binary, Role: cosim.Input, Size: 1,
			MIMEType: osmp.MIMEType("TrafficCommand")},
		{Name: "answer", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: osmp.MIMEType("TrafficCommandUpdate")}}
}

func (r *refuser) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	r.in, r.out = cosim.NewFrame(r.Variables(), in), cosim.NewFrame(r.Variables(), out)
	return r.in, r.out, nil
}

func (r *refuser) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	r.out.SetBlob(0, 0, nil)
	c := &osi3.TrafficCommand{}
	if err := proto.Unmarshal(r.in.Blob(0, 0), c); err != nil {
		return cosim.Advance{}, err
	}
	answer := &osi3.TrafficCommandUpdate{TrafficParticipantId: c.TrafficParticipantId}
	for _, a := range c.Action {
		if a.SpeedAction == nil {
			continue
		}
		r.asked++
		answer.DismissedAction = append(answer.DismissedAction,
			&osi3.TrafficCommandUpdate_DismissedAction{
				DismissedActionId: a.SpeedAction.ActionHeader.ActionId,
				FailureReason:     proto.String("too fast")},
			&osi3.TrafficCommandUpdate_DismissedAction{
				DismissedActionId: &osi3.Identifier{Value: proto.Uint64(777)}})
	}
	b, err := proto.Marshal(answer)
	r.out.SetBlob(0, 0, b)
	return cosim.Advance{Reached: s.End}, err
}

// TestDismissed_IsANoteAndFailsWhatRequiresNone checks C4: each dismissal by a driver adds a note
// with the action and the reason, and a requirement can forbid dismissals.
func TestDismissed_IsANoteAndFailsWhatRequiresNone(t *testing.T) {
	speed := `<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="linear"
dynamicsDimension="time" value="2"/><SpeedActionTarget><AbsoluteTargetSpeed value="30"/>
</SpeedActionTarget></SpeedAction></LongitudinalAction>`
	var required []play.Requirement
	for _, text := range []string{"no dismissal", "no dismissal of Ego", "no dismissal of Target"} {
		r, err := play.ParseRequirement(text)
		require.NoError(t, err)
		required = append(required, r)
	}
	p, err := participant.New(parse(t, event("faster", 1, speed)), participant.Options{
		Seats: []string{"Ego"}, Play: play.Options{Requirements: required}})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: 100 * timebase.Second, Step: cosim.Every(p.StepSize())})
	d, r := drive(0, 0), &refuser{}
	e.Add("driver", d)
	e.Add("refuser", r)
	e.Add("world", p)
	for _, c := range []cosim.Connection{
		{From: "world.Ego." + participant.DriversView, To: "driver.view", Timing: cosim.Lagging},
		{From: "world.Ego." + participant.Command, To: "refuser.command", Timing: cosim.Lagging},
		{From: "driver.update", To: "world.Ego." + participant.Update, Timing: cosim.Prompt},
		{From: "refuser.answer", To: "world.Ego." + participant.Answer, Timing: cosim.Prompt}} {
		e.ConnectAs(c)
	}
	result := (&stage{p, e, t, false}).end()
	require.Equal(t, 1, r.asked)
	var notes []string
	for _, n := range result.Notes {
		if n.Kind == "dismissed" || n.Kind == "not pending" {
			notes = append(notes, n.Kind+" "+n.Entity+": "+n.Text)
		}
	}
	require.Equal(t, []string{"dismissed Ego: action 1: speed_action, too fast",
		"not pending Ego: action 777"}, notes)
	require.Equal(t, play.Failed, result.Outcome)
	require.Contains(t, result.Cause,
		"the driver of Ego dismisses action 1: speed_action, too fast at 1.0")
	passed := []bool{}
	for _, v := range result.Verdicts {
		passed = append(passed, v.Passed)
	}
	require.Equal(t, []bool{false, false, true}, passed)
	require.Contains(t, result.Verdicts[0].After, "faster")
}
