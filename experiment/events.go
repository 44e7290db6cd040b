package experiment

import (
	"io/fs"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
)

// Events lists the events that an experiment or its bridge sends to its machines (X35); "a.*"
// stands for a family.
var Events = []string{"sim.started", "sim.paused", "sim.timeout", "step", "data.*", "collision",
	"collision.end", "zone.entered", "zone.left", "signal.crossed", "signal.undefined",
	"signal.defined", "arrived", "off.road", "lane.change", "silent", "not.owner", "unknown.actor",
	"body.velocity", "jump", "dismissed", "not.pending", "participant.failed", "bridge.*"}

// ObjectEvents lists the [Events] whose data is always an object.
var ObjectEvents = []string{"step", "data.*", "collision.*", "zone.*", "signal.*",
	"scenario.*", "arrived", "off.road", "lane.change", "silent", "not.owner", "unknown.actor",
	"body.velocity", "jump", "dismissed", "not.pending", "participant.failed", "bridge.*"}

// Services are the simulator services that a machine's ServiceRequest may call (X33).
var Services = []string{"spawn", "delete", "set_pose"}

// ScenarioEvents lists the events that a scenario adds to [Events].
var ScenarioEvents = []string{"scenario.note", "scenario.over", "scenario.storyboard.*",
	"scenario.story.*", "scenario.act.*", "scenario.maneuverGroup.*", "scenario.maneuver.*",
	"scenario.event.*", "scenario.action.*"}

// Processor is the send type with which a machine acts on the experiment; package trial defines its
// events.
const Processor = "experiment"

// Config returns the settings for reading the charts of an experiment; chart is the file name, or
// empty for a chart inside the description.
func Config(files fs.FS, chart string) scxml.Config {
	return scxml.Config{Languages: []scxml.Language{ecmascript.Language{}}, Load: Loader(files,
		chart)}
}
