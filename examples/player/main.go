// Command player builds OSMPTracePlayer.fmu, which plays recorded OSI messages in any importer:
// .osi and MCAP files of any size, with the memory of two messages or two chunks.
//
// # Which message, and when
//
// A message stamped s is due at s + trace.offset; with trace.time = relative, the default, times
// count from the first message of the trace, which is due at the start of the experiment. A step
// that ends at t shows the newest message that is due at t, whatever the size of the step: steps of
// 5, 20 and 33 ms show the same message at the same time. Messages that are due and older than
// another one of the same step are counted in skipped.
//
// With trace.mode = hold, the default, a message stays until the next one is due, as DUECA's
// streams do; with event, it is present only in the step in which it becomes due. With trace.loop,
// the trace starts over without a pause: its first message comes at the time of its last one, and
// all time stamps inside messages are shifted, because OSI time never goes back. Otherwise messages
// pass byte for byte. Before the first step there is no message, as OSMP's outputs start with 0;
// the first step shows what is due at its end.
//
// # Which channel
//
// Each output plays the channel of its type. If a file has several of them, or if only one of the
// types is wanted, a topic must be named; the error lists the topics. A topic of - plays nothing.
// An .osi file has one channel, whose type is stated by its name
// (20210818T150542Z_sv_380_13612_100.osi) or by the parameter trace.type.
//
// # States
//
// Saved states contain the position in the file but no message, so that they are small and can be
// restored in another process that finds the same file.
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
	"gosmp/osmp"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

// kinds are the outputs, in the order of their declaration.
var kinds = []osmp.Kind{osmp.SensorViewOut, osmp.SensorDataOut, osmp.TrafficUpdateOut,
	osmp.HostVehicleDataOut}

var definition = model.Definition{
	Identifier: "OSMPTracePlayer", Name: "OSMP trace player", Version: "1.0.0",
	Description: "Plays recorded OSI messages (.osi, MCAP) at their times",
	New: func(d *model.Declaration) model.Model {
		p := &player{log: d.Log("trace", "what is played: file, channels, end")}
		for _, k := range kinds {
			p.tracks = append(p.tracks, &track{kind: k, output: d.Output(k)})
		}
		model.PlainOutput(d, &p.valid, "valid", "an output has a message")
		model.PlainOutput(d, &p.count, "count",
			"messages that have been shown, all outputs together")
		model.PlainOutput(d, &p.skipped, "skipped",
			"messages that were due, but older than another one of the same step")
		model.PlainOutput(d, &p.held, "held", "messages whose time went back")
		model.PlainOutput(d, &p.rounds, "rounds", "completed rounds of the loop")
		model.PlainOutput(d, &p.finished, "finished", "no message is left")
		model.Parameter(d, &p.file, "trace.file", "",
			"the trace; relative paths are those of the FMU's resources folder")
		model.Parameter(d, &p.messageType, "trace.type", "",
			"type of the messages of an .osi file whose name does not say it")
		model.Parameter(d, &p.time, "trace.time", relative,
			"relative: the first message is due at the start; absolute: at its time stamp",
			model.OneOf(relative, absolute))
		model.Parameter(d, &p.offset, "trace.offset", 0, "added to the times of all messages",
			model.Unit("s"), model.Between(-1e9, 1e9))
		model.Parameter(d, &p.mode, "trace.mode", hold,
			"hold: a message stays until the next one; event: it is there for one step",
			model.OneOf(hold, event))
		model.Parameter(d, &p.loop, "trace.loop", false,
			"start over at the end, with all time stamps moved")
		model.Parameter(d, &p.strict, "trace.strict", false,
			"times that go back end the run, instead of being counted in held")
		for _, t := range p.tracks {
			model.Parameter(d, &t.topic, "topic."+t.kind.Message, "",
				"channel to play; empty is the only one of the type, - is none")
		}
		return p
	},
}

// Values of parameters.
const (
	relative = "relative"
	absolute = "absolute"
	hold     = "hold"
	event    = "event"
	nothing  = "-"
)
