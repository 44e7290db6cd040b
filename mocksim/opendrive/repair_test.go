package opendrive_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
)

// repaired returns the result of Repair for a map, and the text of its changes.
func repaired(t require.TestingT, text string) (*opendrive.Repaired, string) {
	r, err := opendrive.Repair("test.xodr", []byte(text))
	require.NoError(t, err)
	var changes []string
	for k := range r.Changes {
		changes = append(changes, r.Changes[k].String())
	}
	return r, strings.Join(changes, "\n")
}

// ids returns the rules that a repaired map still breaks.
func ids(list finding.List) (rules []string) {
	for _, f := range list {
		if f.Severity != finding.Note {
			rules = append(rules, f.ID)
		}
	}
	return rules
}

// TestRepair_CorrectsEachKindOfFault checks, for each kind of fault, the rule, the change and a
// part of the repaired text.
func TestRepair_CorrectsEachKindOfFault(t *testing.T) {
	narrowing := strings.Replace(pairOfRoads(forth, back), `<width sOffset="0" a="3.5"/>`,
		`<width sOffset="0" a="3.5" b="-0.035"/>`, 1)
	outward := crossroads(goodConnection + `<connection id="1" incomingRoad="2" ` +
		`connectingRoad="9" contactPoint="end"><laneLink from="-1" to="-1"/></connection>`)
	for name, c := range map[string]struct{ broken, rule, said, then string }{
		"order of elements": {strings.Replace(complete, `<link/>`, `<signals/><link/>`, 1),
			"X-SCHEMA-ORDER", "moved link of road", "<link/>"},
		"word": {strings.Replace(complete, `type="driving"`, `type="drivng"`, 1), "X-SCHEMA-VALUE",
			`changed type of lane from "drivng" to "driving"`, `type="driving"`},
		"case": {strings.Replace(complete, `rule="RHT"`, `rule="rht"`, 1), "X-SCHEMA-VALUE",
			`from "rht" to "RHT"`, `rule="RHT"`},
		"truth": {strings.Replace(complete, `id="-1" type`, `level="1" id="-1" type`, 1),
			"X-SCHEMA-VALUE", `from "1" to "true"`, `level="true"`},
		"attribute": {strings.Replace(complete, `sOffset="0" max`, `soffset="0" max`, 1),
			"X-SCHEMA-ATTRIBUTE", `renamed soffset of speed to sOffset`, `<speed sOffset="0"`},
		"zero": {strings.Replace(complete, ` b="0" c="0" d="0"`, ``, 1), "X-SCHEMA-REQUIRED",
			`wrote 0 for b, c, d of width`, `a="3.5" b="0" c="0" d="0"/>`},
		"nothing in it": {strings.Replace(complete, `<center>`, `<left/><center>`, 1),
			"X-SCHEMA-CHILD", `removed left, which has no lane`, `<laneSection s="0"><center>`},
		"lane 0": {strings.Replace(complete, `<center><lane id="0" type="none"/></center>`, ``, 1),
			"X-LANE-IDS", `added lane 0`, "<center>\n<lane id=\"0\" type=\"none\"/>\n</center>"},
		"records": {document(oneRoad{elevation: `<elevation s="0" a="0" b="0" c="0" d="0"/>` +
			`<elevation s="50" a="0" b="0" c="0" d="0"/>` +
			`<elevation s="20" a="0" b="0" c="0" d="0"/>`}.String()), "X-PROFILE-ORDER",
			"road 1: sorted elevation at 20 by s",
			`<elevation s="20" a="0" b="0" c="0" d="0"/><elevation s="50"`},
		"record twice": {document(oneRoad{offset: `<laneOffset s="0" a="1" b="0" c="0" d="0"/>` +
			`<laneOffset s="0" a="0" b="0" c="0" d="0"/>`}.String()), "X-PROFILE-ORDER",
			"removed laneOffset at 0, which is replaced by the next one at that position",
			`<lanes><laneOffset s="0" a="0" b="0" c="0" d="0"/><laneSection`},
		"late record": {document(oneRoad{elevation: `<elevation s="50" a="0" ` +
			`b="0" c="0" d="0"/>`}.String()), "X-PROFILE-START",
			"wrote the elevation of 0 that applies before s = 50",
			`<elevation s="0" a="0" b="0" c="0" d="0"/><elevation s="50"`},
		"geometries": {document(oneRoad{plan: `<geometry s="50" x="50" y="0" hdg="0" length="50">` +
			`<line/></geometry><geometry s="0" x="0" y="0" hdg="0" length="50"><line/></geometry>`,
		}.String()), "X-PLAN-ORDER", "sorted the geometry by s",
			`<planView><geometry s="0"`},
		"geometry of no length": {document(oneRoad{plan: straight +
			`<geometry s="100" x="100" y="0" hdg="0" length="0"><line/></geometry>`}.String()),
			"X-PLAN-TINY", "removed a geometry of 0 m", straight + `</planView>`},
		"sections": {document(oneRoad{sections: twoLanes + section("60", left+center+right) +
			section("50", left+center+right)}.String()), "X-SECTION-ORDER",
			"sorted laneSection at 50", ""},
		"link to nothing": {document(oneRoad{link: `<successor/>`}.String()), "X-LINK-DEAD",
			"removed a successor without a target", `<link></link>`},
		"dead road": {document(oneRoad{link: `<successor elementType="road" elementId="77" ` +
			`contactPoint="start"/>`}.String()), "X-LINK-DEAD",
			"removed the successor road 77, which does not exist", `<link></link>`},
		"wrong road": {strings.Replace(pairOfRoads(forth, back), `elementId="2"`,
			`elementId="77"`, 1), "X-LINK-DEAD",
			"linked it to the start of road 2, which it meets, instead of road 77", forth},
		"dead junction": {strings.Replace(crossroads(goodConnection), `elementType="junction" `+
			`elementId="7"`, `elementType="junction" elementId="8"`, 1), "X-LINK-DEAD",
			"linked it to junction 7, whose connections begin there, instead of junction 8",
			`<successor elementType="junction" elementId="7"/>`},
		"way back": {pairOfRoads(forth, ""), "X-LINK-BACK",
			"road 2: added its predecessor, the end of road 1, which leads to it", back},
		"no contact point": {strings.Replace(pairOfRoads(forth, back), ` contactPoint="start"`, "",
			1), "X-LINK-CONTACT", "wrote contactPoint of its successor: the start of road 2",
			forth},
		"wrong contact point": {strings.Replace(pairOfRoads(forth, back), `contactPoint="start"`,
			`contactPoint="end"`, 1), "X-LINK-CONTACT",
			"changed contactPoint of its successor to the start of road 2", forth},
		"lane way back": {strings.Replace(pairOfRoads(forth, back), `<predecessor id="-1"/>`, ``,
			1), "X-LANE-ONESIDED", "added its predecessor, lane -1, which leads to it",
			`<link><predecessor id="-1"/></link>`},
		"dead lane": {strings.Replace(pairOfRoads(forth, back), `<successor id="-1"/>`,
			`<successor id="-4"/>`, 1), "X-LANE-LINK",
			"changed its successor from lane -4, which does not exist, to lane -1, which it meets",
			`<successor id="-1"/>`},
		"no width": {narrowing, "X-LANE-ZERO-LINK",
			"removed its successor, lane -1, because the lane has no width there", `<link></link>`},
		"dead connection": {crossroads(goodConnection +
			`<connection id="1" incomingRoad="5" connectingRoad="9"/>`), "X-JUNCTION-ROAD",
			`junction 7, connection 1: removed the connection: road "5" does not exist`,
			`<junction id="7">` + goodConnection + `</junction>`},
		"incoming road": {strings.Replace(crossroads(goodConnection), `<successor elementType=`+
			`"junction" elementId="7"/>`, ``, 1), "X-LINK-BACK",
			"road 1: made junction 7 its successor", `elementType="junction" elementId="7"`},
		"incoming road without the junction": {strings.Replace(crossroads(goodConnection),
			`elementType="junction" elementId="7"`,
			`elementType="road" elementId="9" contactPoint="start"`, 1), "X-JUNCTION-ROAD",
			"road 1: made junction 7 its successor", `elementType="junction" elementId="7"`},
		"connection's contact point": {strings.Replace(crossroads(goodConnection),
			` contactPoint="start"><laneLink`, `><laneLink`, 1), "X-JUNCTION-CONTACT",
			"set contactPoint to the start of road 9, which leads to road 1",
			`contactPoint="start"><laneLink`},
		"connection's wrong contact point": {strings.Replace(crossroads(goodConnection),
			` contactPoint="start"><laneLink`, ` contactPoint="end"><laneLink`, 1),
			"X-JUNCTION-CONTACT", "set contactPoint to the start of road 9", goodConnection},
		"dead laneLink": {crossroads(strings.Replace(goodConnection, `from="-1"`, `from="-5"`, 1)),
			"X-JUNCTION-LANE", "replaced the laneLink -5 to -1 by -1 to -1", goodConnection},
		"laneLink outwards": {outward, "X-JUNCTION-DIRECTION", "removed the laneLink from -1 to -1",
			`<junction id="7">` + goodConnection + `</junction>`},
		"two connections": {crossroads(goodConnection + goodConnection), "X-JUNCTION-TWICE",
			"moved its laneLinks to connection 0 of the same roads",
			`<junction id="7">` + goodConnection + `</junction>`},
		"control": {strings.Replace(complete, `</OpenDRIVE>`, `<controller id="c">`+
			`<control signalId="8"/></controller></OpenDRIVE>`, 1), "X-SIGNAL",
			"controller c: removed signal 8, which does not exist",
			`<controller id="c"></controller>`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, ids(read(t, c.broken).Check()), c.rule)
			r, said := repaired(t, c.broken)
			require.Contains(t, said, c.said)
			require.Contains(t, said, "["+c.rule+"]")
			require.Contains(t, string(r.Text), c.then)
			require.NotContains(t, ids(r.Left), c.rule)
			require.Zero(t, r.Left.Count(finding.Error), "%v", r.Left)
			again, more := repaired(t, string(r.Text))
			require.Empty(t, more)
			require.Equal(t, string(r.Text), string(again.Text))
		})
	}
}

// TestRepair_LeavesWhatIsOpen checks that a fault with more than one possible correction is kept
// and that the text is unchanged.
func TestRepair_LeavesWhatIsOpen(t *testing.T) {
	for name, text := range map[string]string{
		"gap in the plan": document(oneRoad{plan: `<geometry s="0" x="0" y="0" hdg="0" ` +
			`length="50"><line/></geometry>` +
			`<geometry s="50" x="60" y="0" hdg="0" length="50"><line/></geometry>`,
		}.String()),
		"roads that do not meet": strings.Replace(pairOfRoads(forth, back), `x="100"`, `x="150"`,
			1),
		"unlike word": strings.Replace(complete, `type="driving"`, `type="lane"`, 1),
		"lane ids": strings.Replace(document(oneRoad{}.String()), `<lane id="-1"`, `<lane id="-2"`,
			1),
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := repaired(t, text)
			require.NotZero(t, r.Left.Count(finding.Error))
		})
	}
	bom := "\ufeff" + strings.Replace(complete, `1.7`, `1.8`, 1)
	r, said := repaired(t, bom)
	require.Empty(t, said)
	require.Equal(t, bom, string(r.Text))
	_, err := opendrive.Repair("x", []byte(`<OpenDRIVE/>`))
	require.ErrorIs(t, err, opendrive.ErrMap)
}

func TestRepair_NamesThePlaceInTheFile(t *testing.T) {
	_, said := repaired(t, pairOfRoads(forth, ""))
	require.Contains(t, said, "test.xodr:8: road 2: added its predecessor")
}

// A map may declare defaults of attributes and entities. The correction of an element with such an
// attribute changes its value, and does not add a second one.
func TestRepair_WritesWhatTheDocumentTypeDeclares(t *testing.T) {
	_, root, found := strings.Cut(complete, "<OpenDRIVE")
	require.True(t, found)
	broken := `<!DOCTYPE OpenDRIVE [<!ATTLIST road rule CDATA "rht"><!ENTITY kind "driving">]>` +
		"<OpenDRIVE" + strings.Replace(strings.Replace(root, ` rule="RHT"`, "", 1),
		`type="driving"`, `type="&kind;"`, 1)
	r, said := repaired(t, broken)
	require.Contains(t, said, `from "rht" to "RHT"`)
	require.Equal(t, 1, strings.Count(string(r.Text), ` rule="RHT"`))
	require.NotContains(t, string(r.Text), "&kind;")
}

func TestRepair_WritesUTF8(t *testing.T) {
	text := `<?xml version="1.0" encoding="ISO-8859-1"?>` + "\n" + strings.Replace(complete,
		`<road id="1"`, "<road name=\"Stra\xdfe\" id=\"1\"", 1)
	r, said := repaired(t, strings.Replace(text, `type="driving"`, `type="drivng"`, 1))
	require.Contains(t, said, "drivng")
	require.Contains(t, string(r.Text), `encoding="UTF-8"`)
	require.Contains(t, string(r.Text), `name="Straße"`)
}

// meets reports whether a course starts where another one ends.
func meets(c, next opendrive.Course) bool {
	begin := opendrive.LaneEnd{Lane: next.Lane, At: opendrive.AtStart}
	if !next.Forwards {
		begin.At = opendrive.AtEnd
	}
	a, b := c.Exit().Center(), begin.Center()
	return math.Hypot(a.X-b.X, a.Y-b.Y) < 0.1
}

// ways returns all courses of a map, with the courses that follow where they end.
func ways(m *opendrive.Map) map[string]bool {
	set := map[string]bool{}
	name := func(c opendrive.Course) string {
		if c.Forwards {
			return c.Lane.String()
		}
		return c.Lane.String() + " backwards"
	}
	for _, road := range m.Roads {
		for _, section := range road.Sections {
			for _, lane := range section.Lanes {
				if lane.ID == 0 {
					continue
				}
				for _, c := range lane.Courses() {
					for _, next := range m.Next(c) {
						if meets(c, next) {
							set[name(c)+", "+name(next)] = true
						}
					}
				}
			}
		}
	}
	return set
}

// checkRepair compares a map with its repair: it adds no faults, traffic loses no routes except
// through ends without width, and a second repair changes nothing.
func checkRepair(t require.TestingT, name string, text []byte) {
	before, err := opendrive.Read(name, strings.NewReader(string(text)))
	if err != nil {
		require.ErrorIs(t, err, opendrive.ErrMap)
		return
	}
	r, err := opendrive.Repair(name, text)
	require.NoError(t, err, name)
	after, err := opendrive.Read(name, strings.NewReader(string(r.Text)))
	require.NoError(t, err, name)
	narrow := false
	for _, c := range r.Changes {
		narrow = narrow || c.Rule == "X-LANE-ZERO-LINK"
	}
	if !narrow {
		kept := ways(after)
		for way := range ways(before) {
			require.True(t, kept[way], "%s: lost %s by %v", name, way, r.Changes)
		}
	}
	again, err := opendrive.Repair(name, r.Text)
	require.NoError(t, err, name)
	require.Empty(t, again.Changes, name)
	require.Equal(t, string(r.Text), string(again.Text), name)
}

// TestRepair_LosesNoWay damages maps at random places.
func TestRepair_LosesNoWay(t *testing.T) {
	maps := []string{crossroads(goodConnection), pairOfRoads(forth, back), splitting("2")}
	files, err := filepath.Glob("../../examples/maps/*.xodr")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	if testing.Short() {
		files = nil
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		maps = append(maps, string(text))
	}
	damage := [][2]string{{`contactPoint="start"`, `contactPoint="end"`},
		{`contactPoint="end"`, ``},
		{`id="-1"`, `id="-2"`}, {`elementId="`, `elementId="9`}, {`<successor`, `<predecessor`},
		{`from="-1"`, `from="-7"`}, {`incomingRoad="`, `incomingRoad="1`}, {`a="3`, `a="0`},
		{`junction="`, `junction="0`}, {`type="driving"`, `type="drivin"`}, {` s="0"`, ` s="5"`},
		{`<link>`, `<userData/><link>`}}
	rapid.Check(t, func(t *rapid.T) {
		text := maps[rapid.IntRange(0, len(maps)-1).Draw(t, "map")]
		for range rapid.IntRange(1, 3).Draw(t, "faults") {
			d := rapid.SampledFrom(damage).Draw(t, "damage")
			parts := strings.Split(text, d[0])
			if len(parts) < 2 {
				continue
			}
			k := rapid.IntRange(1, len(parts)-1).Draw(t, "place")
			text = strings.Join(parts[:k], d[0]) + d[1] + strings.Join(parts[k:], d[0])
		}
		checkRepair(t, "test.xodr", []byte(text))
	})
}

// TestRepair_BothEndsMeetTheIncomingRoad: a connecting road whose link at one end is lost leads, by
// its links, only from its other end to the incoming road, but the connection is right.
func TestRepair_BothEndsMeetTheIncomingRoad(t *testing.T) {
	text, err := os.ReadFile("../../examples/maps/crossing.xodr")
	require.NoError(t, err)
	lost := `<successor elementType="road" elementId="1" contactPoint="end"/>`
	connection := `incomingRoad="1" connectingRoad="100" contactPoint=`
	require.Equal(t, 1, strings.Count(string(text), connection+`"start"`))
	damaged := strings.NewReplacer(lost, "", connection+`"start"`, connection+`"end"`).
		Replace(string(text))
	checkRepair(t, "test.xodr", []byte(damaged))
	r, _ := repaired(t, damaged)
	require.Contains(t, string(r.Text), connection+`"end"`)
}

// TestCorpus_Repairs checks the repair of the maps in the folder GOSMP_MAPS and its subfolders.
func TestCorpus_Repairs(t *testing.T) {
	folder, files := corpus(t)
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
		require.NoError(t, err)
		checkRepair(t, file, text)
	}
}
