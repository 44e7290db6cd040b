package mocksim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// The arms of a junction.
const (
	west = iota
	south
	east
	north
)

// crossroads describes a junction of four arms of 500 m.
type crossroads struct {
	half  float64        // half the width of the junction, m
	ways  [][2]int       // between arms
	signs map[int]string // the sign on an arm, by its number in the StVO
	south string         // further signals on the arm in the south
	more  string         // further roads
}

// road formats a road of the map of a junction.
func road(id, junction int, x, y, heading, length float64, shape, link, lanes string) string {
	return fmt.Sprintf(`<road id="%d" length="%.9f" junction="%d"><link>%s</link><planView>`+
		`<geometry s="0" x="%.9f" y="%.9f" hdg="%.9f" length="%.9f">%s</geometry></planView>`+
		`<lanes><laneSection s="0"><center><lane id="0" type="none"/></center>%s</laneSection>`+
		`</lanes>`, id, length, junction, link, x, y, heading, length, shape, lanes)
}

// meeting returns a junction of arms of 500 m, with the given ways between arms and a give-way sign
// on the arm in the south.
func meeting(t testing.TB, ways [][2]int) *opendrive.Map {
	t.Helper()
	return crossroads{half: 10, ways: ways, signs: map[int]string{south: "205"}}.read(t)
}

// read returns the map.
func (x crossroads) read(t testing.TB) *opendrive.Map {
	t.Helper()
	const length = 500.0
	lane := func(id int, link string) string {
		return fmt.Sprintf(`<lane id="%d" type="driving"><link>%s</link>`+
			`<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>`, id, link)
	}
	angle := func(arm int) float64 { return math.Pi * (1 + float64(arm)/2) }
	var roads, connections strings.Builder
	for arm := west; arm <= north; arm++ {
		sin, cos := math.Sincos(angle(arm))
		roads.WriteString(road(arm+1, -1, (x.half+length)*cos, (x.half+length)*sin,
			angle(arm)+math.Pi, length, "<line/>",
			`<successor elementType="junction" elementId="9"/>`,
			"<right>"+lane(-1, "")+"</right>"))
		if sign, ok := x.signs[arm]; ok {
			fmt.Fprintf(&roads, `<signals><signal id="7" s="%g" t="-4" orientation="+" type="%s"
country="DE" subtype="-1" dynamic="no" zOffset="2"/></signals>`, length-3, sign)
		} else if arm == south {
			roads.WriteString("<signals>" + x.south + "</signals>")
		}
		roads.WriteString("</road>")
	}
	text := strings.ReplaceAll(roads.String(), `<laneSection s="0">`,
		`<laneSection s="0"><left>`+lane(1, "")+`</left>`)
	roads.Reset()
	for k, way := range x.ways {
		from := angle(way[0])
		sin, cos := math.Sincos(from)
		turn := math.Remainder(angle(way[1])-from-math.Pi, 2*math.Pi)
		shape, long := "<line/>", 2*x.half
		if math.Abs(turn) > 0.1 {
			long = x.half * math.Pi / 2
			shape = fmt.Sprintf(`<arc curvature="%.9f"/>`, math.Copysign(1/x.half, turn))
		}
		link := fmt.Sprintf(`<predecessor elementType="road" elementId="%d" contactPoint="end"/>
<successor elementType="road" elementId="%d" contactPoint="end"/>`, way[0]+1, way[1]+1)
		roads.WriteString(road(100+k, 9, x.half*cos, x.half*sin, from+math.Pi, long,
			shape, link, "<right>"+lane(-1, `<predecessor id="-1"/><successor id="1"/>`)+
				"</right>") + "</road>")
		fmt.Fprintf(&connections, `<connection id="%d" incomingRoad="%d" connectingRoad="%d"
contactPoint="start"><laneLink from="-1" to="-1"/></connection>`, k, way[0]+1, 100+k)
	}
	m, err := opendrive.Read("junction.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/>`+text+roads.String()+x.more+
			`<junction id="9" name="">`+connections.String()+`</junction></OpenDRIVE>`))
	require.NoError(t, err)
	return m
}

// discharge returns the number of cars per hour that enter a junction from a queue in the south,
// against a flow on the other arms, of the given kinds or of all kinds.
func discharge(t testing.TB, m *opendrive.Map, rate float64, seed uint64,
	kinds ...mocksim.Kind) float64 {
	t.Helper()
	const cars, apart, counted = 40, 7.0, 10
	const h = 100 * ms
	w := on(t, m, mocksim.Options{Seed: seed})
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: rate, Kinds: kinds}))
	steps(t, w, 600, h)
	for k := w.Len() - 1; k >= 0; k-- {
		if v := w.At(k); v.Place().Road.ID == "2" {
			require.NoError(t, w.Destroy(v.Name()))
		}
	}
	for k := range cars {
		name := fmt.Sprintf("queue%02d", k)
		create(t, w, name, mocksim.Car, mocksim.OnRoad("2", -1, 490-float64(k)*apart))
		require.NoError(t, w.SetController(name, mocksim.Controller{}))
	}
	var times []float64
	for waiting := cars; len(times) < cars && w.Time() < 3600*timebase.Second; {
		for _, e := range steps(t, w, 1, h) {
			require.NotEqual(t, mocksim.Collision, e.Kind, describe(w, &e))
		}
		still := 0
		for k := w.Len() - 1; k >= 0; k-- {
			v := w.At(k)
			switch {
			case !strings.HasPrefix(v.Name(), "queue"):
			case v.Place().Road.ID == "2":
				still++
			case v.Place().Road.Length > 400 && v.Place().S < 400:
				require.NoError(t, w.Destroy(v.Name()))
			}
		}
		for ; waiting > still; waiting-- {
			times = append(times, w.Time().Seconds())
		}
	}
	require.Len(t, times, cars)
	return 3600 * float64(cars-counted) / (times[cars-1] - times[counted-1])
}

// potential is the potential capacity of a minor movement at a two-way stop-controlled junction
// (Highway Capacity Manual, chapter 20) for a conflicting flow per hour, a critical headway and a
// follow-up headway in s.
func potential(flow, critical, followUp float64) float64 {
	return flow * math.Exp(-flow*critical/3600) / (1 - math.Exp(-flow*followUp/3600))
}

// TestCapacity_OfAMinorRoad compares the capacity of a road that gives way with the Highway
// Capacity Manual.
func TestCapacity_OfAMinorRoad(t *testing.T) {
	const seeds = uint64(8)
	for _, c := range []struct {
		name               string
		to                 int
		flow               float64
		critical, followUp float64
	}{
		{"to the right, 300 vehicles/h", east, 300, 6.2, 3.3},
		{"to the right, 600 vehicles/h", east, 600, 6.2, 3.3},
		{"to the left, 600 vehicles/h", west, 600, 7.1, 3.5},
	} {
		m := meeting(t, [][2]int{{west, east}, {south, c.to}})
		sum := 0.0
		for seed := range seeds {
			sum += discharge(t, m, c.flow, seed+1)
		}
		want := potential(c.flow, c.critical, c.followUp)
		t.Logf("%s: %.0f cars/h, HCM %.0f", c.name, sum/float64(seeds), want)
		require.InEpsilon(t, want, sum/float64(seeds), 0.2, c.name)
	}
}
