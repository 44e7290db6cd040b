package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/scenario"
)

// What has only one possible meaning is an error in a check, and a warning for a run.
func TestDocument_Understood(t *testing.T) {
	const actors = `selectTriggeringEntities="false"`
	for name, pairs := range map[string][]string{
		"a later version": {`revMinor="3"`, `revMinor="0"`},
		"another order": {"<RoadNetwork>", "<!--", "</RoadNetwork>", "-->",
			"<CatalogLocations>", "<RoadNetwork/><CatalogLocations>"},
		"no author":             {` author="gosmp"`, ``},
		"more about the author": {` author="gosmp"`, ` author="gosmp" mail="-"`},
		"a day as the date":     {`T12:00:00"`, `"`},
		"an empty controller":   {"</ScenarioObject>", "<ObjectController/></ScenarioObject>"},
		"an absent Init":        {"<Init>", "<!--", "</Init>", "-->"},
		"nested comments":       {"<Storyboard>", "<Storyboard><!-- <!-- a -- b -->"},
		"a nameless story":      {`<Story name="story"`, `<Story`},
		"a Boolean of Python":   {actors, `selectTriggeringEntities="False"`},
		"no edge and no delay":  {` conditionEdge="none" delay="0.5"`, ``},
		"an empty selection": {"</Entities>",
			`<EntitySelection name="none"><Members/></EntitySelection></Entities>`},
		"obvious actors": {actors, ``},
	} {
		t.Run(name, func(t *testing.T) {
			d := changed(t, pairs...)
			require.Positive(t, d.Validate().Count(finding.Error))
			list := d.Understood()
			require.Zero(t, list.Count(finding.Error), "%v", list)
			require.Positive(t, list.Count(finding.Warning))
		})
	}
}

// What is not known, or is missing without a doubt, cannot be understood.
func TestDocument_NotUnderstood(t *testing.T) {
	for name, pairs := range map[string][]string{
		"an unknown element":   {"</Init>", "</Init><Prologue/>"},
		"an unknown attribute": {`priority="override"`, `priority="override" urgent="true"`},
		"an unknown value":     {`priority="override"`, `priority="urgent"`},
		"no value":             {`<SetAction value="true"/>`, `<SetAction/>`},
		"an empty action":      {`<SetAction value="true"/>`, ``},
		"no Storyboard":        {"<Storyboard>", "<!--", "</Storyboard>", "-->"},
		"unclear actors": {`selectTriggeringEntities="false"><EntityRef entityRef="Ego"/>`,
			`>`},
		"no position": {`<LanePosition roadId="1" laneId="-1" s="120"/>`, ``},
		"no place": {`<Position><LanePosition roadId="1" laneId="-1" s="120"/></Position>`,
			``},
		"no position in an old version": {`<LanePosition roadId="1" laneId="-1" s="120"/>`, ``,
			`revMinor="3"`, `revMinor="0"`},
		"no group":   {"<ManeuverGroup ", "<!-- ", "</ManeuverGroup>", "-->"},
		"two groups": {"</Init>", "</Init><Init><Actions/></Init>"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Positive(t, changed(t, pairs...).Understood().Count(finding.Error))
		})
	}
}

// A Boolean of Python has its value in a run.
func TestResolve_BooleanOfPython(t *testing.T) {
	s, err := changed(t, `freespace="true"`, `freespace="True"`).Resolve(nil)
	require.NoError(t, err)
	found := false
	s.Root.Walk(func(e *scenario.Element) bool {
		found = found || e.True("freespace")
		return true
	})
	require.True(t, found)
}
