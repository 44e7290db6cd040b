//go:build linux

package clients

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// viewers are the clients of a WebSocket.
var viewers = []func(ctx context.Context, address string){
	talks(websocket.MessageBinary, publication(16)), // harmless by itself
	talks(websocket.MessageBinary, publication(1<<20-64)),
	talks(websocket.MessageBinary, publication(16<<20)),
	talks(websocket.MessageText, []byte(strings.Repeat("[", 1<<20))),
	talks(websocket.MessageText, subscription),
	deaf, visits, mumbles,
}

var subscription = []byte(`{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 1},
{"id": 2, "channelId": 2}, {"id": 3, "channelId": 0}]}`)

// publication returns a message with a text for the channel that talks advertises.
func publication(length int) []byte {
	b := []byte{1, 1, 0, 0, 0, 0, 1, 0, 0}
	b = binary.LittleEndian.AppendUint32(b, uint32(length))
	b = append(b, bytes.Repeat([]byte("x"), length-1)...)
	return append(b, 0)
}

func connect(ctx context.Context, address string) *websocket.Conn {
	conn, _, err := websocket.Dial(ctx, "ws://"+address, //nolint:bodyclose // the library closes it
		&websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}})
	if err != nil {
		return nil
	}
	return conn
}

// talks sends a message as often as it can, and reconnects when it is disconnected.
func talks(kind websocket.MessageType, message []byte) func(context.Context, string) {
	return func(ctx context.Context, address string) {
		for ctx.Err() == nil {
			conn := connect(ctx, address)
			if conn == nil {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			conn.SetReadLimit(-1)
			go func() {
				for {
					if _, _, err := conn.Read(ctx); err != nil {
						return
					}
				}
			}()
			err := conn.Write(ctx, websocket.MessageText, []byte(`{"op": "advertise", "channels":
			[{"id": 1, "topic": "/text", "encoding": "cdr", "schemaName": "std_msgs/msg/String"}]}`))
			for err == nil {
				err = conn.Write(ctx, kind, message)
			}
			_ = conn.CloseNow()
		}
	}
}

// deaf subscribes to everything and reads nothing.
func deaf(ctx context.Context, address string) {
	for ctx.Err() == nil {
		if conn := connect(ctx, address); conn != nil {
			_ = conn.Write(ctx, websocket.MessageText, subscription)
			select {
			case <-ctx.Done():
			case <-time.After(15 * time.Second):
			}
			_ = conn.CloseNow()
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// visits connects and disconnects.
func visits(ctx context.Context, address string) {
	for ctx.Err() == nil {
		if conn := connect(ctx, address); conn != nil {
			_ = conn.CloseNow()
		}
	}
}

// mumbles sends bytes that are not a request, one now and then.
func mumbles(ctx context.Context, address string) {
	for ctx.Err() == nil {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		for err == nil && ctx.Err() == nil {
			_, err = conn.Write([]byte("G"))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
