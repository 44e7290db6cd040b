package gate

import (
	"encoding/binary"
	"net"
	"syscall"
)

// gone reports whether the other side has ended a connection, even if there is something to read. A
// client that has only ended its own direction, to wait for the answer, looks the same; it has to
// connect again. Unread bytes are no reason to keep a connection: whoever connects, sends a byte
// and leaves would take turns from clients that are there.
func gone(conn net.Conn) (ended bool) {
	has, is := conn.(syscall.Conn)
	if !is {
		return false
	}
	raw, err := has.SyscallConn()
	if err != nil {
		return false
	}
	const closed, closeWait = 7, 8 // of the states of a connection in linux/tcp.h
	err = raw.Control(func(fd uintptr) {
		n, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)
		state := binary.NativeEndian.AppendUint32(nil, uint32(n))[0] // the first byte of tcp_info
		ended = err == nil && (state == closed || state == closeWait)
	})
	return ended && err == nil
}
