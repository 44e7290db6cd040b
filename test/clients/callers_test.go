//go:build linux

package clients

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"time"

	"gosmp/bridge/server"
	"gosmp/simapi"
)

// callers are the clients over TCP.
var callers = []func(ctx context.Context, address string){
	sends(1, 16), // harmless by itself
	sends(1, 1<<20-64), sends(1000, 16), sends(1, 16<<20-64),
	asks, sleeps, calls(nil), mumbles,
	polls(0), polls(20 * time.Millisecond),
	calls(append([]byte{0, 0, 0, 1}, bytes.Repeat([]byte{0x0a}, 1<<24)...)), // nested to the end
	calls(binary.LittleEndian.AppendUint32(nil, 1<<32-1)),
}

// served connects again and again. It reads what arrives, while use sends.
func served(ctx context.Context, address string, use func(*server.Client) error) {
	for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		c, err := server.Dial(ctx, address)
		if err != nil {
			continue
		}
		go func() {
			for err := error(nil); err == nil; {
				_, _, err = c.Next()
			}
		}()
		for err == nil && ctx.Err() == nil {
			err = use(c)
		}
		_ = c.Close()
	}
}

// sends calls the server as often as it can, with many messages in a call.
func sends(many, length int) func(context.Context, string) {
	messages := make([]*simapi.Message, many)
	for k := range messages {
		messages[k] = &simapi.Message{Topic: "/text", Type: "std_msgs/String",
			Cdr: publication(length)[5:]}
	}
	return func(ctx context.Context, address string) {
		served(ctx, address, func(c *server.Client) error { return c.Send(messages...) })
	}
}

// asks chooses topics as often as it can.
func asks(ctx context.Context, address string) {
	served(ctx, address, func(c *server.Client) error { return c.Choose("/imu", "/objects", "/text") })
}

// polls asks for messages again and again, with a pause, and never reads.
func polls(pause time.Duration) func(context.Context, string) {
	return func(ctx context.Context, address string) {
		for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
			c, err := server.Dial(ctx, address)
			for ; err == nil && ctx.Err() == nil; err = c.Choose() {
				time.Sleep(pause)
			}
			if c != nil {
				_ = c.Close()
			}
		}
	}
}

// sleeps never reads.
func sleeps(ctx context.Context, address string) {
	for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		c, err := server.Dial(ctx, address)
		if err != nil {
			continue
		}
		_ = c.Choose()
		select {
		case <-ctx.Done():
		case <-time.After(15 * time.Second):
		}
		_ = c.Close()
	}
}

// calls sends bytes and disconnects.
func calls(b []byte) func(context.Context, string) {
	return func(ctx context.Context, address string) {
		for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
			if err != nil {
				continue
			}
			_, _ = conn.Write(b)
			_ = conn.Close()
		}
	}
}
