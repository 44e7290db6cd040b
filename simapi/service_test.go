package simapi_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/simapi"
)

// TestR3_ServicesAreTheMethodsOfFrames checks R3: the service blocks have exactly the methods of
// frames, with the same requests and replies. hello belongs to the transport.
func TestR3_ServicesAreTheMethodsOfFrames(t *testing.T) {
	found := map[string]string{}
	services := simapi.File_simapi_proto.Services()
	require.Equal(t, 2, services.Len())
	for k := range services.Len() {
		methods := services.Get(k).Methods()
		for n := range methods.Len() {
			m := methods.Get(n)
			require.False(t, m.IsStreamingClient() || m.IsStreamingServer(), m.Name())
			require.Empty(t, found[string(m.Name())], "%s is in both services", m.Name())
			found[string(m.Name())] = string(services.Get(k).Name()) + " " +
				string(m.Input().Name()) + " " + string(m.Output().Name())
		}
	}
	want := map[string]string{}
	for _, m := range simapi.Methods() {
		request, reply := simapi.Messages(m)
		service := "Simulator "
		if m >= simapi.Method_SET_EGO_DESTINATION {
			service = "SUT "
		}
		name := string(request.ProtoReflect().Descriptor().Name())
		require.Equal(t, strings.ReplaceAll(m.Word(), "_", ""), strings.ToLower(name))
		want[name] = service + name + " " + string(reply.ProtoReflect().Descriptor().Name())
	}
	require.Equal(t, want, found)
}

// TestR3_GeneratorsAcceptTheSchema checks that protoc generates code of another language from the
// schema.
func TestR3_GeneratorsAcceptTheSchema(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Skip("no protoc: apt-get install protobuf-compiler")
	}
	folder := t.TempDir()
	for _, language := range []string{"cpp", "python", "java"} {
		text, err := exec.Command(protoc, "--fatal_warnings", "--"+language+"_out="+folder,
			"simapi.proto").CombinedOutput()
		require.NoError(t, err, "%s: %s", language, text)
	}
	for _, name := range []string{"simapi.pb.h", "simapi.pb.cc", "simapi_pb2.py",
		"gosmp/simapi/Simapi.java"} {
		require.FileExists(t, filepath.Join(folder, filepath.FromSlash(name)))
	}
}

// TestA4_StatesOfAllAndOfEach checks A4: init, launch_simulator and their ends change the state of
// all parties; each party starts and steps on its own.
func TestA4_StatesOfAllAndOfEach(t *testing.T) {
	both(t, func(t *testing.T, tcp bool) {
		_, connect := serve(t, &double{}, &stack{}, tcp)
		a, b := connect("director", simapi.Role_SSP), connect("other", simapi.Role_SSP)
		ctx := t.Context()
		states := func(want string, clients ...*simapi.Client) {
			t.Helper()
			for _, c := range clients { // get_actors_states is legal in L and R
				_, err := c.GetActorsStates(ctx, &simapi.GetActorsStates{})
				require.ErrorIs(t, err, simapi.Code_WRONG_STATE)
				require.ErrorContains(t, err, want)
			}
		}
		states("connected", a, b)
		_, err := a.Init(ctx, &simapi.Init{StepSizeMs: 20, Parties: []string{"director", "other"}})
		require.NoError(t, err)
		states("initialised", a, b)
		require.NoError(t, b.LaunchSimulator(ctx), "the other party may go on")
		_, err = a.CreateActor(ctx, car("ego", 0, 0))
		require.NoError(t, err)

		require.NoError(t, a.StartSimulation(ctx, &simapi.StartSimulation{}))
		states("starting", a)
		_, err = b.CreateActor(ctx, car("npc", 9, 0))
		require.NoError(t, err, "it has not started")
		require.NoError(t, b.StartSimulation(ctx, &simapi.StartSimulation{}))
		require.NoError(t, a.WaitStartSimulation(ctx, &simapi.WaitStartSimulation{}))
		states("starting", b)
		require.NoError(t, a.StartStep(ctx, &simapi.StartStep{RequestedSimTimeMs: 20}))
		states("stepping", a)
		require.NoError(t, b.WaitStartSimulation(ctx, &simapi.WaitStartSimulation{}))
		_, err = b.GetActorsStates(ctx, &simapi.GetActorsStates{})
		require.NoError(t, err, "it is between steps")
		require.NoError(t, b.StartStep(ctx, &simapi.StartStep{RequestedSimTimeMs: 20}))
		for _, c := range []*simapi.Client{b, a} {
			_, err = c.WaitStep(ctx, &simapi.WaitStep{})
			require.NoError(t, err)
		}
		_, err = a.EndSimulation(ctx, &simapi.EndSimulation{})
		require.NoError(t, err)
		_, err = b.CreateActor(ctx, car("npc", 9, 0))
		require.NoError(t, err, "launched again")
		require.NoError(t, b.TerminateSimulator(ctx))
		states("initialised", a, b)
	})
}
