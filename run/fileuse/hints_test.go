package fileuse

import (
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHints_MissNoPath compares the words of random texts with and without hints: only words are
// left out that no known folder can contain.
func TestHints_MissNoPath(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"Maps/deep/road.xodr", "a", "cars.xosc", "grün.bibi", ".hidden"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), "")
	}
	fragments := []string{"Maps/deep/", "road", "a", "A", "cars.xosc", "gr\\u00fcn.bibi", "grün.bibi", "file:",
		"![CDATA[", "]]>", ".hidden", "./", "../", ".", "/", "//", "/etc/x", "/e", "%61", "&#97;", "b", "tag", "1.5",
		" ", "\t", "\n", "\"", "'", "<", ">", "=", ",", ";", "[", "]", "{", "}", ": ", "- ", " #", "\u00a0", "\\"}
	here, kept, left := look(dir), 0, 0
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text strings.Builder
		for range 1 + rng.IntN(12) {
			text.WriteString(fragments[rng.IntN(len(fragments))])
		}
		h := hintsOf([]nearby{here})
		h.root = hintsOf([]nearby{root()})
		hinted := maps.Collect(pairs(words(text.String(), h)))
		for word := range words(text.String(), &hints{every: true}) {
			path := filepath.FromSlash(word)
			switch {
			case hinted[word]:
				kept++
			case path == "", filepath.IsAbs(path) && path == filepath.Dir(path), !here.mayLead(path):
				left++
			default:
				require.Failf(t, "left out", "%q of %q", word, text.String())
			}
		}
	}
	require.Greater(t, kept, 1000)
	require.Greater(t, left, 1000)
	require.True(t, hintsOf([]nearby{here, {}}).every, "a folder that may contain any name")
}

// TestHints_Lines: lines without names are recognized as such.
func TestHints_Lines(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cars.xosc"), "")
	h := hintsOf([]nearby{look(dir)})
	h.root = hintsOf([]nearby{{names: map[string]bool{"data": true}}})
	for _, line := range []string{`<Entry name="x" value="0.5"/>`, "</Entry>", "  <Act/>\n", "",
		"<cars.xos>"} {
		require.False(t, h.line(line), line)
	}
	for _, line := range []string{`<x file="Cars.xosc"/>`, `<x file="/data/y"/>`, "file: ../x", "é"} {
		require.True(t, h.line(line), line)
	}
	require.True(t, slices.Contains(Named(write(t, filepath.Join(dir, "t.txt"), "x\ny cars.xosc")),
		filepath.Join(dir, "cars.xosc")))
	require.True(t, slices.Contains(Named(write(t, filepath.Join(dir, "p.yaml"),
		"PKW: cars.xosc\n")), filepath.Join(dir, "cars.xosc")), "a text that begins like an archive")
}

func pairs(words func(func(string) bool)) func(func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		for word := range words {
			if !yield(word, true) {
				return
			}
		}
	}
}
