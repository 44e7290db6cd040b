package simapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
)

// ServeStream serves one director over a pair of streams, such as the standard input and output of
// a child: each call is answered when it has been carried out, and start_simulation when the
// simulation is ready. It returns nil at the end of r.
func (v *Server) ServeStream(ctx context.Context, r io.Reader, w io.Writer) error {
	s := &stream{server: v}
	if err := s.connect(); err != nil {
		return err
	}
	defer func() { _ = s.client.Close() }() // the server continues without it
	frames := NewFrameReader(bufio.NewReader(r))
	var frame Frame
	var buffer []byte
	for {
		switch err := frames.Next(&frame); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		reply, err := s.relay(ctx, &frame)
		answer := &Frame{Id: frame.GetId(), Method: frame.GetMethod(),
			Status: statusOf(err, s.client.Warnings())}
		if err == nil {
			if answer.Body, err = proto.Marshal(reply); err != nil {
				return err
			}
		}
		if buffer, err = AppendFrame(buffer[:0], answer); err != nil {
			return err
		}
		if _, err := w.Write(buffer); err != nil {
			return fmt.Errorf("answer a call: %w", err)
		}
	}
}

// stream is a director over a pair of streams.
type stream struct {
	server *Server
	client *Client
}

// connect starts over: it ends everything that the previous director started.
func (s *stream) connect() (err error) {
	v := s.server
	if s.client != nil {
		_ = s.client.Close() // the result is not needed
		v.turn <- struct{}{}
		v.cleanUp()
		<-v.turn
	}
	s.client, err = v.Connect("director", Role_SSP)
	return err
}

// relay makes the call in a frame. Each step of the director is one step, regardless of the number
// of simulator steps, and the director may call init again.
func (s *stream) relay(ctx context.Context, frame *Frame) (proto.Message, error) {
	m := frame.GetMethod()
	switch m {
	case Method_HELLO:
		return &HelloReply{Api: API, Name: s.server.config.Name}, nil
	case Method_INIT:
		if err := s.connect(); err != nil {
			return nil, err
		}
	}
	c := s.client
	if !m.known() {
		return nil, &Error{Place: fault.At(fmt.Sprintf("method %d", int32(m))),
			Kind: Code_NOT_SUPPORTED}
	}
	request := table[m].request.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(frame.GetBody(), request); err != nil {
		return nil, &Error{Place: fault.At(m.Word()), Kind: Code_INVALID, Cause: err}
	}
	reply, err := c.Call(ctx, m, request)
	switch {
	case err != nil:
	case m == Method_START_SIMULATION:
		err = c.WaitStartSimulation(ctx, &WaitStartSimulation{MaxWaitMs: 60_000})
	case m == Method_INIT:
		reply.(*InitReply).SimulationStepSizeMs = request.(*Init).GetStepSizeMs()
	}
	return reply, err
}
