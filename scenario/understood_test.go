package scenario_test

import (
	"slices"
	"strings"
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
		"a story without acts":  {"</Story>", `</Story><Story name="later"/>`},
		"a maneuver without events": {"</ManeuverGroup>",
			`<Maneuver name="later"/></ManeuverGroup>`},
		"a nameless story":     {`<Story name="story"`, `<Story`},
		"a Boolean of Python":  {actors, `selectTriggeringEntities="False"`},
		"no edge and no delay": {` conditionEdge="none" delay="0.5"`, ``},
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

// An element that is there, but not often enough, is not said to be absent.
func TestDocument_TooFewOfAnElement(t *testing.T) {
	const position = `<Position><WorldPosition x="0" y="0"/></Position>`
	for n, want := range []string{"found no Position, expected one",
		"found 1 Position, expected at least 2", ""} {
		list := changed(t, `</RoadNetwork>`,
			`<UsedArea>`+strings.Repeat(position, n)+`</UsedArea></RoadNetwork>`).Validate()
		k := slices.IndexFunc(list, func(f finding.Finding) bool {
			return f.Place.Object == "UsedArea"
		})
		if require.Equal(t, want != "", k >= 0, "%v", list); want != "" {
			require.Equal(t, want, list[k].Message)
		}
	}
}

// Values in parts of a later version are checked as in a document of that version.
func TestDocument_ValuesOfALaterVersion(t *testing.T) {
	for value, pairs := range map[string][]string{
		`found mode "onn", expected one of on, off, flashing`: {`mode="on"`, `mode="onn"`},
		`found routingAlgorithm "best", expected one of`: {`entityRef="Other" freespace`,
			`entityRef="Other" routingAlgorithm="best" freespace`},
		`found transitionTime "soon", expected a number`: {`transitionTime="0"`,
			`transitionTime="soon"`},
	} {
		list := changed(t, append(pairs, `revMinor="3"`, `revMinor="1"`)...).Understood()
		require.Equal(t, 1, list.Count(finding.Error), "%v", list)
		require.True(t, slices.ContainsFunc(list, func(f finding.Finding) bool {
			return f.Severity == finding.Error && strings.HasPrefix(f.Message, value)
		}), "%v", list)
	}
	require.Zero(t, changed(t, `entityRef="Other" freespace`,
		`entityRef="Other" routingAlgorithm="fastest" freespace`, `revMinor="3"`,
		`revMinor="1"`).Understood().Count(finding.Error))
}

// A part of a later version is one deviation, also if the version that introduced it demands more
// than the newest one.
func TestDocument_PartsOfALaterVersionDeviateOnce(t *testing.T) {
	const light = `<Private entityRef="Other"><PrivateAction><AppearanceAction><LightStateAction
transitionTime="0"><LightType><VehicleLight vehicleLightType="brakeLights"/></LightType>
<LightState mode="on"/></LightStateAction></AppearanceAction></PrivateAction>`
	for _, minor := range []string{"0", "1"} {
		d := changed(t, `<Private entityRef="Other">`, light, `revMinor="3"`, `revMinor="`+minor+`"`)
		for _, f := range d.Understood() {
			if strings.Contains(f.Message, "AppearanceAction") ||
				strings.Contains(f.Message, "AnimationAction") ||
				strings.Contains(f.Message, "UserDefinedLight") {
				require.Equal(t, scenario.RuleTooNew, f.ID, "%v", f)
			}
		}
	}
}

// Where a later version accepts what the stated one refuses, the remedy says so.
func TestDocument_ALaterVersionAccepts(t *testing.T) {
	d := changed(t, `<Private entityRef="Other">`, `<Private entityRef="Other"><PrivateAction>
<AppearanceAction><LightStateAction><LightType><VehicleLight vehicleLightType="brakeLights"/>
</LightType><LightState mode="on"/></LightStateAction></AppearanceAction></PrivateAction>`,
		`revMinor="3"`, `revMinor="2"`)
	for _, parent := range []string{"no AnimationAction", "no UserDefinedLight"} {
		require.True(t, slices.ContainsFunc(d.Validate(), func(f finding.Finding) bool {
			return strings.Contains(f.Message, parent) &&
				f.Remedy == "version 1.3 accepts it: raise revMinor to 3"
		}), parent)
	}
}

// A Boolean of Python has its value also in an attribute of a later version.
func TestResolve_BooleanOfALaterVersion(t *testing.T) {
	s, err := changed(t, `<Private entityRef="Other">`, `<Private entityRef="Other"><PrivateAction>
<ActivateControllerAction lighting="True"/></PrivateAction>`, `revMinor="3"`,
		`revMinor="1"`).Resolve(nil)
	require.NoError(t, err)
	var lighting string
	s.Root.Walk(func(e *scenario.Element) bool {
		lighting += e.Value("lighting")
		return true
	})
	require.Equal(t, "true", lighting)
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
