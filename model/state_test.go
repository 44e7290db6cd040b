package model_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

// unsaved is a model whose state cannot be encoded after two steps.
type unsaved struct {
	model.Stateless

	steps int
}

var errUnsaved = errors.New("a file is open at a place that cannot be named")

func (u *unsaved) Setup(model.Environment) error { return nil }

func (u *unsaved) Step(timebase.Span) error {
	u.steps++
	return nil
}

func (u *unsaved) Snapshot(b []byte) ([]byte, error) {
	if u.steps == 2 {
		return nil, errUnsaved
	}
	return b, nil
}

func TestSnapshot_ErrorIsTheErrorOfTheCall(t *testing.T) {
	rig := modeltest.New(t, model.Definition{Identifier: "Unsaved",
		New: func(*model.Declaration) model.Model { return &unsaved{} }})
	rig.Start()
	rig.Step(1)
	before := rig.Save()
	kept, status := rig.Instance().GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	rig.Step(1)
	rig.Log()
	again, status := rig.Instance().GetFMUstate(kept)
	require.Equal(t, fmi.Error, status)
	require.Nil(t, again)
	require.Equal(t, []string{"fmi2GetFMUstate: saving the state: " + errUnsaved.Error()},
		rig.Log())
	rig.Restore(before, 1)
	rig.Step(1)
}

func TestStateReader_ReadsWhatWasAppended(t *testing.T) {
	b := model.AppendUint64(nil, 1<<60)
	b = model.AppendFloat64(b, math.Copysign(0, -1))
	b = model.AppendBytes(model.AppendString(model.AppendBool(b, true), "words"), []byte{1, 2})
	d := model.StateReader{Data: b}
	require.EqualValues(t, 1<<60, d.Uint64())
	require.True(t, math.Signbit(d.Float64()))
	require.True(t, d.Bool())
	require.Equal(t, "words", d.String())
	require.Equal(t, []byte{1, 2}, d.Bytes())
	require.NoError(t, d.Done())
	require.Zero(t, d.Uint64())
	require.Error(t, d.Done())
}
