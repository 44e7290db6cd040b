package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// busLane returns a long road with a lane for buses next to a lane without access and a lane for
// pedestrians.
func busLane(t *testing.T, rule string) *opendrive.Map {
	lane := func(id, access string) string {
		return `<lane id="` + id +
			`" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>` + access + `</lane>`
	}
	m, err := opendrive.Read("bus.xodr",
		strings.NewReader(`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+
			`<road id="1" length="3000" junction="-1"><planView><geometry s="0" x="0" y="0" `+
			`hdg="0" length="3000"><line/></geometry>`+
			`</planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center>`+
			`<right>`+
			lane("-1", "")+lane("-2", rule)+lane("-3",
			`<access sOffset="0" rule="allow" restriction="pedestrian"/>`)+
			`</right></laneSection></lanes></road></OpenDRIVE>`))
	require.NoError(t, err)
	return m
}

func TestAccess_IsObeyedByTraffic(t *testing.T) {
	const allowBus = `<access sOffset="0" rule="allow" restriction="bus"/>`
	for rule, admitted := range map[string]func(mocksim.Kind) bool{
		"":       func(mocksim.Kind) bool { return true },
		allowBus: func(k mocksim.Kind) bool { return k == mocksim.Bus },
		allowBus + `<access sOffset="0" rule="allow" ` +
			`restriction="motorcycle"/>`: func(k mocksim.Kind) bool {
			return k == mocksim.Bus || k == mocksim.Motorcycle
		},
		`<access sOffset="0" rule="deny" ` +
			`restriction="truck"/>`: func(k mocksim.Kind) bool { return k != mocksim.Truck },
		`<access sOffset="0" rule="deny" ` +
			`restriction="none"/>`: func(mocksim.Kind) bool { return true },
	} {
		w, err := mocksim.New(busLane(t, rule), mocksim.Options{Seed: 3})
		require.NoError(t, err)
		require.NoError(t, w.Populate(mocksim.Traffic{Count: 150, Host: "ego",
			Driver: mocksim.Driver{LaneChange: mocksim.ChangeWithMOBIL}}))
		ego := view(t, w, "ego")
		require.Equal(t, mocksim.Car, ego.Kind())
		for range 20 {
			on := map[int]int{}
			for k := range w.Len() {
				a := w.At(k)
				lane := a.Place().Lane.ID
				on[lane]++
				require.NotEqual(t, -3, lane, "closed to all vehicles")
				require.True(t, lane != -2 || admitted(a.Kind()), "a %v on a lane with %s",
					a.Kind(), rule)
			}
			require.NotZero(t, on[-2], "not empty")
			steps(t, w, 25, 20*ms)
		}
	}
}
