// Package gatetest tests servers with clients that misbehave.
//
// Function: [Unfinished].
package gatetest

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Unfinished sends each text over a connection of its own, and waits until the server closes it: a
// client that does not complete its request must not keep its connection.
func Unfinished(t *testing.T, address string, texts ...string) {
	t.Helper()
	var all sync.WaitGroup
	for _, text := range texts {
		all.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err == nil {
				_, err = io.WriteString(conn, text)
			}
			if err == nil {
				_, err = io.Copy(io.Discard, conn)
			}
			if !errors.Is(err, syscall.ECONNRESET) { // the server has not read everything
				assert.NoError(t, err, text)
			}
		})
	}
	all.Wait()
}
