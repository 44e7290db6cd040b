package opendrive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestRead_LinksInCycles checks that route searches and checks terminate for a road that is its own
// successor, and for two roads with contradictory links to each other.
func TestRead_LinksInCycles(t *testing.T) {
	link := func(id, contact string) string {
		return fmt.Sprintf(
			`<link><predecessor elementType="road" elementId="%[1]s" contactPoint="%[2]s"/>`+
				`<successor elementType="road" elementId="%[1]s" contactPoint="%[2]s"/></link>`, id,
			contact)
	}
	lane := `<lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>` +
		`<width a="3.5"/></lane>`
	road := func(id, to, contact string) string {
		return `<road id="` + id + `" length="100" junction="-1">` + link(to, contact) +
			`<planView><geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry>` +
			`</planView>` +
			`<lanes><laneSection s="0"><center><lane id="0"/></center><right>` + lane +
			`</right></laneSection></lanes></road>`
	}
	for _, text := range []string{document(road("1", "1", "start")),
		document(road("1", "1", "end")),
		document(road("1", "2", "start"), road("2", "1", "start")), document(road("1", "2", "end"),
			road("2", "1", "end"))} {
		m := read(t, text)
		require.NotEmpty(t, m.Check(), "ends that are apart")
		for _, from := range m.Lanes() {
			for _, to := range m.Lanes() {
				_, _ = m.Route(from, to)
			}
		}
	}
}

// TestRead_TenMegabytesOfOneElement checks that the element is either read or refused, without
// being kept or copied many times.
func TestRead_TenMegabytesOfOneElement(t *testing.T) {
	const size = 10 << 20
	fill := func(element string) string { return strings.Repeat(element, size/len(element)) }
	for name, text := range map[string]string{
		"an attribute": document(strings.Replace(oneRoad{}.String(), `id="1"`,
			`id="`+strings.Repeat("x", size)+`"`, 1)),
		"text": document(`<userData>`+strings.Repeat("x", size)+`</userData>`,
			oneRoad{}.String()),
		"unknown": document(fill("<unknown/>"), oneRoad{}.String()),
		"road marks": strings.Replace(document(oneRoad{}.String()), `</lane>`,
			fill(`<roadMark sOffset="0"/>`)+`</lane>`, 1),
		"lane sections": document(
			oneRoad{sections: fill(
				`<laneSection s="0"><center><lane id="0"/></center></laneSection>`)}.String()),
	} {
		m, err := opendrive.Read("large.xodr", strings.NewReader(text))
		if err != nil {
			require.ErrorIs(t, err, opendrive.ErrMap, name)
			require.Less(t, len(err.Error()), 1000, name)
			continue
		}
		for _, f := range m.Check() {
			require.Less(t, len(f.Message), 1000, name)
		}
	}
}

// TestRead_CurvesThatTurn checks that the turns of a spiral, on which its cost depends, are
// limited, and that a spiral with the largest permitted number is read at once.
func TestRead_CurvesThatTurn(t *testing.T) {
	for curve, allowed := range map[string]bool{
		`<arc curvature="-1.99"/>`:                      true,
		`<arc curvature="2.01"/>`:                       false,
		`<spiral curvStart="0" curvEnd="-1.99"/>`:       true,
		`<spiral curvStart="-2.01" curvEnd="0"/>`:       false,
		`<spiral curvStart="801" curvEnd="-0.2"/>`:      false,
		`<spiral curvStart="-0.29" curvEnd="0.29"/>`:    true,
		`<spiral curvStart="-1000" curvEnd="0.00001"/>`: false,
	} {
		_, err := opendrive.Read("a.xodr", strings.NewReader(
			document(oneRoad{plan: geometry(100, "%s", curve)}.String())))
		if allowed {
			require.NoError(t, err, curve)
			continue
		}
		require.ErrorIs(t, err, opendrive.ErrMap, curve)
		require.ErrorContains(t, err, "expected at most 200 rad", curve)
	}
}

// TestRead_ARoadLongerThanItsSpiral checks the same for a spiral that continues because the road is
// longer than its elements.
func TestRead_ARoadLongerThanItsSpiral(t *testing.T) {
	for length, allowed := range map[float64]bool{100: true, 300: true, 500: false, 101000: false,
		1e6: false} {
		_, err := opendrive.Read("a.xodr", strings.NewReader(document(oneRoad{length: length,
			plan: geometry(100, `<spiral curvStart="0.01" curvEnd="-0.2"/>`)}.String())))
		if allowed {
			require.NoError(t, err, length)
			continue
		}
		require.ErrorIs(t, err, opendrive.ErrMap, length)
		require.ErrorContains(t, err, "longer than its spiral", length)
	}
}
