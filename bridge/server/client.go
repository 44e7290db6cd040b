package server

import (
	"context"
	"errors"
	"fmt"
	"net"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/gate"
	"gosmp/simapi"
)

// Client is a connection to a [TCP] server. One goroutine may call Send and Choose, and another one
// Next.
type Client struct {
	conn   net.Conn
	frames *simapi.FrameReader
	id     uint64
}

// Dial connects to a server at HOST:PORT, or TOKEN@HOST:PORT.
func Dial(ctx context.Context, address string) (*Client, error) {
	conn, token, err := gate.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, frames: simapi.NewFrameReader(conn)}
	if token == "" {
		return c, nil
	}
	if err = c.call(simapi.Method_HELLO, &simapi.Hello{Token: token}); err == nil {
		_, _, err = c.Next()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Send sends messages to topics that go up. The server's answer is read by Next.
func (c *Client) Send(messages ...*simapi.Message) error {
	return c.call(simapi.Method_SEND_MESSAGES, &simapi.SendMessages{Message: messages})
}

// Choose names the topics whose messages the client wants; none means all. The server's answer is
// read by Next.
func (c *Client) Choose(topics ...string) error {
	return c.call(simapi.Method_GET_MESSAGES, &simapi.GetMessages{Topic: topics})
}

func (c *Client) call(m simapi.Method, request proto.Message) error {
	body, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	c.id++
	b, err := simapi.AppendFrame(nil, &simapi.Frame{Id: c.id, Method: m, Body: body})
	if err != nil {
		return err
	}
	_, err = c.conn.Write(b)
	return err
}

// Next returns the messages that have arrived since the last call, or the answer to a call, and
// waits if there is neither. An answer has no messages; its error is an [ErrClient] if the server
// has refused the call. dropped counts the messages for which this client was too slow. The error
// is io.EOF when the server has ended.
func (c *Client) Next() (messages []*simapi.Message, dropped uint64, err error) {
	frame := &simapi.Frame{}
	if err := c.frames.Next(frame); err != nil {
		return nil, 0, err
	}
	if frame.GetStatus().GetCode() != simapi.Code_OK {
		return nil, 0, fmt.Errorf("%w: %s", ErrClient, frame.GetStatus().GetMessage())
	}
	if frame.GetId() != 0 {
		return nil, 0, nil
	}
	reply := &simapi.GetMessagesReply{}
	if err := proto.Unmarshal(frame.GetBody(), reply); err != nil {
		return nil, 0, err
	}
	return reply.GetMessage(), reply.GetDropped(), nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }
