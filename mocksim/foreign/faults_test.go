package foreign_test

import (
	"bufio"
	"math"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/foreign"
	"gosmp/simapi"
	"gosmp/timebase"
)

// bare answers calls over TCP without our server's checks. A function may change each answer.
func bare(t *testing.T, change func(simapi.Method, *simapi.Frame) proto.Message) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answerAll(conn, change)
		}
	}()
	t.Cleanup(func() { require.NoError(t, l.Close()); <-done })
	return l.Addr().String()
}

func answerAll(conn net.Conn, change func(simapi.Method, *simapi.Frame) proto.Message) {
	defer func() { _ = conn.Close() }()
	frames := simapi.NewFrameReader(bufio.NewReader(conn))
	for {
		call := &simapi.Frame{}
		if frames.Next(call) != nil {
			return
		}
		var body proto.Message = &simapi.Empty{}
		switch call.GetMethod() {
		case simapi.Method_HELLO:
			body = &simapi.HelloReply{Api: "gosmp.simapi/1", Name: "bare"}
		case simapi.Method_INIT:
			body = &simapi.InitReply{SimulationStepSizeMs: 20}
		}
		answer := &simapi.Frame{Id: call.GetId(), Method: call.GetMethod()}
		if changed := change(call.GetMethod(), answer); changed != nil {
			body = changed
		}
		if answer.GetId() == 0 { // ends without an answer
			return
		}
		answer.Body, _ = proto.Marshal(body)
		b, err := simapi.AppendFrame(nil, answer)
		if err != nil {
			return
		}
		if _, err := conn.Write(b); err != nil {
			return
		}
	}
}

// TestJoin_FaultyServers checks that faults of a server without our checks end the run with an
// error that names the server, the call and the fault, and never with the token.
func TestJoin_FaultyServers(t *testing.T) {
	ego := &simapi.ActorState{ActorId: "ego", Position: simapi.Pose(20, -1.75, 0)}
	refused := &simapi.Status{Code: simapi.Code_INVALID, Message: "no more room"}
	for want, change := range map[string]func(simapi.Method, *simapi.Frame) proto.Message{
		"ego: create_actor: no more room": func(m simapi.Method, f *simapi.Frame) proto.Message {
			if m == simapi.Method_CREATE_ACTOR {
				f.Status = refused
			}
			return nil
		},
		"init: no more room": func(m simapi.Method, f *simapi.Frame) proto.Message {
			if m == simapi.Method_INIT {
				f.Status = refused
			}
			return nil
		},
		"step: internal": func(m simapi.Method, f *simapi.Frame) proto.Message {
			if m == simapi.Method_STEP {
				f.Status = &simapi.Status{Code: simapi.Code_INTERNAL}
			}
			return nil
		},
		"step: party lost: found the end": func(m simapi.Method, f *simapi.Frame) proto.Message {
			if m == simapi.Method_STEP {
				f.Id = 0
			}
			return nil
		},
		"ego: unknown actor: found two states": func(m simapi.Method,
			_ *simapi.Frame) proto.Message {
			if m == simapi.Method_STEP {
				return &simapi.StepReply{SimTimeMs: 20, State: []*simapi.ActorState{ego, ego}}
			}
			return nil
		},
		"found a step to 10 ms, expected one to 20 ms": func(m simapi.Method,
			_ *simapi.Frame) proto.Message {
			if m == simapi.Method_STEP {
				return &simapi.StepReply{SimTimeMs: 10, State: []*simapi.ActorState{ego}}
			}
			return nil
		},
	} {
		address := bare(t, change)
		w, err := mocksim.New(readMap(t, straight), mocksim.Options{Step: step})
		require.NoError(t, err)
		err = foreign.Join(t.Context(), w, "tcp:secret@"+address,
			foreign.Options{Step: timebase.Every(step.Seconds())})
		if err == nil {
			err = w.Create(mocksim.Actor{Name: "ego", Start: mocksim.OnRoad("1", -1, 20)})
		}
		if err == nil {
			_, err = w.Step(step)
		}
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
		w.Close()
	}
}

// TestJoin_StepsThatDoNotFit checks servers without our checks, and children, that state steps that
// do not fit into the step of the world, and steps to other times with a fixed step.
func TestJoin_StepsThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		own, fixed float64
		want       string // "": accepted
	}{{20, 0, ""}, {0, 0, ""}, {5, 0, ""}, {0, 20, ""}, {7, 0, "7 ms of the simulator in 20 ms"},
		{40, 0, "40 ms of the simulator in 20 ms"}, {-20, 0, "-20 ms"}, {math.NaN(), 0, "NaN"},
		{math.Inf(1), 0, "+Inf"}, {1e-300, 0, "1e-300"}, {0, 7, "7 ms of"}, {20, 7, "7 ms of"},
		{20, 10, "simulation_step_size_ms is 20"}, {20, -20, "-20 ms"}, {20, math.NaN(), "NaN"}} {
		reply := &simapi.InitReply{SimulationStepSizeMs: c.own,
			Capabilities: &simapi.Capabilities{FixedStepMs: c.fixed}}
		address := "tcp:" + bare(t, func(m simapi.Method, _ *simapi.Frame) proto.Message {
			if m == simapi.Method_INIT {
				return reply
			}
			return nil
		})
		w, err := mocksim.New(readMap(t, straight), mocksim.Options{Step: step})
		require.NoError(t, err)
		err = foreign.Join(t.Context(), w, address,
			foreign.Options{Step: timebase.Every(step.Seconds())})
		if c.want == "" {
			require.NoError(t, err, "%v", c)
			_, err = w.Step(step)
			require.NoError(t, err)
			_, err = w.Step(step / 2)
			if c.fixed == 0 {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "found a step to 30 ms, expected a multiple of 20 ms")
			}
		} else {
			require.ErrorIs(t, err, simapi.Code_STEP_RATIO, "%v", c)
			require.ErrorContains(t, err, c.want)
		}
		w.Close()
	}
}
