package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

// clockwork counts whole seconds, and is steady between them.
type clockwork struct {
	seconds   int32
	unchanged bool
	asked     *int
}

func (c *clockwork) Setup(e model.Environment) error {
	c.seconds = int32(e.Start / timebase.Second)
	return nil
}

func (c *clockwork) Step(span timebase.Span) error {
	now := int32(span.End / timebase.Second)
	c.seconds, c.unchanged = now, c.seconds == now
	return nil
}

func (c *clockwork) Unchanged() bool {
	*c.asked++
	return c.unchanged
}

func (c *clockwork) Snapshot(b []byte) ([]byte, error) { return b, nil }

func (c *clockwork) Restore([]byte) error { return nil }

func clockworks(asked *int) *fmu.Definition {
	d := model.Definition{Identifier: "Clockwork", New: func(d *model.Declaration) model.Model {
		c := &clockwork{asked: asked}
		model.PlainOutput(d, &c.seconds, "seconds", "whole seconds", model.Calculated())
		return c
	}}
	return d.FMU()
}

// The outputs of a steady model always have the values of the model, whatever happens between the
// steps.
func TestSteady_OutputsAreTheModels(t *testing.T) {
	asked := 0
	r := modeltest.Host{}.Instantiate(t, clockworks(&asked))
	expect := func(seconds int32) {
		t.Helper()
		require.Equal(t, seconds, r.Get("seconds"))
	}
	r.Start()
	expect(0)
	r.Step(0.75)
	expect(0)
	early := r.Save()
	r.Step(0.75)
	expect(1)
	late := r.Save()
	r.Step(0.25)
	expect(1)
	r.Restore(early, 0.75)
	expect(0)
	r.Step(0.125)
	expect(0)
	r.Restore(late, 1.5)
	expect(1)
	r.Step(0.125)
	expect(1)
	r.Reset()
	r.Start()
	expect(0)
	r.Step(0.5)
	expect(0)
	require.Positive(t, asked)
}
