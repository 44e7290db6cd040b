package page

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/report/internal/pagetest"
)

func TestPage_LooksAsBefore(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, Write(&text, whole, drive()))
	pagetest.LooksAsBefore(t, text.Bytes(), 1040)
}
