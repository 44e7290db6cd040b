package model_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

// relay passes SensorViews on and rejects SensorViews whose sensor has the id 13.
type relay struct {
	model.Stateless

	in   *model.Input
	out  *model.Output
	fail bool
}

func relays(declare func(*model.Declaration)) model.Definition {
	return model.Definition{Identifier: "Relay", New: func(d *model.Declaration) model.Model {
		r := &relay{in: d.Input(osmp.SensorViewIn), out: d.Output(osmp.SensorViewOut)}
		model.PlainInput(d, &r.fail, "fail", false, "ends the run")
		declare(d)
		return r
	}}
}

func nothing(*model.Declaration) {}

func (r *relay) Setup(model.Environment) error { return nil }

func (r *relay) Step(timebase.Span) error {
	var v osi3.SensorView
	if err := proto.Unmarshal(r.in.Bytes(), &v); err != nil {
		return err
	}
	if r.fail {
		return errors.New("wanted")
	}
	if v.SensorId.GetValue() == 13 {
		r.in.Reject(errors.New("an unlucky number"))
	}
	return r.out.Publish(r.in.Bytes())
}

// sent returns a SensorView with a time stamp.
func sent(at timebase.Time, id uint64) *osi3.SensorView {
	return &osi3.SensorView{Version: message.Version(), Timestamp: message.Time(at),
		SensorId: message.ID(id)}
}

// traces reads all trace files of a folder with the project's reader. It returns the ids of the
// messages by variable, with .part for incomplete files.
func traces(t *testing.T, folder string) map[string][]uint64 {
	t.Helper()
	found := map[string][]uint64{}
	files, err := filepath.Glob(filepath.Join(folder, "*.osi"))
	require.NoError(t, err)
	for _, file := range files {
		s, err := trace.Open(file, trace.Options{})
		require.NoError(t, err)
		name := filepath.Base(file)[len("20060102T150405Z_sv_380_13612_"):]
		for {
			m, err := s.Next()
			if err != nil {
				break
			}
			var v osi3.SensorView
			require.NoError(t, proto.Unmarshal(m.Data, &v))
			require.Equal(t, message.TimeOf(v.Timestamp), m.Time)
			found[name] = append(found[name], v.SensorId.GetValue())
		}
		require.NoError(t, s.Close())
	}
	return found
}

func TestRecording_InputsAndOutputsOfEachStep(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "traces")
	rig := modeltest.New(t, relays(nothing))
	rig.Set("record.folder", folder)
	rig.Start()
	for k, id := range []uint64{1, 2, 13, 4} {
		rig.Write("OSMPSensorViewIn", sent(timebase.Time(k)*timebase.Second, id))
		rig.TryStep(1)
	}
	rig.Step(1) // without data
	require.Equal(t, fmi.OK, rig.Instance().Terminate())
	require.Equal(t, map[string][]uint64{
		// data set by the host, even if rejected
		"4_Relay.OSMPSensorViewIn.osi":  {1, 2, 13, 4},
		"3_Relay.OSMPSensorViewOut.osi": {1, 2, 4},
	}, traces(t, folder))
}

func TestRecording_IsOffByDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	rig := modeltest.New(t, relays(nothing))
	rig.Start()
	rig.Write("OSMPSensorViewIn", sent(0, 1))
	rig.Step(1)
	rig.Instance().Terminate()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, entries)
}

// A failed step records no outputs. Its inputs are recorded again if the host restores an earlier
// state.
func TestRecording_FailedStepsAreNotRecorded(t *testing.T) {
	folder := t.TempDir()
	rig := modeltest.New(t, relays(nothing))
	rig.Set("record.folder", folder)
	rig.Start()
	rig.Set("fail", true)
	rig.Write("OSMPSensorViewIn", sent(0, 1))
	require.Equal(t, fmi.Error, rig.TryStep(1))
	rig.Reset()
	require.Empty(t, traces(t, folder))
}

func TestRecording_RestoredStatesTakeTheFilesBack(t *testing.T) {
	folder := t.TempDir()
	rig := modeltest.New(t, relays(nothing))
	rig.Set("record.folder", folder)
	rig.Start()
	step := func(at timebase.Time, id uint64) {
		rig.Write("OSMPSensorViewIn", sent(at*timebase.Second, id))
		rig.Step(1)
	}
	step(1, 1)
	saved := rig.Save()
	step(2, 2)
	step(3, 3)
	rig.Restore(saved, 1)
	step(2, 20)
	require.Equal(t, fmi.OK, rig.Instance().Terminate())
	require.Equal(t, map[string][]uint64{"2_Relay.OSMPSensorViewIn.osi": {1, 20},
		"2_Relay.OSMPSensorViewOut.osi": {1, 20}}, traces(t, folder))
}

// fmi2Reset completes the files, and the next run has its own files.
func TestRecording_ResetStartsNewFiles(t *testing.T) {
	folder := t.TempDir()
	rig := modeltest.New(t, relays(nothing))
	for _, id := range []uint64{1, 2} {
		rig.Set("record.folder", folder)
		rig.Start()
		for k := range timebase.Time(id) {
			rig.Write("OSMPSensorViewIn", sent(k*timebase.Second, id))
			rig.Step(1)
		}
		rig.Reset()
	}
	require.Equal(t, map[string][]uint64{"1_Relay.OSMPSensorViewIn.osi": {1},
		"1_Relay.OSMPSensorViewOut.osi": {1},
		"2_Relay.OSMPSensorViewIn.osi":  {2, 2}, "2_Relay.OSMPSensorViewOut.osi": {2, 2}}, traces(t,
		folder))
}

// An unusable folder causes a warning at initialization, which is logged even with logging off; the
// run continues.
func TestRecording_AnUnusableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	rig := modeltest.New(t, relays(nothing))
	rig.Set("record.folder", file)
	require.Equal(t, fmi.Warning, rig.TryStart(0))
	require.Contains(t, fmt.Sprint(rig.Log()), "not a directory, so nothing is recorded")
	rig.Write("OSMPSensorViewIn", sent(0, 1))
	rig.Step(1)
	require.Empty(t, rig.Log())
}

// The parameter follows the model's own variables, unless the model declares it elsewhere.
func TestRecording_TheParameterNeverMovesOthers(t *testing.T) {
	names := func(d model.Definition) (list []string) {
		f := d.FMU()
		require.NoError(t, f.Check())
		for _, v := range f.Variables.OfType(fmi.String) {
			list = append(list, v.Name)
		}
		return list
	}
	var text string
	old := func(d *model.Declaration) { model.Parameter(d, &text, "old", "", "a text") }
	require.Equal(t, []string{"old", "record.folder"}, names(relays(old)))
	require.Equal(t, []string{"old", "record.folder", "new"},
		names(relays(func(d *model.Declaration) {
			old(d)
			d.Recording()
			model.Parameter(d, &text, "new", "", "a text")
		})))
	plain := model.Definition{Identifier: "Plain",
		New: func(*model.Declaration) model.Model { return &unsaved{} }}
	require.Empty(t, names(plain), "there is nothing to record")
}

// A step with recording on allocates nothing after the first ones.
func TestRecording_AllocatesNothing(t *testing.T) {
	memory := mock.NewMemory()
	d := model.Definition{Identifier: "Copier", New: func(d *model.Declaration) model.Model {
		return &copier{in: d.Input(osmp.SensorViewIn), out: d.Output(osmp.SensorViewOut)}
	}}.FMU()
	i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "a", Memory: memory})
	require.NoError(t, err)
	defer i.Free()
	folder := d.Variables.Named("record.folder").Reference(fmi.FMI2)
	require.Equal(t, fmi.OK, max(i.SetString([]fmi.ValueReference{folder}, []string{t.TempDir()}),
		i.SetupExperiment(fmu.ExperimentSetup{}),
		i.EnterInitializationMode(), i.ExitInitializationMode()))
	data, err := proto.Marshal(&osi3.SensorView{SensorId: message.ID(1)})
	require.NoError(t, err)
	address := memory.Provide(data)
	refs, triple := []fmi.ValueReference{0, 1, 2}, []int32{int32(uint32(address)),
		int32(uint32(address >> 32)), int32(len(data))}
	now := 0.0
	step := func() {
		if max(i.SetInteger(refs, triple), i.DoStep(now, 0.01)) != fmi.OK {
			panic("step")
		}
		now += 0.01
	}
	for range 200 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(1000, step))
}

// copier publishes its input.
type copier struct {
	model.Stateless

	in  *model.Input
	out *model.Output
}

func (c *copier) Setup(model.Environment) error { return nil }

func (c *copier) Step(timebase.Span) error {
	return c.out.Publish(append(c.out.Buffer(), c.in.Bytes()...))
}
