package opendrive

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestChart_EqualsExactForm compares the fast form of random elements with the integrals it
// replaces.
func TestChart_EqualsExactForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, limit float64) float64 {
			return rapid.Float64Range(-limit, limit).Draw(t, name)
		}
		length := rapid.Float64Range(1e-3, 500).Draw(t, "length")
		g := Geometry{Length: length, Curve: rapid.SampledFrom([]Curve{
			Arc{number("curvature", 0.2)},
			Spiral{number("start", 0.2), number("end", 0.2)},
			Poly3{C: number("c", 1/length), D: number("d", 1/length/length)},
			ParamPoly3{U: [4]float64{0, 1, number("cU", 0.3/length)}, V: [4]float64{0, 0,
				number("cV", 1/length), number("dV", 1/length/length)}},
			ParamPoly3{U: [4]float64{0, length}, V: [4]float64{0, 0, number("cV", length),
				number("dV", length)}, Normalized: true},
		}).Draw(t, "curve")}
		c := newChart(&g)
		ds := rapid.Float64Range(0, length).Draw(t, "ds")
		fast, exact := c.at(&g, ds), g.Curve.at(ds, length)
		require.Less(t, math.Hypot(fast.u-exact.u, fast.v-exact.v), 2*chartAccuracy)
		bend := 1 + math.Abs(exact.curvature) // the effect of a nanometer grows with the curvature
		require.InDelta(t, exact.heading, fast.heading, 1e-8*bend)
		require.InDelta(t, exact.curvature, fast.curvature, 1e-5*bend*bend*bend)
	})
}

// largeRoads is the number of roads in a map of 31 MB.
const largeRoads = 6500

func benchmarkMap(roads int) string {
	var b strings.Builder
	b.WriteString(`<OpenDRIVE><header revMajor="1" revMinor="8"/>`)
	for k := range roads {
		fmt.Fprintf(&b, `<road id="%d" length="200" junction="-1"><planView>
<geometry s="0" x="%d" y="0" hdg="0" length="100"><line/></geometry>
<geometry s="100" x="%d" y="0" hdg="0" length="100"><spiral curvStart="0" curvEnd="0.01"/></geometry></planView>
<elevationProfile><elevation s="0" a="0" b="0.01" c="0.001" d="0"/></elevationProfile><lanes>`, k,
			300*k, 300*k+100)
		for s := range 4 {
			fmt.Fprintf(&b,
				`<laneSection s="%d"><center><lane id="0" type="none"/></center><right>`, 50*s)
			for l := range 4 {
				fmt.Fprintf(&b,
					`<lane id="%d" type="driving" level="false"><link><predecessor id="%d"/><successor id="%d"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/><roadMark sOffset="0" type="broken" weight="standard" color="white" width="0.12" laneChange="both"/></lane>`, -1-l, -1-l, -1-l)
			}
			b.WriteString(`</right></laneSection>`)
		}
		b.WriteString(`</lanes></road>`)
	}
	b.WriteString(`</OpenDRIVE>`)
	return b.String()
}

// BenchmarkRead reads a map of about 32 MB.
func BenchmarkRead(b *testing.B) {
	text := benchmarkMap(largeRoads)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := Read("benchmark.xodr", strings.NewReader(text))
		require.NoError(b, err)
	}
}

// BenchmarkStation compares the fast form of a clothoid with its integral.
func BenchmarkStation(b *testing.B) {
	m, err := Read("benchmark.xodr", strings.NewReader(benchmarkMap(1)))
	require.NoError(b, err)
	g := &m.Roads[0].Plan[1]
	b.Run("chart", func(b *testing.B) {
		for b.Loop() {
			m.Roads[0].chart[1].at(g, 77)
		}
	})
	b.Run("integral", func(b *testing.B) {
		for b.Loop() {
			g.Curve.at(77, g.Length)
		}
	})
	b.Run("locate", func(b *testing.B) {
		st := m.Roads[0].station(150)
		p := st.Point(-2, 0)
		b.ReportAllocs()
		for b.Loop() {
			m.Locate(p)
		}
	})
}
