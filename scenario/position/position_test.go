package position

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
)

// lanes returns two driving lanes of 3.5 m on each side, and a sidewalk on the right.
func lanes(pre, suc string) string {
	link := func(id int) string {
		s := ""
		if pre != "" {
			s += fmt.Sprintf(`<predecessor id="%s"/>`, strings.ReplaceAll(pre, "N", fmt.Sprint(id)))
		}
		if suc != "" {
			s += fmt.Sprintf(`<successor id="%s"/>`, strings.ReplaceAll(suc, "N", fmt.Sprint(id)))
		}
		return "<link>" + strings.ReplaceAll(s, "--", "") + "</link>"
	}
	lane := func(id int, kind string) string {
		return fmt.Sprintf(`<lane id="%d" type="%s" level="false">%s<width sOffset="0" a="3.5" b="0"
c="0" d="0"/></lane>`,
			id, kind, link(id))
	}
	return `<lanes><laneSection s="0"><left>` + lane(2, "driving") + lane(1, "driving") +
		`</left><center><lane id="0" type="none" level="false"/></center><right>` + lane(-1,
		"driving") +
		lane(-2, "driving") + lane(-3, "sidewalk") + `</right></laneSection></lanes>`
}

// network returns a straight road 1 of 100 m along x, then the arc 2 to the left, whose s runs the
// other way, then the straight road 3.
func network(t testing.TB) *Network {
	const turn = `<geometry s="0" x="130" y="30" hdg="-1.5707963267948966"
length="47.12388980384690"><arc curvature="-0.033333333333333333"/></geometry>`
	text := `<OpenDRIVE><header revMajor="1" revMinor="6"><geoReference><![CDATA[+proj=tmerc
+lat_0=48 +lon_0=11 +k=1 +x_0=0 +y_0=0 +datum=WGS84]]></geoReference></header>
<road id="1" length="100" junction="-1"><link><successor elementType="road" elementId="2"
contactPoint="end"/></link>
<planView><geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry></planView>` +
		lanes("", "-N") + `</road>
<road id="2" length="47.12388980384690" junction="-1"><link><predecessor elementType="road"
elementId="3" contactPoint="start"/><successor elementType="road" elementId="1" contactPoint="end"/>
</link>
<planView>` + turn + `</planView>` + lanes("-N", "-N") + `</road>
<road id="3" length="200" junction="-1"><link><predecessor elementType="road" elementId="2"
contactPoint="start"/></link>
<planView><geometry s="0" x="130" y="30" hdg="1.5707963267948966" length="200"><line/></geometry>
</planView>` + lanes("-N", "") + `</road></OpenDRIVE>`
	m, err := opendrive.Read("test.xodr", strings.NewReader(text))
	require.NoError(t, err)
	return NewNetwork(m)
}

func TestPlaces_FarFromTheRoadAreRefused(t *testing.T) {
	for _, offset := range []float64{0.8e9, -20_000, math.Inf(1), math.NaN()} {
		_, err := network(t).OnLane("1", -2, 20, offset)
		require.ErrorContains(t, err, "and at most 10000 m lead from a lane")
		_, err = network(t).OnRoad("1", 20, offset)
		require.ErrorContains(t, err, "and at most 10000 m lead from a road")
	}
}

func TestOnLane(t *testing.T) {
	n := network(t)
	p, err := n.OnLane("1", -2, 20, 0.5)
	require.NoError(t, err)
	require.InDelta(t, -5.25+0.5, p.Position.Y, 1e-12)
	require.InDelta(t, 0, p.Direction.Yaw, 1e-12)
	p, err = n.OnLane("1", 1, 20, 0.5) // against s; the offset still counts to the left of s
	require.NoError(t, err)
	require.InDelta(t, 1.75+0.5, p.Position.Y, 1e-12)
	require.InDelta(t, math.Pi, math.Abs(p.Direction.Yaw), 1e-12)
	for _, c := range []struct {
		road string
		lane int
		s    float64
	}{{"9", -1, 0}, {"1", -9, 0}, {"1", 0, 0}, {"1", -1, 101}, {"1", -1, math.NaN()}} {
		_, err = n.OnLane(c.road, c.lane, c.s, 0)
		require.Error(t, err, c)
	}
	p, err = n.OnRoad("1", 30, -12)
	require.NoError(t, err)
	require.Equal(t, -3, p.Lane.ID)
	require.InDelta(t, 0, p.Direction.Yaw, 1e-12)
}

// TestMove checks that a place that moves over a link keeps lane, offset and heading, and returns
// to where it was.
func TestMove(t *testing.T) {
	n := network(t)
	p, err := n.OnLane("1", -1, 90, 0.25)
	require.NoError(t, err)
	require.Zero(t, n.Move(&p, 20, nil))
	require.Equal(t, "2", p.Road.ID)
	require.Equal(t, 1, p.Lane.ID)
	require.InDelta(t, 47.12388980384690-10, p.S, 1e-9)
	// On an arc with a radius of 30 m, 1.5 m to the right of the reference line.
	angle := 10.0 / 30
	require.InDelta(t, 100+31.5*math.Sin(angle), p.Position.X, 1e-9)
	require.InDelta(t, 30-31.5*math.Cos(angle), p.Position.Y, 1e-9)
	require.InDelta(t, angle, p.Direction.Yaw, 1e-9)
	require.InDelta(t, -1, p.Sign(), 0)
	require.Zero(t, n.Move(&p, 20, nil)) // back, along s
	require.Equal(t, "1", p.Road.ID)
	require.InDelta(t, 90, p.S, 1e-9)
	require.InDelta(t, -1.5, p.Position.Y, 1e-9)
	require.InDelta(t, 10, n.Move(&p, -100, nil), 1e-9)
	require.InDelta(t, 0, p.S, 1e-12)
}

// TestApart checks that a distance across links equals the distance of moving step by step.
func TestApart(t *testing.T) {
	n := network(t)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.Float64Range(0, 100).Draw(t, "s")
		way := rapid.Float64Range(0, 300).Draw(t, "way")
		a, err := n.OnLane("1", -1, s, 0)
		require.NoError(t, err)
		b := a
		if rest := n.Move(&b, way, nil); rest > 0 {
			return
		}
		ds, dt, ok := n.Apart(&a, &b)
		require.True(t, ok)
		require.InDelta(t, way, ds, 1e-9)
		require.InDelta(t, 0, dt, 1e-9)
		ds, _, ok = n.Apart(&b, &a)
		require.True(t, ok)
		require.InDelta(t, -way, ds, 1e-9)
	})
	a, _ := n.OnLane("1", -1, 50, 0)
	b, _ := n.OnLane("2", 2, 40, 0) // the lane to the right of a's
	_, dt, _ := n.Apart(&a, &b)
	require.InDelta(t, -3.5, dt, 1e-9)
}

// TestMoveAlong checks that a distance along a lane is that of its center, across links and in both
// directions.
func TestMoveAlong(t *testing.T) {
	n := network(t)
	for lane, radius := range map[int]float64{-1: 31.75, 1: 28.25, -2: 35.25} {
		p, err := n.OnLane("1", lane, 90, 0)
		require.NoError(t, err)
		start := p
		start.Turn, p.Turn = 0, 0
		arc := radius * math.Pi / 2
		require.Zero(t, n.moveAlong(&p, 10+arc/2, nil))
		require.Equal(t, "2", p.Road.ID)
		require.InDelta(t, 47.12388980384690/2, p.S, 1e-9)
		require.InDelta(t, math.Pi/4, p.Direction.Yaw, 1e-9)
		require.Zero(t, n.moveAlong(&p, -(10+arc/2), nil))
		require.Equal(t, "1", p.Road.ID)
		require.InDelta(t, 90, p.S, 1e-9)
		p = start
		require.Zero(t, n.moveAlong(&p, 10+arc+7, nil))
		require.Equal(t, "3", p.Road.ID)
		require.InDelta(t, 7, p.S, 1e-9)
		require.InDelta(t, 12, n.moveAlong(&p, 205, nil), 1e-9)
	}
}

// TestRelative_AgainstS checks that sides and directions relative to an entity on road 1 are those of
// its road also on road 2, whose s runs the other way.
func TestRelative_AgainstS(t *testing.T) {
	n := network(t)
	a, err := n.OnLane("1", -1, 90, 0)
	require.NoError(t, err)
	const angle = 0.5 // of the arc, whose center is (100, 30)
	ds := strconv.FormatFloat(10+30*angle, 'g', -1, 64)
	lane := strconv.FormatFloat(10+31.75*angle, 'g', -1, 64)
	for text, radius := range map[string]float64{
		`<RelativeRoadPosition entityRef="A" ds="` + ds + `" dt="2"/>`:               31.75 - 2,
		`<RelativeLanePosition entityRef="A" dLane="-1" ds="` + ds + `"/>`:           35.25,
		`<RelativeLanePosition entityRef="A" dLane="1" ds="` + ds + `" offset="1"/>`: 28.25 - 1,
		`<RelativeLanePosition entityRef="A" dLane="1" dsLane="` + lane + `"
offset="-1"/>`: 28.25 + 1,
	} {
		p, err := read(t, n, 3, `<Position>`+text+`</Position>`)
		require.NoError(t, err)
		var at Place
		require.NoError(t, p.Resolve(stage{&a}, &at))
		require.Equal(t, "2", at.Road.ID)
		require.InDelta(t, 100+radius*math.Sin(angle), at.Position.X, 1e-6, text)
		require.InDelta(t, 30-radius*math.Cos(angle), at.Position.Y, 1e-6, text)
		want := angle
		if strings.Contains(text, "dsLane") { // faces in the direction of traffic on the left
			want -= math.Pi
		}
		require.InDelta(t, want, at.Direction.Yaw, 1e-6, text)
	}
}

func TestRoute(t *testing.T) {
	n := network(t)
	a, _ := n.OnLane("1", -1, 20, 0)
	b, _ := n.OnLane("3", -1, 50, 0)
	r, err := n.NewRoute([]Place{a, b}, make([]Strategy, 2), false)
	require.NoError(t, err)
	require.InDelta(t, 80+47.12388980384690+50, r.Length(), 1e-9)
	road, s, forwards := r.At(90)
	require.Equal(t, "2", road.ID)
	require.False(t, forwards)
	require.InDelta(t, 47.12388980384690-10, s, 1e-9)
	way, ok := r.WayOf(&b)
	require.True(t, ok)
	require.InDelta(t, r.Length(), way, 1e-9)
	_, err = n.NewRoute([]Place{a}, make([]Strategy, 1), false)
	require.Error(t, err)
}

// stage is a scene of one entity.
type stage struct{ at *Place }

func (s stage) PlaceOf(int) *Place { return s.at }
func (stage) RouteOf(int) *Route   { return nil }

// read reads a position from its text.
func read(t testing.TB, n *Network, minor int, text string) (*Position, error) {
	d, err := scenario.Parse("p.xosc", []byte(fmt.Sprintf(`<OpenSCENARIO><FileHeader revMajor="1"
revMinor="%d"/>%s</OpenSCENARIO>`,
		minor, text)))
	require.NoError(t, err)
	r := Reader{Network: n, Entities: []string{"A"}, Version: d.Version}
	return r.Position(d.Root.Child("Position"))
}

// TestPositions checks each kind of position, for an entity in lane -1 of road 1 at 90 m.
func TestPositions(t *testing.T) {
	n := network(t)
	a, _ := n.OnLane("1", -1, 90, 0)
	const line = `<TrajectoryRef><Trajectory name="t" closed="false"><Shape><Polyline><Vertex
time="0"><Position><WorldPosition x="10" y="0"/></Position></Vertex><Vertex time="1"><Position>
<WorldPosition x="10" y="9"/></Position></Vertex></Polyline></Shape></Trajectory></TrajectoryRef>`
	const route = `<RouteRef><Route name="r" closed="false"><Waypoint routeStrategy="shortest">
<Position><LanePosition roadId="1" laneId="-1" s="0"/></Position></Waypoint><Waypoint
routeStrategy="shortest"><Position><LanePosition roadId="3" laneId="-1" s="100"/></Position>
</Waypoint></Route></RouteRef>`
	top := 100 + 47.12388980384690
	for _, c := range []struct {
		minor   int
		text    string
		x, y, h float64
	}{
		{3, `<WorldPosition x="7" y="-2" h="0.5"/>`, 7, -2, 0.5},
		{3, `<RelativeWorldPosition entityRef="A" dx="3" dy="1"/>`, 93, -0.75, 0},
		{3, `<RelativeObjectPosition entityRef="A" dx="3" dy="1"><Orientation h="0.25"
type="relative"/></RelativeObjectPosition>`, 93, -0.75, 0.25},
		{3, `<RoadPosition roadId="1" s="12" t="-2"><Orientation h="1"/></RoadPosition>`, 12, -2,
			1},
		{2, `<RoadPosition roadId="3" s="10" t="0"><Orientation h="1"/></RoadPosition>`, 130, 40,
			1},
		{3, `<RoadPosition roadId="3" s="10" t="0"><Orientation h="1"/></RoadPosition>`, 130, 40,
			1 + math.Pi/2},
		{3, `<RelativeRoadPosition entityRef="A" ds="-10" dt="1"/>`, 80, -0.75, 0},
		{3, `<LanePosition roadId="1" laneId="2" s="5"/>`, 5, 5.25, math.Pi},
		{3, `<LanePosition roadId="1" laneId="2" s="5"><Orientation h="0.5" type="relative"/>
</LanePosition>`, 5, 5.25, math.Pi + 0.5},
		{3, `<LanePosition roadId="1" laneId="2" s="5"><Orientation h="0.5" type="absolute"/>
</LanePosition>`, 5, 5.25, 0.5},
		{3, `<RelativeLanePosition entityRef="A" dLane="1" ds="-5"/>`, 85, 1.75, 0},
		{3, `<RelativeLanePosition entityRef="A" dLane="-1" dsLane="5"/>`, 95, -5.25, 0},
		{3, `<RelativeLanePosition entityRef="A" dLane="1" dsLane="5"/>`, 95, 1.75, math.Pi},
		{3, `<TrajectoryPosition s="4" t="1">` + line + `</TrajectoryPosition>`, 9, 4, math.Pi / 2},
		{3, `<RoutePosition>` + route + fmt.Sprintf(`<InRoutePosition><FromRoadCoordinates
pathS="%v" t="-2"/></InRoutePosition></RoutePosition>`, top+10), 132, 40, math.Pi / 2},
		{3, `<RoutePosition>` + route + fmt.Sprintf(`<InRoutePosition><FromLaneCoordinates
pathS="%v" laneId="-1"/></InRoutePosition></RoutePosition>`, 100+47.12388980384690/2), 100 +
			31.75*math.Sqrt2/2, 30 - 31.75*math.Sqrt2/2, math.Pi / 4},
		{3, `<RoutePosition>` + route + `<InRoutePosition><FromCurrentEntity entityRef="A"/>
</InRoutePosition></RoutePosition>`, 90, -1.75, 0},
	} {
		p, err := read(t, n, c.minor, "<Position>"+c.text+"</Position>")
		require.NoError(t, err, c.text)
		var at Place
		require.NoError(t, p.Resolve(stage{&a}, &at), c.text)
		require.InDelta(t, c.x, at.Position.X, 1e-9, c.text)
		require.InDelta(t, c.y, at.Position.Y, 1e-9, c.text)
		require.InDelta(t, 0, Wrapped(math.Mod(c.h-at.Direction.Yaw, 2*math.Pi)), 1e-9, c.text)
	}
	p, err := read(t, n, 3, `<Position><RelativeLanePosition entityRef="A" dLane="0" ds="5"/>
</Position>`)
	require.NoError(t, err)
	require.False(t, p.Fixed())
	require.ErrorIs(t, p.Resolve(stage{}, &Place{}), ErrPlace)
}

// TestGeoPosition checks that reading a geographic position inverts the projection of the map.
func TestGeoPosition(t *testing.T) {
	n := network(t)
	latitude, longitude := n.geo.Geodetic(40, -3)
	p, err := read(t, n, 3, fmt.Sprintf(`<Position><GeoPosition latitudeDeg="%.15g"
longitudeDeg="%.15g"/></Position>`,
		latitude, longitude))
	require.NoError(t, err)
	var at Place
	require.NoError(t, p.Resolve(stage{}, &at))
	require.InDelta(t, 40, at.Position.X, 1e-6)
	require.InDelta(t, -3, at.Position.Y, 1e-6)
	require.Equal(t, -1, at.Lane.ID)
}

// TestRefusedPositions checks that positions that are not on the map are refused, with their place.
func TestRefusedPositions(t *testing.T) {
	n := network(t)
	for _, text := range []string{`<LanePosition roadId="7" laneId="1" s="0"/>`,
		`<LanePosition roadId="1" laneId="7" s="0"/>`,
		`<LanePosition roadId="1" laneId="x" s="0"/>`, `<RoadPosition roadId="1" s="400" t="0"/>`, `<RelativeObjectPosition entityRef="B" dx="0"
dy="0"/>`} {
		_, err := read(t, n, 3, "<Position>"+text+"</Position>")
		require.ErrorIs(t, err, ErrPlace, text)
		require.ErrorContains(t, err, "p.xosc:", text)
	}
	_, err := read(t, NewNetwork(nil), 3, `<Position><GeoPosition latitudeDeg="1" longitudeDeg="1"/>
</Position>`)
	require.ErrorIs(t, err, ErrUnsupported)
}

// TestFree compares the free space between two boxes with the distances of points on their edges.
func TestFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box := func(name string) (Box, Place) {
			b := Box{rapid.Float64Range(1, 6).Draw(t, name+"l"), rapid.Float64Range(1, 3).Draw(t,
				name+"w"),
				rapid.Float64Range(-1, 2).Draw(t, name+"cx"), 0}
			p := Place{}
			p.Position.X = rapid.Float64Range(-10, 10).Draw(t, name+"x")
			p.Position.Y = rapid.Float64Range(-10, 10).Draw(t, name+"y")
			p.Direction.Yaw = rapid.Float64Range(-3, 3).Draw(t, name+"h")
			return b, p
		}
		a, p := box("a")
		b, q := box("b")
		free := Free(&a, &p, &b, &q)
		require.Equal(t, free == 0, Overlap(&a, &p, &b, &q))
		if free == 0 {
			return
		}
		best := math.Inf(1)
		const n = 60
		one, two := a.Corners(&p), b.Corners(&q)
		for k := range 4 * n {
			for i := range 4 * n {
				x, y := on(&one, k, n), on(&two, i, n)
				best = min(best, math.Hypot(x[0]-y[0], x[1]-y[1]))
			}
		}
		require.LessOrEqual(t, free, best+1e-9)
		require.InDelta(t, best, free, 0.12)
	})
	a, b := Box{Length: 4, Width: 2}, Box{Length: 2, Width: 2}
	q := Place{}
	q.Position.X, q.Position.Y = 10, -5
	ahead, left := Gaps(&a, &Place{}, &b, &q)
	require.InDelta(t, 7, ahead, 1e-12)
	require.InDelta(t, -3, left, 1e-12)
}

func on(c *[4][2]float64, k, n int) [2]float64 {
	a, b, f := c[k/n], c[(k/n+1)%4], float64(k%n)/float64(n)
	return [2]float64{a[0] + f*(b[0]-a[0]), a[1] + f*(b[1]-a[1])}
}

// TestNoAllocation checks that nothing allocates once the paths are known.
func TestNoAllocation(t *testing.T) {
	n := network(t)
	a, _ := n.OnLane("1", -1, 90, 0)
	b, _ := n.OnLane("3", -1, 50, 0)
	n.Apart(&a, &b)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		p := a
		n.Move(&p, 30, nil)
		n.Apart(&p, &b)
		n.Locate(&p, &a, Given{})
	}))
}

func TestRandomRoute(t *testing.T) {
	n := network(t)
	p, _ := n.OnLane("1", -1, 20, 0)
	asked := 0
	r := n.RandomRoute(&p, func(ways int) int { asked++; return ways - 1 })
	require.Equal(t, 2, asked)
	require.InDelta(t, 80+47.12388980384690+200, r.Length(), 1e-9)
	require.Zero(t, n.Move(&p, 300, r))
	require.Equal(t, "3", p.Road.ID)
}
