package opendrive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
)

// complete is a map that obeys the schemas of 1.5 to 1.8.
const complete = `<OpenDRIVE>
<header revMajor="1" revMinor="7"><geoReference>+proj=utm +zone=32</geoReference>
<userData code="x" value="y"/></header>
<road id="1" length="100" junction="-1" rule="RHT">
<link/>
<planView><geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry></planView>
<lanes><laneSection s="0">
<center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
<speed sOffset="0" max="50" unit="km/h"/></lane></right>
</laneSection></lanes>
<signals/>
</road>
</OpenDRIVE>`

func schemaFindings(t *testing.T, text string) (list finding.List) {
	for _, f := range read(t, text).Check() {
		if strings.HasPrefix(f.ID, "X-SCHEMA-") || f.ID == "X-PROFILE-ORDER" {
			list = append(list, f)
		}
	}
	return list
}

func TestSchema_EachVersionIsItsOwn(t *testing.T) {
	for minor := 4; minor <= 8; minor++ {
		list := schemaFindings(t, strings.Replace(complete, `revMinor="7"`,
			fmt.Sprintf(`revMinor="%d"`, minor), 1))
		if minor == 4 {
			require.Len(t, list, 1, "rule is newer: %v", list)
			require.Equal(t, "X-SCHEMA-ATTRIBUTE", list[0].ID)
			continue
		}
		require.Empty(t, list)
	}
}

func TestSchema_FindsEachKindOfFault(t *testing.T) {
	const e, w, n = finding.Error, finding.Warning, finding.Note
	for _, c := range []struct {
		old, new, id string
		severity     finding.Severity
		text         string
	}{
		{`<signals/>`, `<signls/>`, "X-SCHEMA-ELEMENT", w, `signls in road is unknown and ignored`},
		{`<signals/>`, `<![CDATA[<signals/>]]>`, "X-SCHEMA-ELEMENT", w,
			`the text "<signals/>" in road is ignored`},
		{`<signals/>`, `<signals>none</signals>`, "X-SCHEMA-ELEMENT", w,
			`the text "none" in signals is ignored`},
		{`<lanes><laneS`, `<lateralProfile><crossSectionSurface/></lateralProfile><lanes><laneS`,
			"X-SCHEMA-ELEMENT", w, `belongs to OpenDRIVE 1.8, the map has version 1.7`},
		{` type="driving"`, ` typ="driving" type="driving"`, "X-SCHEMA-ATTRIBUTE", w,
			`typ of lane is unknown and ignored`},
		{` type="driving"`, ` direction="both" type="driving"`, "X-SCHEMA-ATTRIBUTE", w,
			`direction of lane belongs to OpenDRIVE 1.8`},
		{` a="3.5"`, ``, "X-SCHEMA-REQUIRED", e, `width without a, which OpenDRIVE 1.7 requires`},
		{` hdg="0"`, ``, "X-SCHEMA-REQUIRED", e, `geometry without hdg`},
		{`type="driving"`, `type="drivng"`, "X-SCHEMA-VALUE", e,
			`type of lane is "drivng", expected HOV, bidirectional`},
		{`type="driving"`, `type="slipLane"`, "X-SCHEMA-VALUE", w, `"slipLane"`},
		{`rule="RHT"`, `rule="left"`, "X-SCHEMA-VALUE", e,
			`rule of road is "left", expected LHT, RHT`},
		{`id="-1" type`, `level="1" id="-1" type`, "X-SCHEMA-VALUE", w, `level of lane is "1"`},
		{`max="50"`, `max="-50"`, "X-SCHEMA-VALUE", e,
			`max of speed is "-50", expected a number of at least 0`},
		{`<link/>`, `<link/><type s="0" type="town" country="germany"/>`, "X-SCHEMA-VALUE", e,
			`country of type is "germany", expected 2 capital letters, 3 capital letters, Austria`},
		{`<link/>`, `<link/><type s="0" type="town" country="D"/>`, "X-SCHEMA-VALUE", e,
			`country of type is "D"`},
		{`<center><lane id="0" type="none"/></center>`, `<center/>`, "X-SCHEMA-CHILD", w,
			`center without lane`},
		{`<line/>`, `<line/><arc curvature="0.1"/>`, "X-SCHEMA-CHILD", e,
			`arc next to line in one geometry`},
		{`<link/>`, `<link/><link/>`, "X-SCHEMA-CHILD", w, `a second link in road`},
		{`<link/>`, `<link/><userData/>`, "X-SCHEMA-ORDER", w, `planView in road is after`},
		{`<link/>`, `<link/><type s="50" type="town"/><type s="20" type="town"/>`,
			"X-PROFILE-ORDER", w, `type at 20 follows 50`},
		{`<speed sOffset="0"`, `<material sOffset="9" friction="1" surface="a"/>` +
			`<material sOffset="3" friction="1" surface="b"/><speed sOffset="0"`,
			"X-PROFILE-ORDER", w, `material at 3 follows 9`},
		{`<header revMajor`, `<x/><header revMajor`, "X-SCHEMA-ELEMENT", w,
			`x in OpenDRIVE is unknown`},
		{`<OpenDRIVE>`, `<OpenDRIVE xmlns="http://example.org">`, "X-SCHEMA-NAMESPACE", n,
			`http://example.org`},
	} {
		require.Contains(t, complete, c.old)
		list := schemaFindings(t, strings.Replace(complete, c.old, c.new, 1))
		require.NotEmpty(t, list, c.new)
		require.Equal(t, c.id, list[0].ID, "%s: %v", c.new, list)
		require.Equal(t, c.severity, list[0].Severity, "%s: %v", c.new, list)
		require.Contains(t, list[0].Message, c.text)
	}
}

func TestSchema_CountsWhatOccursAgain(t *testing.T) {
	list := schemaFindings(t, strings.Replace(complete, `<signals/>`, strings.Repeat(`<odd/>`, 500),
		1))
	require.Len(t, list, 1)
	require.Contains(t, list[0].Message, "(and at 499 other places)")
}

// TestSchema_MapWithoutARoad requires an error: nothing in such a map was checked.
func TestSchema_MapWithoutARoad(t *testing.T) {
	list := schemaFindings(t, `<OpenDRIVE><header revMajor="1" revMinor="7"/></OpenDRIVE>`)
	require.Len(t, list, 1)
	require.Equal(t, finding.Error, list[0].Severity)
	require.Contains(t, list[0].Message, "OpenDRIVE without road")
}

// TestSchema_LeavesUserDataAlone checks that additions by vendors, in userData and in their own
// namespaces, are not faults.
func TestSchema_LeavesUserDataAlone(t *testing.T) {
	text := strings.Replace(complete, `value="y"/>`,
		`value="y"><anything at="all"><road/></anything></userData>`, 1)
	text = strings.Replace(text, `rule="RHT"`,
		`rule="RHT" xmlns:v="http://example.org" v:extra="1"`, 1)
	require.Empty(t, schemaFindings(t, text))
}

// TestSchema_CodesOfCountries checks which codes each version has.
func TestSchema_CodesOfCountries(t *testing.T) {
	for code, faults := range map[string][2]int{"DE": {1, 0}, "DEU": {0, 0}, "Germany": {0, 0},
		"OpenDRIVE": {0, 0}, "de": {1, 1}, "DEUT": {1, 1}, "": {1, 1}} {
		for k, minor := range []string{"5", "8"} {
			text := strings.Replace(complete, `<link/>`,
				`<link/><type s="0" type="town" country="`+code+`"/>`, 1)
			text = strings.Replace(text, `revMinor="7"`, `revMinor="`+minor+`"`, 1)
			list := schemaFindings(t, text)
			require.Len(t, list, faults[k], "%q in 1.%s", code, minor)
			for _, f := range list {
				require.Equal(t, code == "DE" || code == "", f.Severity == finding.Warning,
					"%q in 1.%s: %v", code, minor, f)
			}
		}
	}
}

// TestSchema_OrdersOfAllVersions checks elements whose order differs between versions.
func TestSchema_OrdersOfAllVersions(t *testing.T) {
	const (
		centre = `<center><lane id="0" type="none"/></center>`
		width  = `<width sOffset="0" a="0" b="0" c="0" d="0"/>`
		mark   = `<roadMark sOffset="0" type="solid" color="white"/>`
	)
	for _, c := range []struct{ minor, old, new string }{
		{"5", `<speed sOffset="0"`, `<material sOffset="0" friction="0" roughness="0"/>` +
			`<visibility sOffset="0" forward="1" back="1" left="1" right="1"/><speed sOffset="0"`},
		{"7", `</road>`, `</road><junction id="2"><connection id="1" incomingRoad="1">` +
			`<predecessor elementType="road" elementId="1" elementS="9" elementDir="+"/>` +
			`<successor elementType="road" elementId="1" elementS="9" elementDir="+"/>` +
			`<laneLink from="-1" to="-1"/></connection></junction>`},
		{"8", `</road>`, `</road><junction id="2"><connection id="1" incomingRoad="1">` +
			`<laneLink from="-1" to="-1"/>` +
			`<predecessor elementType="road" elementId="1" elementS="9" elementDir="+"/>` +
			`<successor elementType="road" elementId="1" elementS="9" elementDir="+"/>` +
			`</connection></junction>`},
		{"6", centre, `<center><lane id="0" type="none"><link/>` + width + mark +
			`</lane></center>`},
		{"7", centre, `<center><lane id="0" type="none"><link/>` + width + width + mark + mark +
			`<material sOffset="0" friction="0" roughness="0"/></lane></center>`},
		{"8", centre, `<center><lane id="0" type="none"><link/>` + mark + `</lane></center>`},
	} {
		require.Contains(t, complete, c.old)
		text := strings.Replace(complete, `revMinor="7"`, `revMinor="`+c.minor+`"`, 1)
		require.Empty(t, schemaFindings(t, strings.Replace(text, c.old, c.new, 1)), c.new)
	}
}
