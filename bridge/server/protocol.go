package server

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"gosmp/bridge"
	"gosmp/internal/fault"
)

// The subprotocols of viewers, which have the same messages.
const (
	subprotocolSDK = "foxglove.sdk.v1"
	subprotocolWeb = "foxglove.websocket.v1"
)

// Codes of binary messages.
const (
	codeData       = 1 // of server and client
	codeTime       = 2 // of the server
	dataHead       = 1 + 4 + 8
	clientDataHead = 1 + 4
)

// Levels of a status.
const (
	levelWarning = 1
	levelError   = 2
)

// encodingJSON is the message encoding that clients may use in addition to the system's own.
const encodingJSON = "json"

// mostNested bounds the nesting of a JSON text from a client, because decoding it takes memory for
// each open bracket.
const mostNested = 100

// checkNesting refuses a JSON text that nests too deeply.
func checkNesting(b []byte) error {
	open, quoted := 0, false
	for k := 0; k < len(b); k++ {
		switch c := b[k]; {
		case quoted && c == '\\':
			k++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if open++; open > mostNested {
				return fault.New(ErrClient, fault.At(fmt.Sprintf("byte %d", k)),
					fmt.Sprintf("more than %d open brackets", mostNested), "fewer")
			}
		case c == ']' || c == '}':
			open--
		}
	}
	return nil
}

// mostAdvertised bounds the channels of one client.
const mostAdvertised = 1024

type serverInfo struct {
	Op                 string            `json:"op"`
	Name               string            `json:"name"`
	Capabilities       []string          `json:"capabilities"`
	SupportedEncodings []string          `json:"supportedEncodings,omitempty"`
	Metadata           map[string]string `json:"metadata,omitempty"`
}

type advertise struct {
	Op       string    `json:"op"`
	Channels []channel `json:"channels"`
}

type channel struct {
	ID             uint32 `json:"id"`
	Topic          string `json:"topic"`
	Encoding       string `json:"encoding"`
	SchemaName     string `json:"schemaName"`
	Schema         string `json:"schema"`
	SchemaEncoding string `json:"schemaEncoding"`
}

type status struct {
	Op      string `json:"op"`
	Level   int    `json:"level"`
	Message string `json:"message"`
}

// request is any text message from a client. Each op uses some of the fields.
type request struct {
	Op            string `json:"op"`
	Subscriptions []struct {
		ID        uint32 `json:"id"`
		ChannelID uint32 `json:"channelId"`
	} `json:"subscriptions"`
	SubscriptionIDs []uint32  `json:"subscriptionIds"`
	Channels        []channel `json:"channels"`
	ChannelIDs      []uint32  `json:"channelIds"`
}

// text encodes a server message as JSON.
func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // the types above can always be encoded
		panic(err)
	}
	return b
}

// greeting returns the first messages for a client: the capabilities of the server, and its
// channels. The caller holds the lock.
func (h *hub) greeting(looks bool) (info, channels []byte) {
	i := serverInfo{Op: "serverInfo", Name: h.options.Name, Capabilities: []string{"time"}}
	if h.options.Receive != nil && !looks {
		i.Capabilities = []string{"clientPublish", "time"}
		i.SupportedEncodings = []string{h.config.System.Encoding(), encodingJSON}
	}
	switch h.config.System { // viewers obtain their table of common types from it
	case bridge.ROS1:
		i.Metadata = map[string]string{"ROS_DISTRO": "noetic"}
	case bridge.ROS2:
		i.Metadata = map[string]string{"ROS_DISTRO": "humble"}
	}
	a := advertise{Op: "advertise", Channels: []channel{}}
	system := h.config.System
	for k, t := range h.topics {
		a.Channels = append(a.Channels,
			channel{ID: uint32(k), Topic: t.Name, Encoding: system.Encoding(),
				SchemaName:     system.SchemaName(t.Message),
				Schema:         h.config.Definitions.Schema(t.Message),
				SchemaEncoding: system.SchemaEncoding()})
	}
	for _, o := range h.offers {
		a.Channels = append(a.Channels, o.channel)
	}
	return text(i), text(a)
}

// appendData appends a data message of the server.
func appendData(b []byte, subscription uint32, timeNs uint64, payload []byte) []byte {
	b = append(b, codeData)
	b = binary.LittleEndian.AppendUint32(b, subscription)
	b = binary.LittleEndian.AppendUint64(b, timeNs)
	return append(b, payload...)
}

// appendTime appends a time message of the server.
func appendTime(b []byte, timeNs uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, codeTime), timeNs)
}

// clientData parses a binary message from a client.
func clientData(b []byte) (channel uint32, payload []byte, err error) {
	switch {
	case len(b) == 0:
		return 0, nil, fault.New(ErrClient, fault.At("byte 0"), "an empty message",
			"code 1, message data")
	case b[0] != codeData:
		return 0, nil, fault.New(ErrClient, fault.At("byte 0"), fmt.Sprintf("code %d", b[0]),
			"1, message data")
	case len(b) < clientDataHead:
		return 0, nil, fault.New(ErrClient, fault.At(fmt.Sprintf("byte %d", len(b))),
			fmt.Sprintf("%d bytes", len(b)), "a channel of 4 bytes after the code")
	}
	return binary.LittleEndian.Uint32(b[1:]), b[clientDataHead:], nil
}
