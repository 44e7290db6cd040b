package truth

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

func TestSigns_NamesAreThoseOfOSI(t *testing.T) {
	main, supplementary := opendrive.SignNames()
	require.Greater(t, len(main), 100)
	for _, name := range main {
		require.NotZero(t, mainTypes["TYPE_"+name], name)
	}
	for _, name := range supplementary {
		require.NotZero(t, addTypes["TYPE_"+name], name)
	}
}

func TestSigns_AreKnownByCode(t *testing.T) {
	for _, c := range []struct{ country, kind, sub, want string }{
		{"DE", "206", "-1", "STOP"}, {"DE", "205", "", "GIVE_WAY"}, {"OpenDRIVE", "274", "50",
			"SPEED_LIMIT_BEGIN"},
		{"", "274.1", "-1", "SPEED_LIMIT_ZONE_BEGIN"}, {"DE", "274", "1", "SPEED_LIMIT_ZONE_BEGIN"},
		{"DE", "274-30", "-1", "SPEED_LIMIT_BEGIN"}, {"de", "209", "20", "PRESCRIBED_RIGHT_TURN"},
		{"DEU", "103", "-1", "TURN_LEFT"}, {"DE", "350", "-1", "ZEBRA_CROSSING"}, {"se", "C31",
			"50", "SPEED_LIMIT_BEGIN"},
		{"se", "B2", "", "STOP"}, {"", "B,1", "", "GIVE_WAY"}, {"FR", "B1", "",
			"DO_NOT_ENTER"}, {"FRA", "AB3a", "", "GIVE_WAY"}, {"france", "AB", "4", "STOP"},
		{"fi", "B6", "", "STOP"}, {"fi", "B", "5", "GIVE_WAY"}, {"pl", "A-7", "", "GIVE_WAY"},
		{"PL", "B-20", "-1", "STOP"}, {"NL", "B7", "", "STOP"}, {"nl", "A1", "50",
			"SPEED_LIMIT_BEGIN"}, {"DK", "B1", "", "OTHER"}, {"be", "206", "", "STOP"},
		{"it", "C, 17b", "",
			"SPEED_LIMIT_END"},
		{"USA", "R1", "1", "STOP"}, {"US", "R2-1", "", "SPEED_LIMIT_BEGIN"}, {"no", "206", "",
			"OTHER"},
		{"fr", "206", "", "STOP"}, {"BELGIUM", "274", "-1", "SPEED_LIMIT_BEGIN"},
		{"se", "a", "20", "ROAD_WORKS"}, {"SE", "B3", "", "ZEBRA_CROSSING"},
		{"fi", "A16", "", "PEDESTRIANS"}, {"SWE", "A16", "", "CYCLE_ROUTE"}, {"se", "274", "",
			"SPEED_LIMIT_BEGIN"},
		{"se", "C", "27", "OVERTAKING_BAN_BEGIN"}, {"se", "C", "28", "OVERTAKING_BAN_END"},
		{"DE", "330", "", "HIGHWAY_BEGIN"}, {"OpenDRIVE", "334", "-1", "HIGHWAY_END"},
		{"DE", "206.0", "", "STOP"}, {"it", "B2", "", "STOP"},
		{"fr", "B27a", "", "BUS_LANE_BEGIN"}, {"fr", "B45a", "", "BUS_LANE_END"},
		{"fr", "B45", "", "BUS_LANE_END"}, {"", "R1-1", "", "STOP"}, {"it", "R1-1", "", "OTHER"},
		{"US", "B2", "", "OTHER"}, {"us", "D9-2", "", "OTHER"}, {"au", "R3-4", "", "OTHER"},
		{"US", "R3-4", "", "NO_U_TURN_LEFT"}, {"it", "C12", "", "NO_U_TURN_LEFT"},
		{"DE", "99999", "", "OTHER"}, {"DE", "-1", "-1", "OTHER"},
	} {
		got := mainSign(&opendrive.Signal{Country: c.country, Type: c.kind, Subtype: c.sub})
		require.Equal(t, "TYPE_"+c.want, got.String(), "%s %s-%s", c.country, c.kind, c.sub)
	}
}

// TestSigns_AreKnownByName checks that a sign without a type is known by the number in its name if
// it can be nothing else: tools also number their signals.
func TestSigns_AreKnownByName(t *testing.T) {
	for _, c := range []struct{ country, name, want string }{
		{"", "de_274-50", "SPEED_LIMIT_BEGIN"}, {"se", "de_206", "STOP"}, {"US", "de_206", "OTHER"},
		{"", "Sign_274(80)", "SPEED_LIMIT_BEGIN"}, {"OpenDRIVE", "Sign_209-20",
			"PRESCRIBED_RIGHT_TURN"},
		{"DE", "274-50", "SPEED_LIMIT_BEGIN"}, {"germany", "209-20", "PRESCRIBED_RIGHT_TURN"},
		{"", "274-50", "OTHER"}, {"se", "Sign_274(80)", "OTHER"}, {"se", "274-50", "OTHER"},
		{"", "206", "OTHER"}, {"DE", "206", "OTHER"}, {"", "205", "OTHER"}, {"", "301", "OTHER"},
		{"DE", "Sign_206", "OTHER"}, {"", "Sign_206(2)", "OTHER"}, {"DE", "206-7", "OTHER"},
		{"DE", "206-12", "OTHER"}, {"", "us_206", "OTHER"}, {"", "XX_206", "OTHER"},
		{"DE", "274(50", "OTHER"}, {"DE", "274-50)", "OTHER"}, {"", "de_206-7)", "OTHER"},
		{"DE", "speed_50_6", "OTHER"}, {"DE", "Kilometrierung", "OTHER"}, {"DE", "27", "OTHER"},
	} {
		for _, none := range []string{"", "-1"} {
			got := mainSign(&opendrive.Signal{Country: c.country, Type: none, Subtype: none,
				Name: c.name})
			require.Equal(t, "TYPE_"+c.want, got.String(), "%+v", c)
		}
	}
	sign := opendrive.Signal{Type: "206", Name: "Sign_274(80)"}
	require.Equal(t, stopSign, mainSign(&sign))
	sign = opendrive.Signal{Type: "-1", Subtype: "-1", Name: "Sign_274(80)"}
	require.Equal(t, 80.0, signValue(&sign, mainSign(&sign)).GetValue())
}

// TestSigns_OfTheLeft checks signs that mean the other side where traffic keeps left.
func TestSigns_OfTheLeft(t *testing.T) {
	for _, c := range []struct{ kind, right, left string }{
		{"272", "NO_U_TURN_LEFT", "NO_U_TURN_RIGHT"},
		{"328", "EMERGENCY_STOPPING_RIGHT", "EMERGENCY_STOPPING_LEFT"},
		{"206", "STOP", "STOP"},
	} {
		g := &opendrive.Signal{Type: c.kind}
		require.Equal(t, "TYPE_"+c.right, mainSignOn(&opendrive.Road{}, g).String())
		require.Equal(t, "TYPE_"+c.left, mainSignOn(&opendrive.Road{LeftHand: true}, g).String())
	}
}

// TestSigns_Supplementary checks supplementary signs with letters, which depend on the country.
func TestSigns_Supplementary(t *testing.T) {
	for _, c := range []struct{ country, kind, want string }{
		{"", "H,1", "VALID_IN_DISTANCE"}, {"it", "H2", "VALID_FOR_DISTANCE"}, {"se", "H1", ""},
		{"se", "T3", "STOP_IN"}, {"SWE", "T14", "STOP_4_WAY"}, {"fi", "H2", ""}, {"", "T3", ""},
		{"fr", "M4c", "MOTORCYCLE"}, {"fr", "M4m", "HAZARDOUS"}, {"fr", "H1", ""},
		{"US", "R1-3P", "STOP_4_WAY"}, {"DE", "1048-14", "CONSTRAINED_TO"}, {"DE", "1022-12", "EXCEPT"},
		{"se", "1022-12", "EXCEPT"}, {"dk", "H1", ""}, {"US", "H1", ""}, {"ca", "H2", ""},
		{"", "R1-3", "STOP_4_WAY"}, {"de", "R1-3", ""}, {"DE", "1046-11", ""},
		{"US", "R1-4", "STOP_4_WAY"}, {"US", "R1-4P", ""},
	} {
		g := opendrive.Signal{Country: c.country, Type: c.kind}
		require.Equal(t, c.want, g.SupplementarySign(), "%s %s", c.country, c.kind)
	}
}

// TestSigns_WithoutACode lists the types of OSI for which none of the catalogues has a code.
func TestSigns_WithoutACode(t *testing.T) {
	main, supplementary := opendrive.SignNames()
	missing := func(types map[string]int32, known []string) (list []string) {
		of := map[string]bool{"NO_U_TURN_RIGHT": true, "EMERGENCY_STOPPING_LEFT": true}
		for _, name := range known {
			of[name] = true
		}
		for name := range types {
			if name = strings.TrimPrefix(name, "TYPE_"); !of[name] {
				list = append(list, name)
			}
		}
		return list
	}
	require.ElementsMatch(t, strings.Fields(`UNKNOWN OTHER
		PRIORITY_TO_OPPOSITE_DIRECTION_UPSIDE_DOWN PRIORITY_OVER_OPPOSITE_DIRECTION_UPSIDE_DOWN
		PRESCRIBED_LEFT_TURN_RIGHT_TURN_AND_STRAIGHT PRESCRIBED_U_TURN_LEFT
		PRESCRIBED_U_TURN_RIGHT ANNOUNCE_LEFT_LANE_BEGIN`), missing(mainTypes, main))
	require.ElementsMatch(t, strings.Fields(`UNKNOWN OTHER NO_SIGN SNOW FOG RAIN SNOW_RAIN NIGHT
		CAR TRACTORS_MAY_BE_PASSED TRAILER ZONE MOTORCYCLE_ALLOWED`), missing(addTypes, supplementary))
}

func TestSigns_SayTheirSpeed(t *testing.T) {
	for _, c := range []struct {
		g     opendrive.Signal
		value float64
		unit  osi3.TrafficSignValue_Unit
	}{
		{opendrive.Signal{Type: "274", Value: 30, HasValue: true, Unit: "km/h"}, 30,
			osi3.TrafficSignValue_UNIT_KILOMETER_PER_HOUR},
		{opendrive.Signal{Type: "274", Subtype: "60"}, 60,
			osi3.TrafficSignValue_UNIT_KILOMETER_PER_HOUR},
		{opendrive.Signal{Type: "274", Subtype: "56", Value: -1, HasValue: true}, 60,
			osi3.TrafficSignValue_UNIT_KILOMETER_PER_HOUR},
		{opendrive.Signal{Type: "274-80"}, 80, osi3.TrafficSignValue_UNIT_KILOMETER_PER_HOUR},
		{opendrive.Signal{Country: "US", Type: "R2-1", Value: 25, HasValue: true}, 25,
			osi3.TrafficSignValue_UNIT_MILE_PER_HOUR},
	} {
		v := signValue(&c.g, mainSign(&c.g))
		require.Equal(t, c.value, v.GetValue())
		require.Equal(t, c.unit, v.GetValueUnit())
	}
	require.Nil(t, signValue(&opendrive.Signal{Type: "206", Subtype: "50"},
		osi3.TrafficSign_MainSign_Classification_TYPE_STOP))
}

func TestObjects_HaveTheirTypes(t *testing.T) {
	for _, c := range []struct{ kind, subtype, name, want string }{
		{"pole", "", "", "POLE"}, {"barrier", "guardRail", "", "BARRIER"}, {"barrier", "hedge", "",
			"VEGETATION"},
		{"barrier", "wall", "", "WALL"}, {"vegetation", "tree", "", "TREE"}, {"building", "", "",
			"BUILDING"},
		{"streetLamp", "", "", "POLE"}, {"gantry", "", "", "OVERHEAD_STRUCTURE"}, {"none", "",
			"Tree_04", "TREE"},
		{"obstacle", "distributionBox", "", "RECTANGULAR_STRUCTURE"}, {"trafficIsland", "", "",
			"CURBSTONE"},
		{"-1", "-1", "SpeedBump01", "SPEED_BUMP"}, {"obstacle", "", "", "OTHER"},
		{"obstacle", "", "cone-100", "CONSTRUCTION_SITE_ELEMENT"},
		{"obstacle", "hydrant", "GermanHydrant", "VERTICAL_STRUCTURE"},
		{"-1", "", "BldBarn06.flt", "BUILDING"}, {"-1", "", "SpeedLimit40Assembly", "POLE"},
		{"roadSurface", "patch", "Rd_Damage_Patch_22_CRG", "OTHER"},
	} {
		require.Equal(t, "TYPE_"+c.want, objectType(c.kind, c.subtype, c.name).String(), "%v", c)
	}
}

// TestStatic_JoinsSupplementarySignsAndPaintsCrosswalks checks that a sign with a supplementary
// sign below it is one sign in OSI, and that a crosswalk is a marking.
func TestStatic_JoinsSupplementarySignsAndPaintsCrosswalks(t *testing.T) {
	m, err := opendrive.Read("signs.xodr",
		strings.NewReader(`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+
			`<road id="1" length="100" junction="-1"><planView><geometry s="0" x="0" y="0" `+
			`hdg="0" `+
			`length="100"><line/></geometry>`+
			`</planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center>`+
			`<right>`+
			`<lane id="-1" type="driving">`+
			`<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes>`+
			`<objects><object id="9" type="crosswalk" s="50" t="-2" hdg="0.5"><outline>`+
			`<cornerLocal u="-1" v="-2" z="0" height="0"/><cornerLocal u="3" v="-2" z="0" `+
			`height="0"/>`+
			`<cornerLocal u="3" v="2" z="0" height="0"/><cornerLocal u="-1" v="2" z="0" `+
			`height="0"/>`+
			`</outline></object></objects>`+
			`<signals><signal id="1" s="20" t="-4" zOffset="2" orientation="+" country="DE" `+
			`type="274" subtype="50"/>`+
			`<signal id="2" s="20" t="-4" zOffset="1.5" orientation="+" country="DE" type="1040" `+
			`subtype="30"/>`+
			`<signal id="3" s="60" t="-4" zOffset="1.5" orientation="+" country="DE" type="1040" `+
			`subtype="30"/></signals></road></OpenDRIVE>`))
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{})
	require.NoError(t, err)
	g := newStatic(w.Map()).truth
	require.Len(t, g.TrafficSign, 2)
	require.Len(t, g.TrafficSign[0].SupplementarySign, 1)
	require.Equal(t, osi3.TrafficSign_SupplementarySign_Classification_TYPE_TIME,
		g.TrafficSign[0].SupplementarySign[0].Classification.GetType())
	require.Empty(t, g.StationaryObject)
	require.Len(t, g.RoadMarking, 1)
	b := g.RoadMarking[0].Base
	require.InDelta(t, 4, b.Dimension.GetHeight(), 1e-9)
	require.InDelta(t, 4, b.Dimension.GetWidth(), 1e-9)
	require.InDelta(t, -math.Pi/2, b.Orientation.GetPitch(), 1e-9, "its x axis points to the sky")
	require.InDelta(t, 50.877583, b.Position.GetX(), 1e-6, "1 m ahead along the object")
	require.Len(t, g.RoadMarking[0].Classification.AssignedLaneId, 1)
}
