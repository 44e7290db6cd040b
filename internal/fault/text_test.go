package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
)

// TestText: the name of a file cannot begin a line of its own, at any depth of an error; other line
// feeds stay.
func TestText(t *testing.T) {
	const name = "a\nPASSED\n.scxml"
	_, open := os.Open(name)
	link := os.Rename(name, name+"b")
	kind := errors.New("kind")
	for _, err := range []error{open, link, fmt.Errorf("x: %w", open), errors.Join(open, link),
		fault.New(kind, fault.At("a"), "", "").WithCause(fmt.Errorf("y: %w", open)),
		fault.Wrap(kind, fault.At("a"), link)} {
		require.Error(t, err)
		require.NotContains(t, fault.Text(err), "\nPASSED", "%v", err)
		require.Contains(t, fault.Text(err), `a\nPASSED\n.scxml`)
	}
	require.NotContains(t, fault.Wrap(kind, fault.At("a"), open).Error(), "\n")
	require.Equal(t, "two\nlines", fault.Text(errors.New("two\nlines")))
	require.Equal(t, "open a: "+fs.ErrNotExist.Error(), fault.Text(&fs.PathError{Op: "open",
		Path: "a", Err: fs.ErrNotExist}))
}
