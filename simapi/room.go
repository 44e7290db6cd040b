package simapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/decoded"
	"gosmp/internal/fault"
	"gosmp/internal/pause"
)

// Limits of the memory for the calls of all parties. Short requests never wait for room.
const (
	largestHello = 64 << 10  // bytes of the first frame, which needs no token yet
	longestName  = 1 << 10   // bytes of the name of a party or an actor
	light        = 64 << 10  // bytes of a frame that needs no room
	mostReceived = 64 << 20  // bytes of longer frames
	mostDecoded  = 128 << 20 // estimated memory of decoded requests
	largestCall  = 96 << 20  // estimated memory of a decoded request
	shortReply   = 256 << 10 // bytes of a reply that needs no room
	mostReplies  = 64 << 20  // bytes of longer replies
	frameTime    = 10 * time.Second
	slowness     = 2 * time.Second // from when a long frame or reply gives way to others
)

// intake reads the requests of a connection.
type intake struct {
	*FrameReader
	link  *link
	ctx   context.Context
	taken *share // for the frame that is being read
}

// newIntake creates a reader that admits only a hello.
func (k *link) newIntake(ctx context.Context) *intake {
	in := &intake{FrameReader: NewFrameReader(bufio.NewReaderSize(k.conn, 32<<10)),
		link: k, ctx: ctx}
	in.requests = true
	in.Limit(largestHello, nil)
	return in
}

// open admits frames of all lengths.
func (in *intake) open() { in.Limit(LargestFrame, in.reserve) }

// reserve waits for room for a long frame, and limits the time for the frame.
func (in *intake) reserve(length int) error {
	if length <= light {
		return nil
	}
	ctx, stop := pause.Within(in.ctx, frameTime)
	defer stop()
	k := in.link
	taken, err := k.server.received.take(ctx, k.address, length, k.breakOff)
	if err != nil {
		return fault.New(Code_BUSY, fault.At("the server"),
			fmt.Sprintf("no memory for a frame of %d bytes within %s", length, frameTime),
			"fewer long frames at a time")
	}
	in.taken = taken
	k.reads.Start(frameTime)
	return nil
}

// next reads a request. The caller must return the room.
func (in *intake) next(frame *Frame) (taken *share, err error) {
	err = in.Next(frame)
	taken, in.taken = in.taken, nil
	if taken == nil {
		return nil, err
	}
	in.link.reads.Stop()
	in.Release()
	if !taken.keep() {
		err = fault.New(Code_BUSY, fault.At("the server"), fmt.Sprintf(
			"an incomplete frame of more than %d kB after %s, while others were waiting",
			light>>10, slowness), "a faster connection")
	}
	return taken, err
}

// decode decodes the request of a call. The caller must return the room taken in decoding.
func (k *link) decode(ctx context.Context, m Method, b []byte, request proto.Message) (
	taken *share, err error) {
	if len(b) > light {
		size := decoded.Size(b, request.ProtoReflect().Type(), largestCall)
		if size >= largestCall {
			return nil, fault.New(Code_INVALID, fault.At(m.Word()),
				fmt.Sprintf("a request of %d bytes that needs more than %d MB when it is decoded",
					len(b), largestCall>>20), "fewer parts in one call")
		}
		ctx, stop := pause.Within(ctx, frameTime)
		defer stop()
		taken, err = k.server.decoded.take(ctx, k.address, size, nil)
		if err != nil {
			return nil, fault.New(Code_BUSY, fault.At(m.Word()),
				"no memory for the request within "+frameTime.String(),
				"fewer long requests at a time")
		}
	}
	err = proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, request)
	if err != nil {
		return taken, fault.New(Code_INVALID, fault.At(m.Word()), "a body that is not a "+
			string(request.ProtoReflect().Descriptor().Name()), "").WithCause(err)
	}
	return taken, nil
}

// lateFrame names what was late if the time for a long frame ran out.
func lateFrame(err error) error {
	var late net.Error
	if errors.As(err, &late) && late.Timeout() && !errors.Is(err, io.EOF) {
		return fault.New(Code_TIMEOUT, fault.At("the connection"), "an incomplete frame",
			"the rest of a long frame within "+frameTime.String())
	}
	return err
}
