package simapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/decoded"
	"gosmp/internal/fault"
	"gosmp/internal/gate"
	"gosmp/internal/pause"
)

// Limits of the memory for the calls of all parties. Short requests never wait for room.
const (
	largestHello = 64 << 10  // bytes of the first frame, which needs no token yet
	longestName  = 1 << 10   // bytes of the name of a party or an actor
	light        = 64 << 10  // bytes of a frame that needs no room
	mostReceived = 64 << 20  // bytes of longer frames, and of the requests that they contain
	mostDecoded  = 192 << 20 // estimated memory of decoded requests
	largestCall  = 96 << 20  // estimated memory of a decoded request
	shortReply   = 256 << 10 // bytes of a reply that needs no room
	mostReplies  = 256 << 20 // bytes of longer replies, and of their frames
	frameTime    = 10 * time.Second
)

// room is memory that the connections of a server share.
type room struct {
	mu    sync.Mutex
	left  int
	freed chan struct{} // closed when there is more room
}

func newRoom(bytes int) *room { return &room{left: bytes, freed: make(chan struct{})} }

// has takes room if there is enough.
func (r *room) has(bytes int) bool {
	return r.try(bytes) == nil
}

// try takes room, or returns a channel that is closed when there may be enough.
func (r *room) try(bytes int) (freed chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left < bytes {
		return r.freed
	}
	r.left -= bytes
	return nil
}

// take waits until there is enough room, but not beyond the end of the context.
func (r *room) take(ctx context.Context, bytes int) error {
	for {
		freed := r.try(bytes)
		if freed == nil {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (r *room) give(bytes int) {
	if bytes == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left += bytes
	close(r.freed)
	r.freed = make(chan struct{})
}

// intake reads the requests of a connection.
type intake struct {
	*FrameReader
	reads *gate.Limit
	ctx   context.Context
	room  *room
	taken int // for the frame that is being read
}

// newIntake creates a reader that admits only a hello.
func (k *link) newIntake(ctx context.Context) *intake {
	in := &intake{FrameReader: NewFrameReader(bufio.NewReaderSize(k.conn, 32<<10)),
		reads: k.reads, ctx: ctx, room: k.server.received}
	in.requests = true
	in.Limit(largestHello, nil)
	return in
}

// open admits frames of all lengths.
func (in *intake) open() { in.Limit(LargestFrame, in.reserve) }

// reserve waits for room for a long frame and its body, and limits the time for the frame.
func (in *intake) reserve(length int) error {
	in.taken = 0
	if length <= light {
		return nil
	}
	ctx, stop := pause.Within(in.ctx, frameTime)
	defer stop()
	if err := in.room.take(ctx, 2*length); err != nil {
		return fault.New(Code_BUSY, fault.At("the server"),
			fmt.Sprintf("no memory for a frame of %d bytes within %s", length, frameTime),
			"fewer long frames at a time")
	}
	in.taken = 2 * length
	in.reads.Start(frameTime)
	return nil
}

// next reads a request. The caller must return the room.
func (in *intake) next(frame *Frame) (taken int, err error) {
	err = in.Next(frame)
	taken, in.taken = in.taken, 0
	if taken == 0 {
		return 0, err
	}
	in.reads.Stop()
	in.Release()
	return taken, err
}

// decode decodes the request of a call. The caller must return the room taken in decoding.
func (k *link) decode(ctx context.Context, m Method, b []byte, request proto.Message) (taken int,
	err error) {
	if len(b) > light {
		size := decoded.Size(b, request.ProtoReflect().Type(), largestCall)
		if size >= largestCall {
			return 0, fault.New(Code_INVALID, fault.At(m.Word()),
				fmt.Sprintf("a request of %d bytes that needs more than %d MB when it is decoded",
					len(b), largestCall>>20), "fewer parts in one call")
		}
		ctx, stop := pause.Within(ctx, frameTime)
		defer stop()
		if err := k.server.decoded.take(ctx, size); err != nil {
			return 0, fault.New(Code_BUSY, fault.At(m.Word()),
				"no memory for the request within "+frameTime.String(),
				"fewer long requests at a time")
		}
		taken = size
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
