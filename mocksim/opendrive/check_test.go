package opendrive_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
)

func section(s, lanes string) string {
	return `<laneSection s="` + s + `">` + lanes + `</laneSection>`
}

func rightLanes(lanes string) string { return section("0", center+`<right>`+lanes+`</right>`) }

const (
	toSuccessor = `<right><lane id="-1" type="driving"><link><successor id="-1"/></link>` +
		`<width sOffset="0" a="3.5"/></lane></right>`
	beyond = `<geometry s="0" x="100" y="0" hdg="0" length="100"><line/></geometry>`
)

// pairOfRoads returns a map of two consecutive roads whose links can be replaced.
func pairOfRoads(first, second string) string {
	return document(oneRoad{link: first, sections: section("0", center+toSuccessor)}.String(),
		oneRoad{id: "2", link: second, plan: beyond, sections: section("0", center+
			`<right><lane id="-1" type="driving"><link><predecessor id="-1"/></link>`+
			`<width sOffset="0" a="3.5"/></lane></right>`)}.String())
}

const (
	forth = `<successor elementType="road" elementId="2" contactPoint="start"/>`
	back  = `<predecessor elementType="road" elementId="1" contactPoint="end"/>`
)

// crossroads returns a road that leads into a junction, through road 9, and out on road 2.
func crossroads(connection string) string {
	linked := section("0",
		center+
			`<right><lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/>`+
			`</link><width a="3.5"/></lane></right>`)
	return document(
		oneRoad{link: `<successor elementType="junction" elementId="7"/>`}.String(),
		oneRoad{id: "9", attributes: `junction="7"`, link: back +
			`<successor elementType="road" elementId="2" contactPoint="start"/>`, plan: beyond,
			sections: linked}.String(),
		oneRoad{id: "2", link: `<predecessor elementType="junction" elementId="7"/>`,
			plan: `<geometry s="0" x="200" y="0" hdg="0" length="100"><line/></geometry>`}.String(),
		`<junction id="7">`+connection+`</junction>`)
}

const goodConnection = `<connection id="0" incomingRoad="1" connectingRoad="9" ` +
	`contactPoint="start"><laneLink from="-1" to="-1"/></connection>`

// TestCheck_EachRuleAlone checks each rule with a map that breaks only that rule, and with the same
// map without the fault.
func TestCheck_EachRuleAlone(t *testing.T) {
	road := func(r oneRoad) string { return document(r.String()) }
	twice := func(a, b string) string {
		return `<geometry s="0" x="0" y="0" hdg="0" length="50">` + a + `</geometry>` + b
	}
	for rule, c := range map[string]struct{ broken, repaired string }{
		"X-VERSION": {strings.Replace(road(oneRoad{}), `revMinor="8"`, "", 1), road(oneRoad{})},
		"X-GEO": {strings.Replace(road(oneRoad{}), "+proj=utm +zone=32", "", 1),
			road(oneRoad{})},
		"X-INCLUDE": {document(oneRoad{}.String(), `<include file="x"/>`), road(oneRoad{})},
		"X-SURFACE": {road(oneRoad{lateral: `<crossSectionSurface/>`}), road(oneRoad{})},
		"X-LAYER": {strings.Replace(road(oneRoad{}), "</lanes>", `</lanes><lanes layer="temporary">`+
			`<laneSection s="0"><center><lane id="0" type="none"/></center></laneSection></lanes>`,
			1), road(oneRoad{})},
		"X-PLAN-GAP": {
			road(oneRoad{plan: twice(`<line/>`,
				`<geometry s="50" x="50.01" y="0" hdg="0" length="50"><line/></geometry>`)}),
			road(oneRoad{plan: twice(`<line/>`,
				`<geometry s="50" x="50" y="0" hdg="0" length="50"><line/></geometry>`)})},
		"X-PLAN-KINK": {
			road(oneRoad{plan: twice(`<line/>`,
				`<geometry s="50" x="50" y="0" hdg="0.01" length="50"><line/></geometry>`)}),
			road(oneRoad{plan: twice(`<line/>`,
				`<geometry s="50" x="50" y="0" hdg="6.283185307" length="50"><line/></geometry>`)})},
		"X-PLAN-S": {road(oneRoad{length: 99}), road(oneRoad{})},
		"X-PLAN-TINY": {
			road(oneRoad{plan: straight +
				`<geometry s="100" x="100" y="0" hdg="0" length="0.0005"><line/></geometry>`}),
			road(oneRoad{})},
		"X-PLAN-FLAT": {road(oneRoad{plan: geometry(100, `<arc curvature="0"/>`)}),
			road(oneRoad{plan: geometry(100, `<arc curvature="1e-5"/>`)})},
		"X-POLY-LENGTH": {
			road(oneRoad{plan: geometry(100,
				`<paramPoly3 bU="1" cU="0.001" pRange="arcLength"/>`)}),
			road(oneRoad{plan: geometry(100, `<paramPoly3 bU="100" pRange="normalized"/>`)})},
		"X-POLY-START": {
			road(oneRoad{plan: geometry(100, `<paramPoly3 aU="1" bU="1" pRange="arcLength"/>`)}),
			road(oneRoad{plan: geometry(100, `<paramPoly3 bU="1" pRange="arcLength"/>`)})},
		"X-FOLD": {road(oneRoad{plan: geometry(100, `<arc curvature="0.3"/>`)}),
			road(oneRoad{plan: geometry(100, `<arc curvature="0.2"/>`)})},
		"X-PROFILE-START": {road(oneRoad{elevation: `<elevation s="5" a="0"/>`}),
			road(oneRoad{elevation: `<elevation s="0" a="0"/>`})},
		"X-PROFILE-STEP": {
			road(oneRoad{elevation: `<elevation s="0" a="0"/><elevation s="50" a="1"/>`}),
			road(oneRoad{elevation: `<elevation s="0" a="0"/><elevation s="50" b="1"/>`})},
		"X-PROFILE-ORDER": {
			road(oneRoad{elevation: `<elevation s="0"/><elevation s="50"/><elevation s="20"/>`}),
			road(oneRoad{elevation: `<elevation s="0"/><elevation s="20"/><elevation s="50"/>`})},
		"X-BANK": {road(oneRoad{lateral: `<superelevation s="0" a="0" b="0.0105"/>`}),
			road(oneRoad{lateral: `<superelevation s="0" a="0" b="0.0104"/>`})},
		"X-SHAPE-COVER": {road(oneRoad{lateral: `<shape s="0" t="0" a="0"/>`}),
			road(oneRoad{lateral: `<shape s="0" t="-3.5" a="0"/>`})},
		"X-SECTION-ORDER": {road(oneRoad{sections: twoLanes + section("60", left+center+right) +
			section("50", left+center+right)}), road(oneRoad{})},
		"X-SECTION-ZERO": {road(oneRoad{sections: twoLanes + section("50", left+center+right) +
			section("50.0000001", left+center+right)}),
			road(oneRoad{sections: twoLanes + section("50", left+center+right)})},
		"X-SECTION-FIRST": {road(oneRoad{sections: section("1", left+center+right)}),
			road(oneRoad{})},
		"X-LANE-IDS": {road(oneRoad{sections: section("0", left+right)}), road(oneRoad{})},
		"X-LANE-WIDTH": {
			road(
				oneRoad{sections: rightLanes(
					`<lane id="-1" type="driving"><width a="3" b="-0.1"/></lane>`)}),
			road(
				oneRoad{sections: rightLanes(
					`<lane id="-1" type="driving"><width a="3" b="-0.01"/></lane>`)})},
		"X-LANE-BORDER": {
			road(
				oneRoad{sections: rightLanes(
					`<lane id="-1"><border a="-3"/></lane><lane id="-2"><border a="-2"/></lane>`)}),
			road(
				oneRoad{sections: rightLanes(
					`<lane id="-1"><border a="-3"/></lane><lane id="-2"><border a="-4"/></lane>`)})},
		"X-LANE-LEVEL": {
			road(oneRoad{sections: rightLanes(`<lane id="-1" level="true"><width a="3"/></lane>` +
				`<lane id="-2"><width a="3"/></lane>`)}),
			road(oneRoad{sections: rightLanes(`<lane id="-1" level="true"><width a="3"/></lane>` +
				`<lane id="-2" level="true"><width a="3"/></lane>`)})},
		"X-LANE-LINK": {strings.NewReplacer(`<successor id="-1"/>`, `<successor id="-4"/>`,
			`<predecessor id="-1"/>`, ``).Replace(pairOfRoads(forth, back)), pairOfRoads(forth,
			back)},
		"X-LANE-ONESIDED": {strings.Replace(pairOfRoads(forth, back), `<predecessor id="-1"/>`, ``,
			1), pairOfRoads(forth, back)},
		"X-LANE-GAP": {strings.Replace(pairOfRoads(forth, back), `x="100" y="0"`,
			`x="100.05" y="0"`, 1), pairOfRoads(forth, back)},
		"X-LANE-ZERO-LINK": {strings.ReplaceAll(pairOfRoads(forth, back), `a="3.5"`, `a="0"`),
			pairOfRoads(forth, back)},
		"X-LINK-DEAD": {road(oneRoad{link: `<successor elementType="road" elementId="77"/>`}),
			road(oneRoad{})},
		"X-LINK-BACK": {pairOfRoads(forth, ""), pairOfRoads(forth, back)},
		"X-JUNCTION-ROAD": {crossroads(goodConnection +
			`<connection id="1" incomingRoad="5" connectingRoad="9"/>`),
			crossroads(goodConnection)},
		"X-JUNCTION-LANE": {crossroads(goodConnection[:len(goodConnection)-13] +
			`<laneLink from="-5" to="-1"/></connection>`),
			crossroads(goodConnection)},
		"X-JUNCTION-DIRECTION": {crossroads(goodConnection + `<connection id="1" ` +
			`incomingRoad="2" connectingRoad="9" contactPoint="end"><laneLink from="-1" to="-1"/>` +
			`</connection>`),
			crossroads(goodConnection)},
		"X-LINK-CONTACT": {strings.Replace(pairOfRoads(forth, back), ` contactPoint="start"`,
			"", 1), pairOfRoads(forth, back)},
		"X-JUNCTION-CONTACT": {strings.Replace(crossroads(goodConnection),
			` contactPoint="start"><laneLink`, "><laneLink", 1), crossroads(goodConnection)},
		"X-JUNCTION-IN": {crossroads(goodConnection +
			`<connection id="1" incomingRoad="9" connectingRoad="2"/>`),
			crossroads(goodConnection)},
		"X-JUNCTION-TWICE": {crossroads(goodConnection + goodConnection),
			crossroads(goodConnection)},
		"X-SIGNAL": {road(oneRoad{rest: `<signals><signal id="1" s="101" t="0"/></signals>`}),
			road(
				oneRoad{
					rest: `<signals><signal id="1" s="99" t="0" value="50" unit="km/h"/></signals>`})},
		"X-OBJECT": {road(oneRoad{rest: `<objects><object id="1" s="101" t="0" orientation="none"/>` +
			`</objects>`}), road(oneRoad{rest: `<objects><object id="1" s="99" t="0" ` +
			`orientation="none"/></objects>`})},
		"X-OBJECT with a known id": {road(oneRoad{rest: `<objects><object id="1" s="9" t="0" ` +
			`orientation="none"/><object id="1" s="9" t="3" orientation="none"/></objects>`}),
			road(oneRoad{rest: `<objects><object id="1" s="9" t="0" orientation="none"/>` +
				`<object id="2" s="9" t="3" orientation="none"/></objects>`})},
		"X-SIGNAL with a known id": {
			road(oneRoad{rest: `<signals><signal id="1" s="9" t="0"/><signal id="1" s="9" t="3"/>` +
				`</signals>`}),
			road(oneRoad{rest: `<signals><signal id="1" s="9" t="0"/><signal id="2" s="9" t="3"/>` +
				`</signals>`})},
		"X-SIGNAL of a controller": {strings.Replace(road(oneRoad{}), "</OpenDRIVE>",
			`<controller id="c"><control signalId="7"/></controller></OpenDRIVE>`, 1),
			strings.Replace(road(oneRoad{rest: `<signals><signal id="7" s="9" t="0"/></signals>`}),
				"</OpenDRIVE>",
				`<controller id="c"><control signalId="7"/></controller></OpenDRIVE>`, 1)},
	} {
		rule, _, _ = strings.Cut(rule, " ")
		t.Run(rule, func(t *testing.T) {
			broken, repaired := read(t, c.broken).Check(), read(t, c.repaired).Check()
			for _, found := range rulesOf(broken) {
				require.Equal(t, rule, found, "%v", broken)
			}
			require.NotEmpty(t, rulesOf(broken))
			require.Empty(t, rulesOf(repaired), "%v", repaired)
		})
	}
}

func TestCheck_NamesPlaceAndValues(t *testing.T) {
	list := read(t, pairOfRoads(forth, "")).Check()
	require.Equal(t,
		`test.xodr:5: road 1: warning: leads to the start of road 2, which does not lead back `+
			`[X-LINK-BACK]; link both roads`, list[0].String())
}

// TestCheck_WhatNoVehicleCanFollow checks that corners and roads that are upside down are errors.
func TestCheck_WhatNoVehicleCanFollow(t *testing.T) {
	corner := func(turn string) string {
		return document(oneRoad{plan: `<geometry s="0" x="0" y="0" hdg="0" length="50"><line/>` +
			`</geometry><geometry s="50" x="50" y="0" hdg="` + turn + `" length="50"><line/>` +
			`</geometry>`}.String())
	}
	point := func(length string) string {
		return document(oneRoad{plan: `<geometry s="0" x="0" y="0" hdg="0" length="50"><line/>` +
			`</geometry><geometry s="50" x="50" y="0" hdg="1.5" length="` + length + `"><line/>` +
			`</geometry><geometry s="50.0005" x="50" y="0" hdg="0" length="49.9995"><line/>` +
			`</geometry>`}.String())
	}
	bank := func(angle string) string {
		return document(oneRoad{lateral: `<superelevation s="0" a="` + angle + `"/>`}.String())
	}
	for text, want := range map[string]finding.Severity{
		corner("0.9"): finding.Warning, corner("-1.1"): finding.Error,
		point("0.0005"): finding.Warning, point("0.005"): finding.Error,
		bank("1.5"): finding.Warning, bank("-1.6"): finding.Error,
		bank(`1.2"/><superelevation s="40" a="1.6`): finding.Error,
	} {
		list := read(t, text).Check()
		k := slices.IndexFunc(list, func(f finding.Finding) bool {
			return f.ID == "X-PLAN-KINK" || f.ID == "X-BANK"
		})
		require.GreaterOrEqual(t, k, 0, "%v", list)
		require.Equal(t, want, list[k].Severity, "%v", list[k])
	}
}

// splitting returns a road whose lane leads into two lanes next to each other, of which the outer
// one has the width w.
func splitting(w string) string {
	return document(oneRoad{sections: section("0",
		center+`<right><lane id="-1" type="driving"><link>`+
			`<successor id="-1"/><successor id="-2"/></link><width a="6"/></lane></right>`) +
		section("50", center+`<right><lane id="-1" type="driving"><link>`+
			`<predecessor id="-1"/></link><width a="4"/></lane>`+
			`<lane id="-2" type="driving"><link><predecessor id="-1"/></link>`+
			`<width a="`+w+`"/></lane></right>`)}.String())
}

func TestCheck_LanesThatSplitMeet(t *testing.T) {
	require.Empty(t, rulesOf(read(t, splitting("2")).Check()))
	require.Contains(t, rulesOf(read(t, splitting("2.1")).Check()), "X-LANE-GAP")
}
