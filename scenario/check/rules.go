package check

import (
	"gosmp/internal/finding"
	"gosmp/scenario"
)

// Rule ids, in addition to the ids in package scenario.
const (
	standard12 = "asam.net:xosc:1.2.0:"
	reference  = standard12 + "reference_control."

	idEntity     = reference + "resolvable_entity_references"
	idVariable   = reference + "resolvable_variable_reference"
	idElement    = reference + "resolvable_storyboard_element_reference"
	idUnique     = reference + "unique_element_names_on_same_level"
	idController = reference +
		"resolvable_traffic_signal_controller_by_traffic_signal_controller_ref"
	idSignal      = reference + "resolvable_signal_id_in_traffic_signal_state_action"
	idActors      = reference + "valid_actor_reference_in_private_actions"
	idEntry       = scenario.RuleEntry
	idCatalogName = standard12 + "parameters.valid_parameter_declaration_in_catalogs"
	idOperators   = standard12 + "data_type.allowed_operators"
	idTransition  = standard12 + "data_type.non_negative_transition_time_in_light_state_action"
	idPhase       = standard12 + "data_type.positive_duration_in_phase"

	idOperand   = "asam.net:xosc:1.1.0:expressions.evaluation_of_expressions_possible"
	idScope     = "asam.net:xosc:1.1.0:parameters.parameter_declaration_parameter_scope"
	idReserved  = "asam.net:xosc:1.0.0:naming.parameter_declaration_name_prefix_reserved"
	idName      = scenario.RuleName
	idReference = "asam.net:xosc:1.0.0:reference_control.catalog_reference_resolvability"
	idDelay     = "asam.net:xosc:1.0.0:data_type.condition_delay_not_negative"
	idNurbs     = "asam.net:xosc:1.0.0:routing.cardinality_of_control_points_in_nurbs"
	idDistances = "asam.net:xosc:1.1.0:data_type.distances_are_not_negative"
	idEnding    = "asam.net:xosc:1.0.0:general.file_ending"

	idFile         = "xosc.ref.file"
	idScene        = "xosc.ref.scene"
	idMap          = "xosc.ref.map"
	idLane         = "xosc.ref.lane"
	idAmbiguous    = "xosc.ref.ambiguous"
	idRing         = "xosc.ref.ring"
	idParameter    = "xosc.ref.parameter"
	idDistribution = "xosc.ref.distribution"
	idConstraint   = "xosc.param.constraint"
	idUnused       = "xosc.param.unused"
	idRateZero     = "xosc.value.rate_zero"
	idStep         = "xosc.value.step"
	idRelative     = "xosc.value.relative"
	idTargetSpeed  = "xosc.value.target_speed"
	idBody         = "xosc.value.body"
	idNumber       = "xosc.value.number"
	idNeverRises   = "xosc.trigger.never_rises"
	idNeverTrue    = "xosc.trigger.never_true"
	idTwoEdges     = "xosc.trigger.and_rising"
	idEmpty        = "xosc.trigger.empty"
	idNoStop       = "xosc.trigger.no_stop"
	idSelfWait     = "xosc.trigger.self_wait"
	idSkipNever    = "xosc.logic.skip_never"
	idNoInit       = "xosc.logic.no_init"
	idTeleports    = "xosc.logic.two_teleports"
	idOrientation  = "xosc.default.orientation"
)

// RuleEngine is the rule for everything that a run refuses. Its findings come from the packages
// that run scenarios.
const RuleEngine = "xosc.engine.unsupported"

// Rule is a rule and what it requires.
type Rule struct {
	ID       string
	Severity finding.Severity
	Meaning  string
	Remedy   string // how to fix it, if the same remedy always helps
}

// Rules lists all rules in the order of their description.
var Rules = []Rule{
	{"asam.net:xosc:1.0.0:xml.valid_xml_document", finding.Error, "the document is well-formed XML",
		""},
	{scenario.RuleRoot, finding.Error, "the root element is OpenSCENARIO", ""},
	{scenario.RuleHeader, finding.Error, "there is a FileHeader", ""},
	{scenario.RuleVersion, finding.Error, "the FileHeader states the version", ""},
	{scenario.RuleSchema, finding.Error,
		"elements, attributes and values are as in the schema of the version", ""},
	{scenario.RuleUnknown, finding.Warning,
		"the version is one whose rules are known; another major version is an error", ""},
	{scenario.RuleTooNew, finding.Error, "nothing is of a later version than the FileHeader states",
		""},
	{scenario.RuleDeprecated, finding.Note, "nothing is deprecated in the version", ""},
	{idEnding, finding.Note, "the file is named .xosc", ""},
	{idName, finding.Error, "names of parameters are letters, digits and underscores", ""},
	{idReserved, finding.Error, "names of parameters do not begin with OSC", ""},
	{idScope, finding.Error, "parameters are declared where they are used", ""},
	{scenario.RuleScope, finding.Warning, "entries of catalogs use their own parameters only", ""},
	{scenario.RuleType, finding.Warning, "values of parameters have the declared type", ""},
	{idConstraint, finding.Error, "values satisfy the constraints of their parameters", ""},
	{idUnused, finding.Note, "declared parameters are used", ""},
	{idCatalogName, finding.Error,
		"parameters in the entry of a catalog are declared in the entry, with a value", ""},
	{idOperators, finding.Error, "expressions use only operators and functions of the standard",
		""},
	{scenario.RulePi, finding.Note, "pi was introduced in version 1.4", ""},
	{scenario.RuleCarla, finding.Note,
		"a description does not begin with CARLA:, which changes the axes of positions", ""},
	{idOperand, finding.Error, "operators and functions have operands for which they are defined",
		""},
	{idFile, finding.Error, "files exist that the document names",
		"paths are relative to the document"},
	{idMap, finding.Warning, "the map follows the rules of OpenDRIVE", "run gosmp check on it"},
	{scenario.RuleBackslash, finding.Warning, "paths are written with /", ""},
	{scenario.RuleFolder, finding.Warning,
		"the folders of catalogs exist, and the catalogs in them can be read", ""},
	{idScene, finding.Warning, "the scene graph exists and can be read",
		"correct filepath, or put the file there"},
	{scenario.RuleCatalog, finding.Warning,
		"references to catalogs use the name of the catalog, not the name of its file", ""},
	{idReference, finding.Error, "references to catalogs name an entry", ""},
	{idEntry, finding.Warning, "the names of a catalog's entries are unique",
		"rename one of the entries"},
	{idEntity, finding.Error, "references to entities name one that is declared", ""},
	{idVariable, finding.Error, "references to variables name one that is declared", ""},
	{idParameter, finding.Warning,
		"references to variables name variables, not parameters", "declare it as a variable"},
	{idElement, finding.Error, "references to storyboard elements name one of that type", ""},
	{idAmbiguous, finding.Warning, "references to storyboard elements name exactly one",
		"write the path, as in act::group"},
	{idController, finding.Error, "references to controllers of signals name one of RoadNetwork",
		""},
	{idRing, finding.Error, "controllers of signals do not start after each other in a ring",
		"remove a reference"},
	{idSignal, finding.Error, "signals exist on the map", ""},
	{idLane, finding.Error, "roads and lanes exist on the map, and positions are on them", ""},
	{idDistribution, finding.Error, "distributions name global parameters of a scenario", ""},
	{idUnique, finding.Error, "elements of a kind have different names on one level",
		"rename one of them"},
	{idActors, finding.Error, "private actions have an actor", "name an EntityRef in Actors"},
	{idTransition, finding.Error, "transition times of lights are not negative", ""},
	{idPhase, finding.Error, "phases of signals last longer than 0 s", ""},
	{idDelay, finding.Error, "delays of conditions are not negative", ""},
	{idDistances, finding.Error, "distances are not negative", ""},
	{idNurbs, finding.Error, "a NURBS has at least as many control points as its order", ""},
	{idRateZero, finding.Warning,
		"dynamics end: a rate is not 0", ""},
	{idStep, finding.Note, "dynamics of shape step have the value 0, because it is ignored", ""},
	{idRelative, finding.Error,
		"a continuous action has no time and no distance; a distance action has one of " +
			"distance and timeGap", ""},
	{idTargetSpeed, finding.Warning, "target speeds are within the entity's maxSpeed", ""},
	{idBody, finding.Error,
		"sizes, axles and masses of entities are finite, and sizes and masses not negative", ""},
	{idNumber, finding.Error,
		"numbers are not NaN, and durations, delays, limits and tolerances not negative", ""},
	{idNeverRises, finding.Warning, "a condition with a rising edge is not true from the start",
		"use the edge none"},
	{idNeverTrue, finding.Warning, "a condition can become true", ""},
	{idTwoEdges, finding.Note,
		"a group has at most one condition with an edge, because tools differ there", ""},
	{idEmpty, finding.Note, "a start trigger has a condition, without which it fires immediately",
		""},
	{idNoStop, finding.Warning, "the storyboard has a StopTrigger",
		"without one, a run ends after its longest duration"},
	{idSelfWait, finding.Warning,
		"no element waits for what can only come after its own start, such as its end", ""},
	{idSkipNever, finding.Note, "priorities override and skip have siblings that they concern", ""},
	{idNoInit, finding.Warning, "entities that others refer to have a position in Init", ""},
	{idTeleports, finding.Warning, "Init places each entity once", "remove all but one"},
	{idOrientation, finding.Note,
		"an Orientation states its type: the default depends on the version", ""},
	{RuleEngine, finding.Error,
		"gosmp run supports everything in the scenario; checked with `--engine`", ""},
}
