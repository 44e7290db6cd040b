package model_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/timebase"
)

// picky logs in Setup, and discards long steps.
type picky struct {
	model.Stateless
	in  *model.Input
	log *model.Log
}

func (p *picky) Setup(model.Environment) error {
	p.log.Printf("ready")
	return nil
}

func (p *picky) Step(span timebase.Span) error {
	if span.Length() > timebase.Second {
		return fmt.Errorf("%w: too long", model.ErrDiscard)
	}
	return nil
}

// In FMI 3.0 a discarded step leaves the instance as it was (2.2.4), including unread inputs and
// lines logged by Setup.
func TestTwin_DiscardedStepsLeaveTheState(t *testing.T) {
	d := model.Definition{Identifier: "Picky", New: func(d *model.Declaration) model.Model {
		return &picky{in: d.Input(osmp.SensorViewIn), log: d.Log("logPicky", "what it says")}
	}}
	r := modeltest.Host{}.Instantiate(t, d.FMU().Twin())
	r.Start()
	for range 3 {
		r.Write("OSMPSensorViewIn", []byte{1, 2, 3})
		before := r.Save()
		require.Equal(t, fmi.Discard, r.TryStep(2))
		require.Equal(t, before, r.Save())
		r.Step(0.5)
	}
}
