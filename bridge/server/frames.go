package server

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"time"
)

// Frames without content: pings, pongs and fragments of messages. No viewer or library sends
// nearly as many, so a client that does is disconnected.
const (
	mostControls  = 1_000 // control frames in a period
	mostFragments = 4_096 // fragments of one message
	period        = 10 * time.Second
)

// errFlood ends the connection of a client that floods the server.
var errFlood = errors.New("more control frames or fragments than a client may send")

// framed is the connection of a WebSocket. It counts the frames that a client sends, and makes the
// client wait when they use up its share. The library answers control frames and joins fragments
// without returning, and allocates for each of them, so that many clients that send frames without
// content could otherwise produce garbage faster than it is collected.
type framed struct {
	net.Conn
	pace   *pace
	first  []byte // received together with the request
	scan   frameScan
	debt   int       // price of the frames that the last Read returned
	begin  time.Time // of the current period
	late   int       // bytes received since the server began to close
	failed bool
}

// Read first waits until the share allows for the frames of the previous Read.
func (f *framed) Read(p []byte) (n int, err error) {
	if f.failed {
		return 0, errFlood
	}
	if f.debt > 0 {
		f.pace.wait(f.debt)
	}
	if len(f.first) > 0 {
		n = copy(p, f.first)
		f.first = f.first[n:]
	} else {
		n, err = f.Conn.Read(p)
	}
	f.debt = f.scan.count(p[:n]) * costIn
	if f.flooded(n) {
		f.failed = true
		return 0, errFlood
	}
	return n, err
}

// flooded reports whether a client has exceeded a limit with the n bytes that have just arrived.
// When the server closes, nothing limits the rate any more, and all that matters is the answer to
// the close frame, which follows what was already on its way.
func (f *framed) flooded(n int) bool {
	select {
	case <-f.pace.over:
		f.late += n
	default:
	}
	if now := time.Now(); now.Sub(f.begin) > period {
		f.begin, f.scan.controls = now, f.scan.recent
	}
	f.scan.recent = 0
	return f.late > largestInput || f.scan.controls > mostControls ||
		f.scan.fragments > mostFragments
}

// frameScan finds the frames in the bytes of a client.
type frameScan struct {
	controls  int             // control frames of the current period
	recent    int             // those among them that the last call of count found
	fragments int             // of the current message, without the first one
	head      [2 + 8 + 4]byte // begins with what has arrived of the current header
	filled    int
	payload   uint64 // bytes of the current frame that are still to come
}

// count returns the number of frames whose headers end in b, which continues what came before.
func (s *frameScan) count(b []byte) (frames int) {
	for len(b) > 0 {
		if s.payload > 0 {
			skip := min(s.payload, uint64(len(b)))
			s.payload -= skip
			b = b[skip:]
			continue
		}
		n := copy(s.head[s.filled:s.size()], b)
		s.filled += n
		b = b[n:]
		if s.filled == s.size() {
			s.payload = s.length()
			s.filled = 0
			s.classify()
			frames++
		}
	}
	return frames
}

// classify counts the frame whose header is complete.
func (s *frameScan) classify() {
	switch opcode := s.head[0] & 0x0F; {
	case opcode >= 8:
		s.controls++
		s.recent++
	case opcode == 0:
		s.fragments++
	default:
		s.fragments = 0
	}
}

// size returns the length of the current header as far as it is known.
func (s *frameScan) size() int {
	if s.filled < 2 {
		return 2
	}
	size := 2
	switch s.head[1] & 0x7F {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if s.head[1]&0x80 != 0 {
		size += 4 // the mask
	}
	return size
}

// length returns the length of the payload.
func (s *frameScan) length() uint64 {
	switch n := s.head[1] & 0x7F; n {
	case 126:
		return uint64(binary.BigEndian.Uint16(s.head[2:]))
	case 127:
		return binary.BigEndian.Uint64(s.head[2:])
	default:
		return uint64(n)
	}
}

// hijacker gives the library a connection that counts frames.
type hijacker struct {
	http.ResponseWriter
	pace *pace
}

// Hijack implements [http.Hijacker].
func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	first, err := buffers.Peek(buffers.Reader.Buffered())
	if err != nil {
		return nil, nil, err
	}
	f := &framed{Conn: conn, pace: h.pace, first: bytes.Clone(first)}
	buffers.Reader.Reset(f)
	return f, buffers, nil
}
