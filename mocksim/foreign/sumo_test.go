package foreign_test

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/foreign"
	"gosmp/mocksim/support"
	"gosmp/simapi"
	"gosmp/simapi/check"
	"gosmp/timebase"
)

// sumo returns the address of SUMO, run with the Python named by GOSMP_SUMO_PYTHON, or with
// python3.
func sumo(t *testing.T) string {
	t.Helper()
	python := cmp.Or(os.Getenv("GOSMP_SUMO_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import libsumo").Run(); err != nil {
		t.Skip("no libsumo: pip install eclipse-sumo libsumo, and set GOSMP_SUMO_PYTHON")
	}
	t.Setenv("PYTHONPATH", filepath.Join(module, "python"))
	return "exec:" + python + " '" + filepath.Join(module, "examples/simulators/sumo.py") + "'"
}

// module is the folder of the module, also for tests that change the working directory.
var module, _ = filepath.Abs("../..")

func TestSumo_PassesTheCheck(t *testing.T) { passesTheCheck(t, sumo(t)) }

// passesTheCheck requires that `gosmp sim check` finds no mistakes in a simulator on three maps.
func passesTheCheck(t *testing.T, address string) {
	t.Helper()
	for name, at := range map[string][3]float64{"motorway": {20, -1.75, 0},
		"hills": {20, -1.75, 0}, "crossing": {-60, -1.75, 0}} {
		path := filepath.Join(module, "examples/maps", name+".xodr")
		m := readMap(t, path)
		o := foreign.Options{Step: timebase.Every(step.Seconds())}
		s, end, err := foreign.Serve(t.Context(), address, o)
		require.NoError(t, err)
		result := check.Run(t.Context(), check.Options{Dial: func(_ context.Context, name string,
			role simapi.Role) (*simapi.Client, error) {
			return s.Connect(name, role)
		}, Map: &simapi.MapInfo{Path: path}, At: at, Ground: support.Ground{Map: m}})
		require.Empty(t, result.Findings, name)
		require.NoError(t, end())
	}
}

// launched opens a simulator on the map of a motorway.
func launched(t *testing.T, address string) *foreign.Connection {
	t.Helper()
	path := filepath.Join(module, "examples/maps/motorway.xodr")
	c, err := foreign.Open(t.Context(), address,
		foreign.Options{Step: timebase.Every(step.Seconds())})
	require.NoError(t, err)
	_, err = c.Init(t.Context(), &simapi.Init{StepSizeMs: 20,
		MapInfo: &simapi.MapInfo{Path: path}})
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(t.Context()))
	return c
}

// TestSumo_SameTrajectory checks that a trajectory leads an actor through the same places in SUMO
// and in the mock simulator.
func TestSumo_SameTrajectory(t *testing.T) {
	address := sumo(t)
	var places [2][][2]float64
	for k, address := range []string{child(t, "mock"), address} {
		c := launched(t, address)
		_, err := c.CreateActor(t.Context(), &simapi.CreateActor{ActorId: "track",
			Description: &simapi.ActorDescription{ActorType: "car", Length: 4},
			State:       &simapi.ActorState{ActorId: "track", Position: simapi.Pose(20, -1.75, 0)}})
		require.NoError(t, err)
		require.NoError(t, c.SetXYTrajectory(t.Context(), &simapi.SetXyTrajectory{ActorId: "track",
			EndTimeMs: 2000, Polyline: []*simapi.Coord6Dof{simapi.Pose(20, -1.75, -0.1),
				simapi.Pose(40, -5, -0.2)}}))
		require.NoError(t, c.StartSimulation(t.Context(), &simapi.StartSimulation{}))
		require.NoError(t, c.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
		for n := range 110 {
			r, err := c.Step(t.Context(), &simapi.Step{RequestedSimTimeMs: 20 * float64(n+1),
				States: true})
			require.NoError(t, err)
			at := r.GetState()[0].GetPosition()
			places[k] = append(places[k], [2]float64{at.GetX(), at.GetY()})
		}
		require.NoError(t, c.Close())
	}
	for n := range places[0] {
		require.InDeltaSlice(t, places[0][n][:], places[1][n][:], 1e-9, n)
	}
	require.InDelta(t, 40, places[1][109][0], 1e-9)
}

// TestSumo_Drives checks that SUMO drives an actor with a controller.
func TestSumo_Drives(t *testing.T) {
	w := world(t, "../../examples/maps/motorway.xodr", sumo(t))
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego",
		Start: mocksim.OnRoad("1", -2, 20).WithSpeed(15)}))
	require.NoError(t, w.SetController("ego", mocksim.Controller{}))
	v, err := w.Actor("ego")
	require.NoError(t, err)
	before := v.State().Position.X
	for range 100 {
		_, err := w.Step(step)
		require.NoError(t, err)
	}
	require.InDelta(t, 35, v.State().Position.X-before, 10)
	require.Greater(t, v.State().Speed, 14.0)
}

// TestF4_SumoPlacesAndCollisions checks F4: before the first step, SUMO's actors are where they
// were created, and a contact is one event at the time when the bodies touch.
func TestF4_SumoPlacesAndCollisions(t *testing.T) {
	address := sumo(t)
	c := launched(t, address)
	_, err := c.CreateActor(t.Context(), &simapi.CreateActor{ActorId: "ego",
		Description: &simapi.ActorDescription{ActorType: "car"},
		State:       &simapi.ActorState{Position: simapi.Pose(20, -1.75, 0.1)}})
	require.NoError(t, err)
	r, err := c.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
	require.NoError(t, err)
	require.InDelta(t, 20, r.GetState()[0].GetPosition().GetX(), 1e-9)
	require.InDelta(t, -1.75, r.GetState()[0].GetPosition().GetY(), 1e-9)
	require.NoError(t, c.Close())

	contact := func(address string) (at []timebase.Time) {
		w := world(t, "../../examples/maps/motorway.xodr", address)
		for name, x := range map[string]float64{"ego": 20, "standing": 80} {
			require.NoError(t, w.Create(mocksim.Actor{Name: name,
				Start: mocksim.OnRoad("1", -1, x)}))
		}
		ego, err := w.Actor("ego")
		require.NoError(t, err)
		from := ego.State().Position
		_, err = w.SetTrajectory("ego", mocksim.Trajectory{End: 5 * timebase.Second,
			Points: []mocksim.Point{{X: from.X, Y: from.Y}, {X: 95, Y: from.Y}}})
		require.NoError(t, err)
		for range 250 {
			events, err := w.Step(step)
			require.NoError(t, err)
			for k := range events {
				if events[k].Kind == mocksim.Collision {
					at = append(at, events[k].Time)
				}
			}
		}
		return at
	}
	want := contact("")
	require.Len(t, want, 1)
	require.Equal(t, want, contact(address))
}
