package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWrite_NamesFromFiles: control characters in texts do not reach the browser unchanged, and
// data for scripts keeps its meaning.
func TestWrite_NamesFromFiles(t *testing.T) {
	const name = "a\x1b[31m\u202eb"
	var b strings.Builder
	require.NoError(t, Write(&b, `<p>{{.}}</p><script>x = {{json .}}</script>`, name))
	require.Equal(t, `<p>a\u001b[31m\u202eb</p><script>x = "a\u001b[31m\u202eb"</script>`, b.String())
}
