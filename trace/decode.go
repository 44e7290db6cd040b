package trace

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/internal/decoded"
	"gosmp/internal/fault"
)

// maxDecoded bounds the memory of a decoded message. A nested message without content takes two
// bytes in a file, but hundreds once it is decoded.
const maxDecoded = 2 << 30

// alwaysAffordable is the size of messages that need not be examined, because each byte decodes to
// at most 1 kB.
const alwaysAffordable = maxDecoded >> 10

// Unmarshal decodes a message like proto.Unmarshal, but fails with [ErrContent] if it would need
// too much memory.
func Unmarshal(b []byte, m proto.Message) error {
	if err := affordable(b, m.ProtoReflect().Type()); err != nil {
		return err
	}
	return proto.Unmarshal(b, m)
}

// Affordable returns the error that [Decoder.Decode] returns for a message that needs too much
// memory.
func (d *Decoder) Affordable(m *Message) error {
	if len(m.Data) < alwaysAffordable {
		return nil
	}
	t, err := d.Type(m.Channel)
	if err != nil {
		return err
	}
	if err := affordable(m.Data, t); err != nil {
		return undecodable(m, err)
	}
	return nil
}

// affordableText returns an error if a message in JSON or in protobuf's text format would need too
// much memory. In text, a nested message takes at least three bytes.
func affordableText(b []byte) error {
	const most = maxDecoded >> 8
	if len(b) < 2*most || bytes.Count(b, []byte("{"))+bytes.Count(b, []byte("<")) < most {
		return nil
	}
	return fault.New(ErrContent, fault.Place{}, fmt.Sprintf("more than %d nested messages", most),
		"fewer").WithHint("divide the message, or remove its empty parts")
}

// affordable returns an error if a decoded message would need more than [maxDecoded].
func affordable(b []byte, t protoreflect.MessageType) error {
	if len(b) < alwaysAffordable {
		return nil
	}
	if decoded.Size(b, t, maxDecoded) < maxDecoded {
		return nil
	}
	return fault.New(ErrContent, fault.Place{},
		fmt.Sprintf("a message of %d bytes that needs more than %d MB when it is decoded", len(b),
			maxDecoded>>20), "fewer nested messages").
		WithHint("divide it, or remove its empty parts")
}
