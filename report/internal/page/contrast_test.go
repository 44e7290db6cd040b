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

// colors returns the colors of the style sheet in both themes, by name.
func colors(t *testing.T) map[string]map[string]string {
	blocks := regexp.MustCompile(`:root[^{]*\{([^}]*)\}`).FindAllStringSubmatch(style, -1)
	require.Len(t, blocks, 2, "the light theme, and what differs in the dark one")
	light, dark := map[string]string{}, map[string]string{}
	for k, b := range blocks {
		for _, m := range regexp.MustCompile(`--(\w+): (#[0-9a-f]+)`).FindAllStringSubmatch(b[1],
			-1) {
			if k == 0 {
				light[m[1]] = m[2]
			}
			dark[m[1]] = m[2]
		}
	}
	return map[string]map[string]string{"light": light, "dark": dark}
}

// rgb returns the parts of a color, from 0 to 1.
func rgb(t *testing.T, hex string) (c [3]float64) {
	digits := strings.TrimPrefix(hex, "#")
	if len(digits) == 3 {
		digits = fmt.Sprintf("%c%c%c%c%c%c", digits[0], digits[0], digits[1], digits[1],
			digits[2], digits[2])
	}
	require.Len(t, digits, 6, hex)
	for k := range c {
		n, err := strconv.ParseUint(digits[2*k:2*k+2], 16, 8)
		require.NoError(t, err)
		c[k] = float64(n) / 255
	}
	return c
}

// contrast returns the contrast ratio of WCAG 2.
func contrast(a, b [3]float64) float64 {
	luminance := func(c [3]float64) (sum float64) {
		for k, weight := range []float64{0.2126, 0.7152, 0.0722} {
			x := c[k] / 12.92
			if c[k] > 0.04045 {
				x = math.Pow((c[k]+0.055)/1.055, 2.4)
			}
			sum += weight * x
		}
		return sum
	}
	l, m := luminance(a)+0.05, luminance(b)+0.05
	return max(l, m) / min(l, m)
}

// All texts have a contrast of at least 4.5, and all shapes that mean something one of 3, in both
// themes (WCAG 2, level AA).
func TestStyle_Contrast(t *testing.T) {
	texts := []string{"ink", "soft", "link", "label", "bad", "warn", "good", "failed", "undecided",
		"host", "body", "person", "cursor"}
	shapes := []string{"lane", "line"}
	for k := range 8 {
		texts = append(texts, fmt.Sprintf("c%d", k))
	}
	for k := range 5 {
		shapes = append(shapes, fmt.Sprintf("r%d", k))
	}
	for theme, of := range colors(t) {
		check := func(least float64, names []string) {
			for _, name := range names {
				require.Contains(t, of, name)
				for _, ground := range []string{"page", "card", "ground"} {
					require.GreaterOrEqual(t, contrast(rgb(t, of[name]), rgb(t, of[ground])),
						least, "%s: %s on %s", theme, name, ground)
				}
			}
		}
		check(4.5, texts)
		check(3, shapes)
		// Names of states stand on a quarter of a color on the card.
		for k := range 8 {
			over, under := rgb(t, of[fmt.Sprintf("c%d", k)]), rgb(t, of["card"])
			for n := range over {
				over[n] = 0.25*over[n] + 0.75*under[n]
			}
			require.GreaterOrEqual(t, contrast(rgb(t, of["ink"]), over), 4.5,
				"%s: a state of color c%d", theme, k)
		}
	}
}

// Each color that a script or a page uses exists.
func TestStyle_ColorsExist(t *testing.T) {
	of := colors(t)["light"]
	used := regexp.MustCompile(`color\("(\w+)"\)|var\(--(\w+)\)`)
	files := []string{style}
	entries, err := kitFiles.ReadDir("kit")
	require.NoError(t, err)
	for _, e := range entries {
		text, err := kitFiles.ReadFile("kit/" + e.Name())
		require.NoError(t, err)
		files = append(files, string(text))
	}
	for _, text := range files {
		for _, m := range used.FindAllStringSubmatch(text, -1) {
			if name := m[1] + m[2]; name != "map" && name != "wide" { // not colors
				require.Contains(t, of, name)
			}
		}
	}
}
