package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// TestLights_AreHeededWhereRoadsReferToThem checks that a light that stands on road 2 is valid on
// road 1, which refers to it: red stops there.
func TestLights_AreHeededWhereRoadsReferToThem(t *testing.T) {
	road := func(id, y, signals string) string {
		return `<road id="` + id +
			`" length="300" junction="-1"><planView><geometry s="0" x="0" y="` + y +
			`" hdg="0" length="300">` +
			`<line/></geometry></planView><lanes><laneSection s="0"><center><lane id="0" ` +
			`type="none"/></center>` +
			`<right><lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>` +
			`</lane></right>` +
			`</laneSection></lanes><signals>` + signals + `</signals></road>`
	}
	m, err := opendrive.Read("two.xodr",
		strings.NewReader(`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+
			road("1", "0", `<signalReference id="7" s="100" t="-4" orientation="+"><validity `+
				`fromLane="-1" toLane="-1"/></signalReference>`)+
			road("2", "50", `<signal id="7" s="5" t="-4" dynamic="yes" orientation="+" `+
				`type="1000001" subtype="-1">`+
				`<validity fromLane="0" toLane="0"/></signal>`)+`</OpenDRIVE>`))
	require.NoError(t, err)
	require.Empty(t, m.LeftOut())
	for colour, stops := range map[mocksim.Light]bool{mocksim.LightRed: true,
		mocksim.LightGreen: false} {
		w, err := mocksim.New(m, mocksim.Options{})
		require.NoError(t, err)
		require.NoError(t, w.SetLight("7", colour))
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -1, 20).WithSpeed(10))
		require.NoError(t, w.SetController("a", mocksim.Controller{}))
		steps(t, w, 1000, 20*ms)
		require.Equal(t, stops, view(t, w, "a").State().Position.X < 100)
	}
}
