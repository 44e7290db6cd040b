package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/scenario"
	"gosmp/scenario/check"
)

const clean = "testdata/clean.xosc"

func TestDocument_NothingAboutACleanOne(t *testing.T) {
	for _, file := range []string{clean, "testdata/catalogs/vehicles.xosc"} {
		d, err := scenario.Open(file)
		require.NoError(t, err)
		require.Empty(t, check.Document(d), file)
	}
}

// change is one change to the clean scenario, and the rule that reports it.
type change struct{ id, old, changed, place string }

const (
	reference = "asam.net:xosc:1.2.0:reference_control."
	first     = "asam.net:xosc:1.0.0:"
	second    = "asam.net:xosc:1.1.0:"
	third     = "asam.net:xosc:1.2.0:"
)

var changes = []change{
	{first + "xml.valid_xml_document", "</Storyboard>", "", ""},
	{first + "xml.root_tag_is_openscenario", "OpenSCENARIO>", "OpenScenario>", "OpenScenario"},
	{first + "xml.fileheader_is_present",
		`<FileHeader revMajor="1" revMinor="3" date="2026-11-26T12:00:00"` +
			` description="a car that brakes" author="gosmp"/>`, "", "OpenSCENARIO"},
	{first + "xml.version_is_defined", `revMinor="3"`, `revMinor="three"`, "FileHeader"},
	{first + "xml.valid_schema", ` relativeDistanceType="longitudinal"`, "",
		"RelativeDistanceCondition"},
	{first + "xml.valid_schema", "<Center", "<Centre", ""},
	{first + "xml.valid_schema", `rule="greaterThan"`, `rule="above"`,
		"SimulationTimeCondition.rule"},
	{first + "xml.valid_schema", `entityRef="Other" freespace`,
		`entityRef="Other" free="true" freespace`,
		"RelativeDistanceCondition.free"},
	{"xosc.version.unknown", `revMinor="3"`, `revMinor="4"`, "FileHeader"},
	{"xosc.version.too_new", `revMinor="3"`, `revMinor="1"`, "VariableDeclarations"},
	{"xosc.version.deprecated", `priority="override"`, `priority="overwrite"`, "Event.priority"},
	{second + "naming.parameter_declaration_parameter_name", `name="speed_kph"`,
		`name="speed-kph"`, ""},
	{second + "naming.parameter_declaration_parameter_name", `name="speed_kph"`,
		`name="$speed_kph"`, "ParameterDeclaration.name"},
	{first + "naming.parameter_declaration_name_prefix_reserved", "<ParameterDeclarations>\n",
		`<ParameterDeclarations><ParameterDeclaration name="OSCx" parameterType="int" value="1"/>` +
			"\n", ""},
	{second + "parameters.parameter_declaration_parameter_scope", `value="$speed"`,
		`value="$spead"`,
		"AbsoluteTargetSpeed.value"},
	{"xosc.param.type", `value="72"`, `value="fast"`, "ParameterDeclaration.value"},
	{"xosc.param.constraint", `value="72"`, `value="172"`, "ParameterDeclaration.value"},
	{"xosc.param.unused", `value="$speed"`, `value="20"`, "ParameterDeclaration.name"},
	{third + "data_type.allowed_operators", "/ 3.6", "^ 3.6", "ParameterDeclaration.value"},
	{second + "expressions.evaluation_of_expressions_possible", "$speed_kph / 3.6",
		"sqrt(-$speed_kph)",
		"ParameterDeclaration.value"},
	{"xosc.version.pi", "/ 3.6", "/ pi", "ParameterDeclaration.value"},
	{"xosc.default.carla", `description="a car`, `description="CARLA:a car`,
		"FileHeader.description"},
	{"xosc.ref.file", "road.xodr", "rode.xodr", "LogicFile.filepath"},
	{"xosc.ref.map", `"road.xodr"`, `"broken.xodr"`, "LogicFile.filepath"},
	{"xosc.ref.lane", `<LogicFile filepath="road.xodr"/>`, "", "LanePosition"},
	{"xosc.ref.backslash", `"road.xodr"`, `".\road.xodr"`, "LogicFile.filepath"},
	{"xosc.ref.folder", `path="catalogs"`, `path="catalog"`, "Directory.path"},
	{"xosc.ref.folder", `path="catalogs"`, `path="catalogs/vehicles.xosc"`, "Directory.path"},
	{"xosc.ref.scene", `<LogicFile filepath="road.xodr"/>`,
		`<LogicFile filepath="road.xodr"/><SceneGraphFile filepath="road.osgb"/>`,
		"SceneGraphFile.filepath"},
	{"xosc.ref.catalog", `<Catalog name="vehicles"`, `<Catalog name="cars"`,
		"CatalogReference.catalogName"},
	{first + "reference_control.catalog_reference_resolvability", `entryName="car"`,
		`entryName="kar"`,
		"CatalogReference"},
	{reference + "resolvable_entity_references", `<EntityRef entityRef="Ego"/></Actors>`,
		`<EntityRef entityRef="Egon"/></Actors>`, "EntityRef.entityRef"},
	{reference + "resolvable_variable_reference", `variableRef="braked"`, `variableRef="breaked"`,
		"VariableAction.variableRef"},
	{"xosc.ref.parameter", `VariableAction variableRef="braked"`,
		`VariableAction variableRef="speed"`, "VariableAction.variableRef"},
	{second + "parameters.parameter_declaration_parameter_scope",
		`<VariableAction variableRef="braked"><SetAction value="true"/></VariableAction>`,
		`<ParameterAction parameterRef="speeed"><SetAction value="1"/></ParameterAction>`,
		"ParameterAction.parameterRef"},
	{reference + "resolvable_storyboard_element_reference", `storyboardElementRef="brake"`,
		`storyboardElementRef="break"`, ""},
	{reference + "resolvable_storyboard_element_reference", `Type="event"`, `Type="act"`, ""},
	{"xosc.ref.ambiguous", `</Story>`,
		`<Act name="act"><ManeuverGroup name="group" maximumExecutionCount="1">` +
			`<Actors selectTriggeringEntities="false"/><Maneuver name="maneuver">` +
			`<Event name="brake" ` +
			`priority="override"><Action name="x"><GlobalAction>` +
			`<VariableAction variableRef="braked"><SetAction ` +
			`value="true"/></VariableAction></GlobalAction></Action></Event></Maneuver>` +
			`</ManeuverGroup></Act></Story>`, ""},
	{reference + "resolvable_traffic_signal_controller_by_traffic_signal_controller_ref",
		`"lights"`, `""`, "TrafficSignalControllerAction.trafficSignalControllerRef"},
	{reference + "resolvable_traffic_signal_controller_by_traffic_signal_controller_ref",
		`Ref="lights"`,
		`Ref="light"`, ""},
	{"xosc.ref.ring", `Controller name="lights"`, `Controller name="lights" reference="lights"`,
		"TrafficSignalController.reference"},
	{"xosc.ref.ring", `<TrafficSignalController name="lights">`,
		`<TrafficSignalController name="a" reference="b"><Phase name="p" duration="1"/>` +
			`</TrafficSignalController><TrafficSignalController name="b" reference="lights"><Phase ` +
			`name="p" duration="1"/></TrafficSignalController><TrafficSignalController name="lights" ` +
			`reference="b">`, "TrafficSignalController.reference"},
	{reference + "resolvable_signal_id_in_traffic_signal_state_action", `Action name="7"`,
		`Action name="8"`, ""},
	{"xosc.ref.lane", `roadId="1" laneId="-1" s="20"`, `roadId="2" laneId="-1" s="20"`,
		"LanePosition.roadId"},
	{"xosc.ref.lane", `roadId="1" laneId="-1" s="20"`, `roadId="1" laneId="-2" s="20"`,
		"LanePosition.laneId"},
	{"xosc.ref.lane", `roadId="1" laneId="-1" s="20"`, `roadId="1" laneId="-1" s="520"`,
		"LanePosition.s"},
	{"xosc.ref.lane", `roadId="1" laneId="-1" s="20"`, `roadId="1" laneId="-1" s="NaN"`,
		"LanePosition.s"},
	{"xosc.ref.lane", `roadId="1" laneId="-1" s="20"`,
		`roadId="1" laneId="-1" s="20" offset="0.8e9"`, "LanePosition.offset"},
	{reference + "unique_element_names_on_same_level", `Event name="note"`, `Event name="brake"`,
		"Event.name"},
	{reference + "valid_actor_reference_in_private_actions",
		`<EntityRef entityRef="Ego"/></Actors>`, `</Actors>`,
		"Actors"},
	{third + "data_type.non_negative_transition_time_in_light_state_action", `transitionTime="0"`,
		`transitionTime="-1"`, ""},
	{third + "data_type.positive_duration_in_phase", `duration="10"`, `duration="0"`,
		"Phase.duration"},
	{first + "data_type.condition_delay_not_negative", `delay="0.5"`, `delay="-0.5"`, ""},
	{"xosc.value.rate_zero", `value="6"`, `value="0"`, "SpeedActionDynamics.value"},
	{"xosc.value.number", `linear" dynamicsDimension="rate" value="6"`,
		`linear" dynamicsDimension="time" value="-6"`, "SpeedActionDynamics.value"},
	{"xosc.value.number",
		`<SimulationTimeCondition value="20" rule="greaterThan"/>`,
		`<VariableCondition variableRef="braked" value="NaN" rule="greaterThan"/>`,
		"VariableCondition.value"},
	{"xosc.value.number", `value="20" rule="greaterThan"`, `value="NaN" rule="greaterThan"`,
		"SimulationTimeCondition.value"},
	{"xosc.value.step", `dynamicsDimension="time" value="0"`, `dynamicsDimension="time" value="2"`,
		""},
	{"xosc.value.target_speed", `value="$speed"`, `value="${$speed + 50}"`,
		"AbsoluteTargetSpeed.value"},
	{"xosc.value.body", `positionX="2.8"`, `positionX="INF"`, ""},
	{"xosc.logic.two_teleports", `<Private entityRef="Other">`,
		`<Private entityRef="Ego"><PrivateAction><TeleportAction><Position>` +
			`<LanePosition roadId="1" laneId="-1" s="30"/></Position></TeleportAction>` +
			`</PrivateAction></Private><Private entityRef="Other">`, "TeleportAction"},
	{"xosc.value.relative", `dynamicsDimension="rate" value="6"/>
                      <SpeedActionTarget><AbsoluteTargetSpeed value="0"/>`,
		`dynamicsDimension="time" value="6"/>
                      <SpeedActionTarget><RelativeTargetSpeed entityRef="Other" value="0"` +
			` speedTargetValueType="delta" continuous="1"/>`,
		"SpeedActionDynamics.dynamicsDimension"},
	{"xosc.trigger.never_rises", `name="begin" conditionEdge="none"`,
		`name="begin" conditionEdge="rising"`, ""},
	{"xosc.trigger.never_true", `value="40"`, `value="0"`, ""},
	{"xosc.trigger.no_stop", "<StopTrigger>", "<!--", ""},
	{"xosc.trigger.empty", `<StartTrigger>
          <ConditionGroup>
            <Condition name="begin" conditionEdge="none" delay="0">
              <ByValueCondition><SimulationTimeCondition value="0" rule="greaterOrEqual"/>` +
		`</ByValueCondition>
            </Condition>
          </ConditionGroup>
        </StartTrigger>`, `<StartTrigger/>`, "StartTrigger"},
	{"xosc.trigger.self_wait", `Type="event" storyboardElementRef="brake" state="startTransition"`,
		`Type="act" storyboardElementRef="act" state="completeState"`, ""},
	{"xosc.trigger.self_wait", `Type="event" storyboardElementRef="brake" state="startTransition"`,
		`Type="act" storyboardElementRef="act" state="endTransition"`, ""},
	{"xosc.trigger.self_wait", `Type="event" storyboardElementRef="brake" state="startTransition"`,
		`Type="event" storyboardElementRef="note" state="startTransition"`, ""},
	{"xosc.trigger.self_wait", `Type="event" storyboardElementRef="brake" state="startTransition"`,
		`Type="action" storyboardElementRef="set" state="endTransition"`, ""},
	{"xosc.logic.no_init", `<Private entityRef="Other">`, `<Private entityRef="Ego">`, ""},
	{"xosc.default.orientation", `revMinor="3"`, `revMinor="3"`, ""},
	{first + "general.file_ending", "", "", ""},
}

// TestDocument_EachRule checks that the clean scenario with one change has a finding for the rule
// at the changed place.
func TestDocument_EachRule(t *testing.T) {
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	catalog, err := os.ReadFile("testdata/catalogs/vehicles.xosc")
	require.NoError(t, err)
	road, err := os.ReadFile("testdata/road.xodr")
	require.NoError(t, err)
	for _, c := range changes {
		t.Run(c.id, func(t *testing.T) {
			folder := t.TempDir()
			name := "changed.xosc"
			changed, changedCatalog := apply(t, &c, string(text), string(catalog))
			if strings.HasSuffix(c.id, "file_ending") {
				name = "changed.xml"
			}
			require.NoError(t, os.Mkdir(filepath.Join(folder, "catalogs"), 0o700))
			write := func(name, text string) {
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
			}
			write(name, changed)
			write("catalogs/vehicles.xosc", changedCatalog)
			write("road.xodr", string(road))
			write("broken.xodr", strings.Replace(string(road), `type="driving"`, `type="driven"`, 1))
			list := findings(t, filepath.Join(folder, name))
			k := slices.IndexFunc(list, func(f finding.Finding) bool { return f.ID == c.id })
			require.GreaterOrEqual(t, k, 0, "found %v", list)
			if c.place == "" {
				return
			}
			place := list[k].Place
			require.Equal(t, c.place, place.Object, "%v", list)
			written := strings.Split(changed, "\n")[place.Line-1][place.Column-1:]
			if _, attribute, is := strings.Cut(c.place, "."); is {
				require.Regexp(t, "^"+attribute+"=", written)
			} else {
				require.Regexp(t, "^<"+c.place, written)
			}
		})
	}
}

// apply applies the change to the scenario, or else to the catalog.
func apply(t *testing.T, c *change, text, catalog string) (string, string) {
	switch {
	case c.id == "xosc.default.orientation":
		position := `<LanePosition roadId="1" laneId="-1" s="20"/>`
		return strings.Replace(text, position, strings.Replace(position, "/>",
			`><Orientation h="1"/></LanePosition>`, 1),
			1), catalog
	case c.id == "xosc.trigger.no_stop":
		before, rest, _ := strings.Cut(text, "<StopTrigger>")
		_, after, _ := strings.Cut(rest, "</StopTrigger>")
		return before + after, catalog
	case strings.Contains(text, c.old):
		return strings.ReplaceAll(text, c.old, c.changed), catalog
	}
	require.Contains(t, catalog, c.old)
	return text, strings.ReplaceAll(catalog, c.old, c.changed)
}

// TestRules_AreAllTested checks that each rule is triggered by a change, or is tested elsewhere.
func TestRules_AreAllTested(t *testing.T) {
	elsewhere := []string{"xosc.param.scope", "xosc.ref.distribution", "xosc.trigger.and_rising",
		"xosc.logic.skip_never", "xosc.engine.unsupported",
		first + "routing.cardinality_of_control_points_in_nurbs",
		second + "data_type.distances_are_not_negative",
		third + "parameters.valid_parameter_declaration_in_catalogs",
		reference + "uniquely_resolvable_entity_references"}
	var ids []string
	for _, r := range check.Rules {
		require.NotContains(t, ids, r.ID)
		ids = append(ids, r.ID)
		tested := slices.ContainsFunc(changes, func(c change) bool { return c.id == r.ID })
		require.NotEqual(t, tested, slices.Contains(elsewhere, r.ID), r.ID)
	}
}

// TestDocument_TriggeringEntitiesAsADigit checks that events whose conditions select entities have
// actors, also if the Boolean is written as 1.
func TestDocument_TriggeringEntitiesAsADigit(t *testing.T) {
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "<Actors")
	actors, _, _ := strings.Cut(rest, "</Actors>")
	without := func(value string) (n int) {
		name := filepath.Join(t.TempDir(), "a.xosc")
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(text),
			"<Actors"+actors+"</Actors>", `<Actors selectTriggeringEntities="`+value+`"/>`, 1)),
			0o600))
		for _, f := range findings(t, name) {
			if strings.HasSuffix(f.ID, "valid_actor_reference_in_private_actions") {
				n++
			}
		}
		return n
	}
	require.Less(t, without("true"), without("false"))
	require.Equal(t, without("true"), without("1"))
	require.Equal(t, without("false"), without("0"))
}

// TestChoices checks that a document of each version names what it leaves out, although the schemas
// before 1.3 allow an element without any of its alternatives, and that nothing else fails.
func TestChoices(t *testing.T) {
	for _, minor := range []string{"0", "1", "2", "3"} {
		for _, text := range []string{
			`<PrivateAction><LateralAction><LaneChangeAction><LaneChangeActionDynamics
dynamicsShape="linear" dynamicsDimension="time" value="1"/><LaneChangeTarget/></LaneChangeAction>
</LateralAction></PrivateAction>`,
			`<PrivateAction><TeleportAction><Position/></TeleportAction></PrivateAction>`,
			`<PrivateAction/>`,
			`<GlobalAction><EntityAction entityRef="A"/></GlobalAction>`,
		} {
			for _, actors := range []string{"", `<Actors selectTriggeringEntities="false"/>`} {
				d, err := scenario.Parse("x.xosc", []byte(`<OpenSCENARIO><FileHeader revMajor="1"
revMinor="`+minor+`" date="2026-11-29T10:00:00" author="a" description="d"/><CatalogLocations/>
<RoadNetwork/><Entities><ScenarioObject name="A"><Pedestrian/></ScenarioObject></Entities><Storyboard>
<Init><Actions/></Init><Story name="s"><Act name="a"><ManeuverGroup name="g"
maximumExecutionCount="1">`+actors+`<Maneuver name="m"><Event name="e" priority="parallel">
<Action name="x">`+text+`</Action></Event></Maneuver></ManeuverGroup></Act></Story></Storyboard>
</OpenSCENARIO>`))
				require.NoError(t, err)
				found := 0
				for _, f := range check.Document(d) {
					if strings.Contains(f.Message, "found none of") && f.Place.Line > 5 {
						found++
					}
				}
				require.Equal(t, 1, found, "1.%s %s", minor, text)
			}
		}
	}
}

// TestDocument_NeverTrue checks that conditions are reported that need a map, a time of day or
// another entity that the scenario does not have.
func TestDocument_NeverTrue(t *testing.T) {
	const (
		near = `<RelativeDistanceCondition entityRef="Other" freespace="true" rule="lessThan" ` +
			`value="40" relativeDistanceType="longitudinal"/>`
		along    = `relativeDistanceType="longitudinal" coordinateSystem="road"/>`
		road     = `<LogicFile filepath="road.xodr"/>`
		headway  = `<TimeHeadwayCondition entityRef="%" freespace="true" rule="lessThan" value="2"/>`
		hits     = `<CollisionCondition><EntityRef entityRef="%"/></CollisionCondition>`
		approach = `<TimeToCollisionCondition freespace="true" rule="lessThan" value="2">` +
			`<TimeToCollisionConditionTarget><EntityRef entityRef="%"/>` +
			`</TimeToCollisionConditionTarget></TimeToCollisionCondition>`
		both = `<EntitySelection name="Both"><Members><EntityRef entityRef="Ego"/>` +
			`<EntityRef entityRef="Other"/></Members></EntitySelection></Entities>`
		noon  = `<TimeOfDayCondition dateTime="2026-01-01T12:00:00" rule="greaterThan"/>`
		start = `<SimulationTimeCondition value="0" rule="greaterOrEqual"/>`
		set   = `<VariableAction variableRef="braked"><SetAction value="true"/></VariableAction>`
		day   = `<EnvironmentAction><Environment name="e"><TimeOfDay animation="true" ` +
			`dateTime="2026-01-01T11:00:00"/></Environment></EnvironmentAction>`
	)
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	of := func(text, entity string) string { return strings.Replace(text, "%", entity, 1) }
	onRoute := func(attributes string) string {
		return strings.Replace(of(headway, "Other"), "freespace", `alongRoute="`+attributes+
			`" freespace`, 1)
	}
	for _, c := range []struct {
		change []string
		found  string // empty: nothing
	}{
		{[]string{near, strings.Replace(near, "relativeDistanceType=\"longitudinal\"/>", along, 1)}, ""},
		{[]string{near, strings.Replace(near, "relativeDistanceType=\"longitudinal\"/>", along, 1),
			road, ""}, "found distances along a road without a map, expected entity, or a LogicFile"},
		{[]string{near, `<OffroadCondition duration="0"/>`}, ""},
		{[]string{near, `<OffroadCondition duration="0"/>`, road, ""},
			"found it without a map, expected a LogicFile"},
		{[]string{near, `<EndOfRoadCondition duration="0"/>`, road, ""},
			"found it without a map, expected a LogicFile"},
		// without a kind of distance, it is the straight one, as in a run
		{[]string{near, strings.Replace(near, "relativeDistanceType=\"longitudinal\"",
			`coordinateSystem="road"`, 1), road, ""}, ""},
		{[]string{near, strings.Replace(near, "longitudinal\"", `cartesianDistance"
coordinateSystem="lane"`, 1), road, ""}, ""},
		{[]string{near, onRoute("true"), road, ""}, "found distances along a road without a map, " +
			"expected entity, or a LogicFile"},
		{[]string{near, onRoute(`true" coordinateSystem="entity`), road, ""}, ""},
		{[]string{near, onRoute(`true" relativeDistanceType="euclidianDistance`), road, ""}, ""},
		// an entity can follow a trajectory without roads
		{[]string{near, strings.Replace(near, "longitudinal\"", `longitudinal"
coordinateSystem="trajectory"`, 1), road, ""}, ""},
		{[]string{near, of(headway, "Other")}, ""},
		{[]string{near, of(headway, "Ego")}, "found Ego itself, expected another entity"},
		{[]string{near, of(hits, "Ego")}, "found Ego itself, expected another entity"},
		// members of a selection can collide with each other
		{[]string{"</Entities>", both, `<EntityRef entityRef="Ego"/></TriggeringEntities>`,
			`<EntityRef entityRef="Both"/></TriggeringEntities>`, near, of(hits, "Both")}, ""},
		{[]string{near, of(approach, "Ego")}, "found Ego itself, expected another entity"},
		{[]string{start, noon}, "found it without a time of day, expected an EnvironmentAction " +
			"that sets one"},
		{[]string{start, noon, set, day}, ""},
	} {
		d, err := scenario.Parse(clean, []byte(strings.NewReplacer(c.change...).Replace(string(text))))
		require.NoError(t, err)
		var got []string
		for _, f := range check.Document(d) {
			if f.ID == "xosc.trigger.never_true" {
				got = append(got, f.Message)
			}
		}
		if c.found == "" {
			require.Empty(t, got, c.change)
			continue
		}
		require.NotEmpty(t, got, c.change)
		require.Equal(t, c.found, got[0], c.change)
	}
}

// TestDocument_GivenMap checks that conditions about roads are not reported if the map is given.
func TestDocument_GivenMap(t *testing.T) {
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	const near = `<RelativeDistanceCondition entityRef="Other" freespace="true" rule="lessThan" ` +
		`value="40" relativeDistanceType="longitudinal"/>`
	d, err := scenario.Parse(clean, []byte(strings.NewReplacer(`<LogicFile filepath="road.xodr"/>`,
		"", near, `<EndOfRoadCondition duration="0"/>`).Replace(string(text))))
	require.NoError(t, err)
	count := func() (n int) {
		for _, f := range check.Document(d) {
			if f.ID == "xosc.trigger.never_true" {
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, count())
	d.Map = "testdata/road.xodr"
	require.Zero(t, count())
}
