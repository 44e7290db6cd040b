package opendrive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
)

// TestCheck_NotesWhatIsNotEvaluated checks that an element that the simulator ignores adds a note
// rather than an error.
func TestCheck_NotesWhatIsNotEvaluated(t *testing.T) {
	text := strings.Replace(
		complete,
		`<signals/>`,
		`<objects><tunnel s="10" length="20" id="t" type="standard"/></objects><signals/>`,
		1,
	)
	var found finding.List
	for _, f := range read(t, text).Check() {
		if f.ID == "X-NOT-EVALUATED" {
			found = append(found, f)
		}
	}
	require.Len(t, found, 1)
	require.Equal(t, finding.Note, found[0].Severity)
	require.Equal(t, "tunnel in objects is not evaluated", found[0].Message)
}

// TestCheck_NotesJunctionContent checks that the content of junctions of OpenDRIVE 1.8 that the
// simulator ignores is reported, and the ordinary content is not.
func TestCheck_NotesJunctionContent(t *testing.T) {
	text := strings.Replace(complete, `</OpenDRIVE>`, `<junction id="j" name="" type="default">
<connection id="0" incomingRoad="1" connectingRoad="1" contactPoint="start"/>
<crossPath id="0" crossingRoad="1" roadAtStart="1" roadAtEnd="1">
<startLaneLink s="0" from="-1" to="-1"/><endLaneLink s="0" from="-1" to="-1"/></crossPath>
<planView><geometry s="0" x="0" y="0" hdg="0" length="9"><line/></geometry></planView>
<boundary><segment type="lane" roadId="1" boundaryLane="-1" sStart="begin" sEnd="end"/></boundary>
<elevationGrid gridSpacing="1" sStart="0"><elevation center="0" left="0" right="0"/>
</elevationGrid></junction></OpenDRIVE>`, 1)
	text = strings.Replace(text, `revMinor="7"`, `revMinor="8"`, 1)
	var found []string
	for _, f := range read(t, text).LeftOut() {
		found = append(found, f.Message)
	}
	require.ElementsMatch(t, []string{"crossPath in junction is not evaluated",
		"planView in junction is not evaluated", "boundary in junction is not evaluated",
		"elevationGrid in junction is not evaluated"}, found)
}
