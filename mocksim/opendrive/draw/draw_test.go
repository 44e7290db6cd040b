package draw_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/opendrive/draw"
)

const straight = `<OpenDRIVE><header revMajor="1" revMinor="8"/>
<road id="a&amp;b" length="100" junction="-1"><planView><geometry s="0" x="10" y="20" hdg="0" length="100"><line/></geometry></planView>
<lanes><laneSection s="0"><left><lane id="1" type="sidewalk"><width a="2"/></lane></left>
<center><lane id="0"><roadMark type="broken" color="yellow"/></lane></center>
<right><lane id="-1" type="driving"><width a="3.5"/><roadMark type="solid"/><roadMark sOffset="50" type="none"/></lane></right></laneSection></lanes>
<signals><signal id="7" s="50" t="-5" dynamic="yes" orientation="+" zOffset="2" country="DE" type="1000001"/></signals></road></OpenDRIVE>`

func picture(t *testing.T, text string) string {
	t.Helper()
	m, err := opendrive.Read("test.xodr", strings.NewReader(text))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, draw.Map(&b, m))
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err, "well-formed")
		}
	}
	return b.String()
}

// TestMap compares positions in the picture with the map; the y axis of a picture points down.
func TestMap(t *testing.T) {
	svg := picture(t, straight)
	require.Contains(t, svg, `viewBox="0 -32 120 25.5"`,
		"the edges at y = 22 and 16.5, and 10 m around")
	require.Contains(t, svg, `<title>road a&amp;b, 100.0 m</title>`)
	require.Contains(t, svg, `<title>lane -1 of road a&amp;b: driving</title>`)
	require.Contains(t, svg, `<circle class="light" cx="60" cy="-15" r="0.8">`)
	require.Contains(t, svg, `<text class="road" x="60" y="-20">a&amp;b</text>`)

	lane := regexp.MustCompile(`fill="#8a8f98" stroke="#8a8f98" d="([^"]*)"`).FindStringSubmatch(
		svg)
	require.Len(t, lane, 2)
	require.True(t, strings.HasPrefix(lane[1], "M10 -16.5L12 -16.5"), lane[1])
	require.True(t, strings.HasSuffix(lane[1], "L10 -20Z"), lane[1])

	require.Regexp(t, `class="mark yellow" stroke-dasharray="3 6" d="M10 -20L`, svg)
	require.Equal(t, 2, strings.Count(svg, `class="arrow"`),
		"at a quarter and at three quarters of the lane for cars")
	require.Contains(t, svg, `<path class="arrow" d="M36.2 -18.25L33.8`,
		"to the right, with traffic")
	solid := regexp.MustCompile(`class="mark" d="([^"]*)"`).FindStringSubmatch(svg)
	require.Len(t, solid, 2)
	ends := strings.Split(solid[1], "L")
	x, err := strconv.ParseFloat(strings.Fields(ends[len(ends)-1])[0], 64)
	require.NoError(t, err)
	require.InDelta(t, 60, x, 2, "the mark ends where the next record has type none")
	require.Equal(t, svg, picture(t, straight), "the same bytes each time")
}

// TestMap_Junction expects a label for the junction, and no labels for the roads in it.
func TestMap_Junction(t *testing.T) {
	road := func(id, y string) string {
		return `<road id="` + id +
			`" length="10" junction="9"><planView><geometry s="0" x="0" y="` + y +
			`" hdg="0" length="10"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0"/></center><right><lane id="-1" type="driving"><width a="3"/></lane></right></laneSection></lanes></road>`
	}
	svg := picture(t, `<OpenDRIVE><header revMajor="1" revMinor="8"/>`+road("1", "0")+road("2",
		"10")+`<junction id="9"/></OpenDRIVE>`)
	require.Contains(t, svg, `<text class="junction" x="5" y="-5">9</text>`)
	require.NotContains(t, svg, `class="road" x`)
}

// TestMap_Large expects fewer points per metre for a long road.
func TestMap_Large(t *testing.T) {
	long := strings.NewReplacer(`length="100"`, `length="100000"`).Replace(straight)
	require.Less(t, len(picture(t, long)), 1_000_000)
}
