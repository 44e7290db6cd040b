package entities

import (
	"cmp"

	"gosmp/internal/fault"
	"gosmp/scenario"
	"gosmp/scenario/storyboard"
)

// These actions are refused because requirements cannot be judged for vehicles that are not
// entities.
const (
	noTraffic = "an action about entities: vehicles without a name would not count in requirements"
	nobody    = "an action about entities: no traffic is ever started"
)

// refusals holds, for each unsupported action, a replacement and a hint.
var refusals = map[string]struct{ expected, hint string }{
	"TrafficSwarmAction": {noTraffic,
		"declare the vehicles as ScenarioObjects, placed relative to " +
			"the central one; or drop the action, and run the map with --actors and --drive"},
	"TrafficSourceAction": {noTraffic,
		"declare the vehicles as ScenarioObjects, and let an event add each one: AddEntityAction"},
	"TrafficSinkAction": {noTraffic, "let an event with a ReachPositionCondition delete each " +
		"vehicle: DeleteEntityAction"},
	"TrafficAreaAction": {noTraffic,
		"declare the vehicles as ScenarioObjects, and let Init place them in the area"},
	"TrafficStopAction": {nobody, "drop it together with the action that it stops"},
}

// refuse returns the error for an unsupported action.
func refuse(kind string, e *scenario.Element) error {
	r := refusals[kind]
	return fault.New(storyboard.ErrUnsupported, e.Place(), kind,
		cmp.Or(r.expected, "an action that moves entities, such as SpeedAction")).WithHint(r.hint)
}
