package model

import (
	"fmt"

	"gosmp/internal/state"
	"gosmp/model/internal/recording"
	"gosmp/osmp"
	"gosmp/proto/osifile"
	"gosmp/timebase"
)

// recordFolder is the parameter that switches recording on.
const recordFolder = "record.folder"

// Recording declares the parameter record.folder, with which a user records the OSI messages of all
// binary inputs and outputs as trace files (.osi), in any importer. Every model with such variables
// has it: New need not call Recording, and the parameter is then the last variable. A model that is
// already in use should call it before declaring new variables, so that existing value references
// do not change.
func (d *Declaration) Recording() {
	d.recording = true
	Parameter(d, &d.recordFolder, recordFolder, "",
		"folder in which each OSI input and output is recorded as a trace file (.osi); empty "+
			"records nothing, relative paths are those of the importer")
}

// complete declares the variables that every model has.
func (d *Declaration) complete() {
	if d.recordable && !d.recording {
		d.Recording()
	}
}

// beginRecording starts recording if the user has requested it. A folder that cannot be used is
// added to the warning of Setup, because the simulation can run without recording.
func (i *instance) beginRecording(warning error) error {
	if i.declared.recordFolder == "" {
		i.endRecording()
		return warning
	}
	if i.recorder == nil {
		i.recorder = recording.New(i.host.InstanceName, i.channels())
	}
	err := i.recorder.Begin(i.declared.recordFolder)
	switch {
	case err == nil:
		return warning
	case warning != nil:
		return fmt.Errorf("%w; %s: %w, so nothing is recorded", warning, recordFolder, err)
	}
	return Warning(fmt.Errorf("%s: %w, so nothing is recorded", recordFolder, err))
}

// channels returns the channels of the inputs, then the channels of the outputs.
func (i *instance) channels() (list []recording.Channel) {
	add := func(name string, k osmp.Kind) {
		t, _ := osifile.TypeOf(k.Message)
		list = append(list, recording.Channel{Variable: name, Type: t})
	}
	for _, in := range i.declared.inputs {
		add(in.name, in.kind)
	}
	for _, o := range i.declared.outputs {
		add(o.name, o.kind)
	}
	return list
}

// record records the messages of a step, while the host's memory may still be read.
func (i *instance) record(end timebase.Time) {
	for n, in := range i.declared.inputs {
		i.recorder.Take(n, in.slot.taken)
	}
	for n, o := range i.declared.outputs {
		message := o.buffer.Message()
		if o.clock != nil && len(o.staged) == 0 { // its current message was already recorded
			message = nil
		}
		i.recorder.Take(len(i.declared.inputs)+n, message)
	}
	if err := i.recorder.EndStep(end); err != nil {
		i.warn(fmt.Errorf("%s: %w", recordFolder, err))
	}
}

// End implements fmu.Ender: the recorded files are completed.
func (i *instance) End() error {
	if i.recorder == nil {
		return nil
	}
	return i.recorder.Finish()
}

// endRecording completes the recorded files before the recorder is dropped.
func (i *instance) endRecording() {
	if err := i.End(); err != nil {
		i.logWarning("closing the recorded messages", err)
	}
	i.recorder = nil
}

// appendRecording appends the positions of the recorded files, or an empty text without a
// recording.
func (i *instance) appendRecording(b []byte) []byte {
	if i.recorder == nil {
		return state.AppendBytes(b, nil)
	}
	return state.AppendBytes(b, i.recorder.AppendState(nil))
}

// restoreRecording rewinds the recorded files to a saved state. If this fails, the next step
// returns the error and recording stops.
func (i *instance) restoreRecording(b []byte) error {
	if i.recorder == nil {
		return nil
	}
	return i.recorder.RestoreState(b)
}
