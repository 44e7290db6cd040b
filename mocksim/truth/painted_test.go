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

func TestPaint_OfObjects(t *testing.T) {
	for _, c := range []struct{ kind, subtype, name, want, sign string }{
		{"crosswalk", "", "SimpleCrosswalk", "GENERIC_SYMBOL", "ZEBRA_CROSSING"},
		{"-1", "", "LadderCrosswalk", "GENERIC_SYMBOL", "ZEBRA_CROSSING"},
		{"parkingSpace", "open", "parkingSpace_50deg", "GENERIC_SYMBOL", "OTHER"},
		{"roadMark", "arrowStraight", "", "GENERIC_SYMBOL", "OTHER"},
		{"roadMark", "", "stopLine", "GENERIC_LINE", "OTHER"},
		{"roadMark", "", "edge line", "GENERIC_LINE", "OTHER"},
		{"roadMark", "text", "", "GENERIC_TEXT", "OTHER"},
		{"-1", "", "StopLine", "GENERIC_LINE", "OTHER"},
		{"-1", "", "SolidSingleWhite", "GENERIC_LINE", "OTHER"},
		{"-1", "", "Stencil_ArrowType4R", "GENERIC_SYMBOL", "OTHER"},
		{"-1", "", "Stencil_STOP", "TEXTUAL_TRAFFIC_SIGN", "STOP"},
		{"-1", "", "Crosswalk_Sign", "", ""}, {"obstacle", "", "StopLine", "", ""},
		{"pole", "", "", "", ""}, {"-1", "", "Tree_04", "", ""},
	} {
		p, ok := objectPaint(&opendrive.Object{Type: c.kind, Subtype: c.subtype, Name: c.name})
		require.Equal(t, c.want != "", ok, "%v", c)
		if ok {
			require.Equal(t, "TYPE_"+c.want, p.kind.String(), "%v", c)
			require.Equal(t, "TYPE_"+c.sign, p.sign.String(), "%v", c)
		}
	}
}

func TestPaint_OfSignals(t *testing.T) {
	for _, c := range []struct{ country, kind, want, sign string }{
		{"DE", "294", "GENERIC_LINE", "OTHER"}, {"OpenDRIVE", "294", "GENERIC_LINE", "OTHER"},
		{"OpenDRIVE", "1000003", "GENERIC_SYMBOL", "ZEBRA_CROSSING"},
		{"DE", "293", "GENERIC_SYMBOL", "ZEBRA_CROSSING"}, {"", "297", "GENERIC_SYMBOL", "OTHER"},
		{"DE", "341", "GENERIC_LINE", "OTHER"}, {"NO", "294", "", ""}, {"DE", "206", "", ""},
		{"AT", "Haltelinie", "GENERIC_LINE", "OTHER"},
	} {
		p, ok := signalPaint(&opendrive.Signal{Country: c.country, Type: c.kind, Subtype: "None"})
		require.Equal(t, c.want != "", ok, "%v", c)
		if ok {
			require.Equal(t, "TYPE_"+c.want, p.kind.String(), "%v", c)
			require.Equal(t, "TYPE_"+c.sign, p.sign.String(), "%v", c)
		}
	}
	_, ok := signalPaint(&opendrive.Signal{Type: "294", Dynamic: true})
	require.False(t, ok)
}

// TestStatic_PaintsStopLinesAndParkingSpaces checks that a stop line is the symbol of the stop sign
// next to it, and that a parking space lies on the road.
func TestStatic_PaintsStopLinesAndParkingSpaces(t *testing.T) {
	m, err := opendrive.Read("paint.xodr",
		strings.NewReader(`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+
			`<road id="1" length="100" junction="-1"><planView><geometry s="0" x="0" y="0" `+
			`hdg="0" length="100"><line/></geometry></planView><lanes><laneSection s="0"><center>`+
			`<lane id="0" type="none"/></center><right><lane id="-1" type="driving">`+
			`<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane><lane id="-2" type="roadWorks">`+
			`<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes>`+
			`<objects><object id="9" type="parkingSpace" s="50" t="-5" zOffset="0" length="5" `+
			`width="2" height="4"/></objects>`+
			`<signals><signal id="1" s="20" t="-8" zOffset="2" orientation="+" country="DE" `+
			`type="206"/><signal id="2" s="22" t="-1.75" zOffset="0" orientation="+" country="DE" `+
			`type="294" height="0.01" width="3.5"/>`+
			`<signal id="3" s="80" t="-1.75" zOffset="0" orientation="+" country="OpenDRIVE" `+
			`type="1000003" value="3" height="0.01" width="7"/>`+
			`<signal id="4" s="90" t="-1.75" zOffset="0" orientation="+" country="DE" `+
			`type="294"/></signals></road></OpenDRIVE>`))
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{})
	require.NoError(t, err)
	g := newStatic(w.Map()).truth
	require.Len(t, g.TrafficSign, 1)
	require.Empty(t, g.StationaryObject)
	require.Len(t, g.RoadMarking, 4)
	class := func(k int) string {
		c := g.RoadMarking[k].Classification
		return strings.Join([]string{c.GetType().String(), c.GetTrafficMainSignType().String(),
			c.GetCountry(), c.GetCode()}, " ")
	}
	require.Equal(t, "TYPE_SYMBOLIC_TRAFFIC_SIGN TYPE_STOP DE 294", class(0))
	require.Equal(t, "TYPE_GENERIC_SYMBOL TYPE_ZEBRA_CROSSING OpenDRIVE 1000003", class(1))
	require.Equal(t, "TYPE_GENERIC_LINE TYPE_OTHER DE 294", class(2))
	require.Equal(t, "TYPE_GENERIC_SYMBOL TYPE_OTHER  ", class(3))
	for k, want := range [][3]float64{{3.5, 0.5, 0}, {7, 3, 0}, {3.5, 0.5, 0}, {2, 5, 0}} {
		b := g.RoadMarking[k].Base
		require.InDelta(t, want[0], b.Dimension.GetWidth(), 1e-9)
		require.InDelta(t, want[1], b.Dimension.GetHeight(), 1e-9)
		require.InDelta(t, want[2], b.Position.GetZ(), 1e-9)
		require.InDelta(t, -math.Pi/2, b.Orientation.GetPitch(), 1e-9)
		require.InDelta(t, math.Pi, math.Abs(b.Orientation.GetYaw()), 1e-9, "it reads along s")
		require.Len(t, g.RoadMarking[k].Classification.AssignedLaneId, [...]int{2, 2, 2, 1}[k])
	}
	for _, l := range g.Lane {
		require.NotEqual(t, osi3.Lane_Classification_TYPE_OTHER, l.Classification.GetType())
	}
}
