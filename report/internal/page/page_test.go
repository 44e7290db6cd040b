package page

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
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

// luminance returns the relative luminance of a color as defined by WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = fmt.Sprintf("%[1]c%[1]c%[2]c%[2]c%[3]c%[3]c", hex[0], hex[1], hex[2])
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	require.NoError(t, err)
	part := func(shift uint) float64 {
		x := float64(n>>shift&0xff) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

// TestStyle_Contrast: texts have the contrast required by WCAG 2 (AA, 4.5), in light and dark mode.
func TestStyle_Contrast(t *testing.T) {
	light, dark, found := strings.Cut(style, "@media (prefers-color-scheme: dark)")
	require.True(t, found)
	for _, theme := range []string{light, strings.SplitN(dark, "\n  body", 2)[0]} {
		colors := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+): #(\w+)`).FindAllStringSubmatch(theme, -1) {
			colors[m[1]] = luminance(t, m[2])
		}
		for _, text := range []string{"ink", "soft", "link", "bad", "warn", "good", "label"} {
			for _, ground := range []string{"page", "card", "ground"} {
				a, b := colors[text], colors[ground]
				contrast := (math.Max(a, b) + 0.05) / (math.Min(a, b) + 0.05)
				require.GreaterOrEqual(t, contrast, 4.5, "%s on %s", text, ground)
			}
		}
	}
}
