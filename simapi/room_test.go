package simapi_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"gosmp/simapi"
)

// greeted connects a party without a client.
func greeted(t *testing.T, address, name string) *raw {
	r := dialRaw(t, address)
	r.send(t, 1, simapi.Method_HELLO, hello(name))
	require.Equal(t, simapi.Code_OK, r.next(t).GetStatus().GetCode(), name)
	return r
}

// body sends a call whose body may be anything.
func (r *raw) body(t *testing.T, m simapi.Method, body []byte) *simapi.Frame {
	frame, err := simapi.AppendFrame(nil, &simapi.Frame{Id: 7, Method: m, Body: body})
	require.NoError(t, err)
	_, err = r.Write(frame)
	require.NoError(t, err)
	return r.next(t)
}

// TestServe_HostileFrames: requests that need much more memory than their bytes are refused before
// they are decoded, and the party goes on.
func TestServe_HostileFrames(t *testing.T) {
	server, connect := serve(t, &double{quiet: true}, &stack{}, true)
	launched(t, connect("good", simapi.Role_SSP), &simapi.Init{StepSizeMs: 20})
	address := listen(t, server)
	const most = simapi.LargestFrame - 64
	parts := func(number protowire.Number) []byte {
		return bytes.Repeat(append(protowire.AppendTag(nil, number, protowire.BytesType), 0), most/3)
	}
	bad := greeted(t, address, "bad")
	for m, number := range map[simapi.Method]protowire.Number{
		simapi.Method_SET_XY_TRAJECTORY: 4, simapi.Method_SET_DYNAMIC_MOVE: 4,
		simapi.Method_SEND_MESSAGES: 1, simapi.Method_START_SIMULATION: 1,
		simapi.Method_CREATE_ACTOR: 99,
	} {
		status := bad.body(t, m, parts(number)).GetStatus()
		require.NotEqual(t, simapi.Code_OK, status.GetCode(), m.Word())
		if number < 99 {
			require.Contains(t, status.GetMessage(), "needs more than 96 MB when it is decoded")
		}
	}
	for name, c := range map[string]struct {
		m    simapi.Method
		body []byte
		text string
	}{
		"nested": {simapi.Method_CREATE_ACTOR, bytes.Repeat([]byte{0x1a, 0x80, 0x80, 4}, 4000),
			"not a CreateActor"},
		"type": {simapi.Method_CREATE_ACTOR, []byte{0x0a, 1, 0xff}, "not a CreateActor"},
		"id": {simapi.Method_CREATE_ACTOR, protowire.AppendString([]byte{0x0a},
			strings.Repeat("x", 2000)), "at most 1024"},
	} {
		require.Contains(t, bad.body(t, c.m, c.body).GetStatus().GetMessage(), c.text, name)
	}
	bad.send(t, 1, simapi.Method_GET_ACTORS_STATES, &simapi.GetActorsStates{})
	require.Equal(t, simapi.Code_OK, bad.next(t).GetStatus().GetCode())
	long := dialRaw(t, address)
	long.send(t, 1, simapi.Method_HELLO, hello(strings.Repeat("x", 2000)))
	require.Contains(t, long.next(t).GetStatus().GetMessage(), "at most 1024")
}

// TestServe_AnsweredFrames: the memory of a long request is free once it is answered, also if the
// method is unknown, while its connection goes on.
func TestServe_AnsweredFrames(t *testing.T) {
	server, _ := serve(t, &double{quiet: true}, nil, true)
	address := listen(t, server)
	long := make([]byte, simapi.LargestFrame-64)
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used()
	for k := range 4 {
		r := greeted(t, address, fmt.Sprint("party", k))
		for range 2 {
			require.Equal(t, simapi.Code_NOT_SUPPORTED,
				r.body(t, simapi.Method(999), long).GetStatus().GetCode())
		}
	}
	require.Less(t, used(), before+simapi.LargestFrame)
}

// TestServe_UnfinishedFrames: parties that announce long frames and do not send them leave the
// others alone, and the room becomes free when they go.
func TestServe_UnfinishedFrames(t *testing.T) {
	server, connect := serve(t, &double{quiet: true}, nil, true)
	good := connect("good", simapi.Role_SSP)
	launched(t, good, &simapi.Init{StepSizeMs: 20})
	address := listen(t, server)
	var bad []*raw
	for k := range 10 {
		r := greeted(t, address, fmt.Sprint("bad", k))
		_, err := r.Write(append(binary.BigEndian.AppendUint32(nil, simapi.LargestFrame), 1, 2))
		require.NoError(t, err)
		bad = append(bad, r)
	}
	running(t, good)
	for k := range 50 {
		step(t, good, float64(20*(k+1)))
	}
	for _, r := range bad {
		require.NoError(t, r.Close())
	}
	last := greeted(t, address, "last")
	status := last.body(t, simapi.Method_SET_ACTOR_PARAMS, bytes.Repeat([]byte{0xf8, 1, 1},
		simapi.LargestFrame/3-64)).GetStatus()
	require.Equal(t, simapi.Code_UNKNOWN_ACTOR, status.GetCode(), status.GetMessage())
}

// TestServe_SlowFrames: parties that hold all room for long frames and send no more of them lose it to
// others, who need not wait until the time for a frame has passed. They are told why.
func TestServe_SlowFrames(t *testing.T) {
	server, connect := serve(t, &double{quiet: true}, nil, true)
	launched(t, connect("good", simapi.Role_SSP), &simapi.Init{StepSizeMs: 20})
	address := listen(t, server)
	begin := func(r *raw) {
		_, err := r.Write(append(binary.BigEndian.AppendUint32(nil, simapi.LargestFrame), 1, 2))
		require.NoError(t, err)
	}
	told := make(chan *simapi.Status, 4)
	for k := range 4 {
		slow := greeted(t, address, fmt.Sprint("slow", k))
		begin(slow)
		go func() {
			var answer simapi.Frame
			_ = slow.frames.Next(&answer)
			told <- answer.GetStatus()
		}()
	}
	for k := range 3 {
		last := greeted(t, address, fmt.Sprint("quick", k))
		status := last.body(t, simapi.Method_SET_ACTOR_PARAMS, bytes.Repeat([]byte{0xf8, 1, 1},
			simapi.LargestFrame/3-64)).GetStatus()
		require.Equal(t, simapi.Code_UNKNOWN_ACTOR, status.GetCode(), status.GetMessage())
	}
	status := <-told
	require.Equal(t, simapi.Code_BUSY, status.GetCode(), status.GetMessage())
	require.Contains(t, status.GetMessage(), "while others were waiting")
}

// TestServe_DeclinedFrames: a long request that its party may not make is not even decoded.
func TestServe_DeclinedFrames(t *testing.T) {
	server, connect := serve(t, &double{quiet: true}, nil, true)
	launched(t, connect("good", simapi.Role_SSP), &simapi.Init{StepSizeMs: 20})
	r := dialRaw(t, listen(t, server))
	r.send(t, 1, simapi.Method_HELLO, &simapi.Hello{Api: simapi.API, Name: "observer",
		Role: simapi.Role_OBSERVER})
	require.Equal(t, simapi.Code_OK, r.next(t).GetStatus().GetCode())
	for _, m := range []simapi.Method{simapi.Method_SEND_MESSAGES, simapi.Method_INIT} {
		status := r.body(t, m, make([]byte, 1<<20)).GetStatus() // not a request
		require.Equal(t, simapi.Code_NOT_SUPPORTED, status.GetCode(), status.GetMessage())
	}
}

// TestServer_NextDirector: as soon as a director has closed its connection, its name and the
// simulation are free for the next one.
func TestServer_NextDirector(t *testing.T) {
	server, _ := serve(t, &double{quiet: true}, nil, true)
	address := listen(t, server)
	for range 50 {
		c, err := simapi.Dial(t.Context(), address, "director", simapi.Role_SSP)
		require.NoError(t, err)
		launched(t, c, &simapi.Init{StepSizeMs: 20})
		running(t, c)
		require.NoError(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
		require.NoError(t, c.Close())
	}
}

// TestServer_KeepsLittle: what parties let a server keep is limited: actors, moves, and notes for
// the next step.
func TestServer_KeepsLittle(t *testing.T) {
	_, connect := serve(t, &double{quiet: true}, nil, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	_, err := c.CreateActor(t.Context(), car("a", 0, 0))
	require.NoError(t, err)
	running(t, c)
	const points = 200_000
	r := &simapi.SetXyTrajectory{ActorId: "a", Polyline: make([]*simapi.Coord6Dof, points)}
	for k := range r.Polyline {
		r.Polyline[k] = simapi.XY(0, 0)
	}
	const span = points * 20
	for range 2 { // replaces the one before
		r.StartTimeMs, r.EndTimeMs = 0, span
		require.NoError(t, c.SetXYTrajectory(t.Context(), r))
	}
	for k := range 25 { // each continues the one before
		r.StartTimeMs, r.EndTimeMs = span*float64(k), span*float64(k+1)
		if err = c.SetXYTrajectory(t.Context(), r); err != nil {
			break
		}
	}
	require.ErrorContains(t, err, "more than 512 MB for the actors of a simulation")
	require.NoError(t, c.DestroyActor(t.Context(), &simapi.DestroyActor{ActorId: "a"}))
	_, err = c.CreateActor(t.Context(), car("b", 0, 0))
	require.NoError(t, err)
	r.ActorId, r.StartTimeMs, r.EndTimeMs = "b", 0, span
	require.NoError(t, c.SetXYTrajectory(t.Context(), r))
	r.Polyline = r.Polyline[:1]
	for range 6000 {
		require.NoError(t, c.SetXYTrajectory(t.Context(), r))
		require.NoError(t, c.SetDynamicMove(t.Context(), &simapi.SetDynamicMove{ActorId: "b",
			Controls: []*simapi.ActorControls{{}}}))
	}
	require.LessOrEqual(t, len(step(t, c, 20).GetEvents()), 10_000)
	parties := make([]string, 600)
	for k := range parties {
		parties[k] = fmt.Sprint(k)
	}
	_, fresh := serve(t, &double{}, nil, false)
	_, err = fresh("a", simapi.Role_SSP).Init(t.Context(), &simapi.Init{StepSizeMs: 20,
		Parties: parties})
	require.ErrorContains(t, err, "600 names")
}

// TestServer_ForgetsRefusedMoves: moves that the simulator refuses, or during which it panics, take
// no memory, and the actor keeps its former move.
func TestServer_ForgetsRefusedMoves(t *testing.T) {
	d := &double{quiet: true}
	_, connect := serve(t, d, nil, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	_, err := c.CreateActor(t.Context(), car("a", 0, 0))
	require.NoError(t, err)
	running(t, c)
	r := &simapi.SetXyTrajectory{ActorId: "a", Polyline: make([]*simapi.Coord6Dof, 200_000)}
	for k := range r.Polyline {
		r.Polyline[k] = simapi.XY(0, 0)
	}
	const span = 200_000 * 20
	for k := range 25 { // together more than 512 MB
		d.onMove = func() error { return errors.New("not there") }
		want := "not there"
		if k%2 == 1 {
			d.onMove, want = func() error { panic("at once") }, "a panic: at once"
		}
		r.StartTimeMs, r.EndTimeMs = span*float64(k), span*float64(k+1)
		require.ErrorContains(t, c.SetXYTrajectory(t.Context(), r), want)
	}
	d.onMove = nil
	require.NoError(t, c.SetXYTrajectory(t.Context(), r))
}

// TestServer_BoundsParameters: the parameters that a simulator keeps of an actor count like the actor
// itself, but once each, however often they are set, and not if the simulator refuses them. They no
// longer count when the actor is destroyed.
func TestServer_BoundsParameters(t *testing.T) {
	d := &double{quiet: true}
	_, connect := serve(t, d, nil, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	text := strings.Repeat("x", 16<<20)
	set := func(actor, name string) error {
		return c.SetActorParams(t.Context(), &simapi.SetActorParams{ActorId: actor,
			Parameters: []*simapi.Property{{Name: name, Value: text}, {Name: name, Value: text}}})
	}
	create := func(actor string) {
		_, err := c.CreateActor(t.Context(), car(actor, 0, 0))
		require.NoError(t, err)
	}
	fill := func(actor string) (n int) {
		for ; ; n++ {
			if err := set(actor, fmt.Sprint("fill", n)); err != nil {
				require.ErrorContains(t, err, "more than 512 MB for the actors of a simulation")
				require.ErrorContains(t, err, "fewer parameters")
				return n
			}
		}
	}
	create("a")
	for range 50 {
		require.NoError(t, set("a", "again"))
	}
	for k := range 50 {
		d.onParams = func() error { return errors.New("not that one") }
		want := "not that one"
		if k%2 == 1 {
			d.onParams, want = func() error { panic("at once") }, "a panic: at once"
		}
		require.ErrorContains(t, set("a", fmt.Sprint("refused", k)), want)
	}
	d.onParams = nil
	require.Equal(t, 14, fill("a")) // 15 have room, and one of them is "again"
	require.NoError(t, c.DestroyActor(t.Context(), &simapi.DestroyActor{ActorId: "a"}))
	create("b")
	require.Equal(t, 15, fill("b"))
	require.NoError(t, c.DestroyActor(t.Context(), &simapi.DestroyActor{ActorId: "b"}))

	third := car("c", 0, 0) // its parameters count from the beginning, and not again
	third.Description.AdditionalProperty = []*simapi.Property{{Name: "fill0", Value: text}}
	_, err := c.CreateActor(t.Context(), third)
	require.NoError(t, err)
	require.Equal(t, 15, fill("c"))
	require.NoError(t, c.DestroyActor(t.Context(), &simapi.DestroyActor{ActorId: "c"}))
	for range 17 { // all of those with the same name
		third.Description.AdditionalProperty = append(third.Description.AdditionalProperty,
			third.Description.AdditionalProperty[0])
	}
	_, err = c.CreateActor(t.Context(), third)
	require.ErrorContains(t, err, "identities are not used again")
	third.ActorId, third.State.ActorId = "d", "d"
	_, err = c.CreateActor(t.Context(), third)
	require.ErrorContains(t, err, "more than 512 MB for the actors of a simulation")
}
