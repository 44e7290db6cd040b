package run

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
)

// TestProgram_InterruptedBeforeItAnswers: a run that is interrupted while it connects to a program
// ends as it does when it is interrupted later; the program has not failed.
func TestProgram_InterruptedBeforeItAnswers(t *testing.T) {
	for _, address := range []string{"tcp:127.0.0.1:1", "tls:127.0.0.1:1"} {
		part, err := newProgram("--sut", address, &Options{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err = part.Other.(*program).Enter(ctx, cosim.Setup{})
		require.Equal(t, context.Canceled, err)
	}
}
