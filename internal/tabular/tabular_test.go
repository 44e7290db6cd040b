package tabular_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/tabular"
)

// TestReader_RefusesLargeRows reads rows within the limits and beyond them: one field, many fields,
// and a quoted field with many lines.
func TestReader_RefusesLargeRows(t *testing.T) {
	large := strings.Repeat("x", tabular.Longest-100)
	r := tabular.NewReader(strings.NewReader("a\n" + large + "\n" + large + "\n"))
	for _, want := range []string{"a", large, large} {
		row, err := r.Read()
		require.NoError(t, err)
		require.Equal(t, []string{want}, row)
	}
	_, err := r.Read()
	require.ErrorIs(t, err, io.EOF)
	for want, text := range map[string]string{
		"found more than 8 MB":    `"` + strings.Repeat("x\n", tabular.Longest) + `"`,
		"found 500001 columns":    strings.Repeat(",", tabular.MostColumns) + "\n",
		"expected at most 500000": "a,b\n" + strings.Repeat(",", 600_000),
	} {
		r := tabular.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		var err error
		for err == nil {
			_, err = r.Read()
		}
		require.ErrorIs(t, err, tabular.ErrRow, want)
		require.ErrorContains(t, err, want)
	}
}

// TestReader_RefusesTheRestOfALargeRow reads on after a row that is too large.
func TestReader_RefusesTheRestOfALargeRow(t *testing.T) {
	r := tabular.NewReader(strings.NewReader(strings.Repeat("x", 2*tabular.Longest) + "\na\n"))
	for range 3 {
		_, err := r.Read()
		require.ErrorIs(t, err, tabular.ErrRow)
	}
}

// TestReader_AcceptsTheLongestRow reads a row of the maximum size without a newline.
func TestReader_AcceptsTheLongestRow(t *testing.T) {
	r := tabular.NewReader(strings.NewReader(strings.Repeat("x", tabular.Longest)))
	row, err := r.Read()
	require.NoError(t, err)
	require.Len(t, row[0], tabular.Longest)
	_, err = r.Read()
	require.ErrorIs(t, err, io.EOF)
}
