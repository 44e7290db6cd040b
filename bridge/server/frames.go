package server

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net"
	"net/http"
)

// framed is the connection of a WebSocket. It counts the frames that a client sends, and makes the
// client wait when they use up its share. The library answers control frames and joins fragments
// without returning, and allocates for each of them, so that many clients that send frames without
// content could otherwise produce garbage faster than it is collected.
type framed struct {
	net.Conn
	pace  *pace
	first []byte // received together with the request
	scan  frameScan
	debt  int // price of the frames that the last Read returned
}

// Read first waits until the share allows for the frames of the previous Read.
func (f *framed) Read(p []byte) (n int, err error) {
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
	return n, err
}

// frameScan finds the frames in the bytes of a client.
type frameScan struct {
	head    [2 + 8 + 4]byte // begins with what has arrived of the current header
	filled  int
	payload uint64 // bytes of the current frame that are still to come
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
			frames++
		}
	}
	return frames
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
