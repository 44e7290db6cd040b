package trace_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
	"gosmp/trace"
)

func TestInFile(t *testing.T) {
	message := fault.New(trace.ErrContent, fault.At("channel /a, 3 s"), "3 bytes", "a message")
	require.EqualError(t, trace.InFile("a.osi", message), "a.osi: channel /a, 3 s: message that "+
		"cannot be decoded: found 3 bytes, expected a message")
	require.NotContains(t, message.Error(), "a.osi")
	for _, same := range []error{nil, errors.New("other"), fmt.Errorf("b.osi: %w", message),
		fault.New(trace.ErrContent, fault.In("b.osi"), "", ""),
		fault.New(trace.ErrChannel, fault.At("--channel"), "", "")} {
		require.Equal(t, same, trace.InFile("a.osi", same))
	}
}
