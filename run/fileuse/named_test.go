package fileuse

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamed_MissesNoFile compares the search with a simple one on random files that name each
// other: every word of every text is tried in the folder of every text, until nothing is found.
func TestNamed_MissesNoFile(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	chains := 0
	for round := range 60 {
		dir := t.TempDir()
		var names []string
		for k := range 3 + rng.IntN(8) {
			folder := []string{".", "a", "a/deep", "b", "c"}[rng.IntN(5)]
			names = append(names, filepath.Join(dir, folder, fmt.Sprintf("f %d.txt", k)))
		}
		for _, name := range names {
			write(t, name, randomText(rng, name, names))
		}
		expected := simply(names[0])
		require.ElementsMatch(t, expected, Named(names[0]), "round %d", round)
		if len(expected) > 2 {
			chains++
		}
	}
	require.Greater(t, chains, 10)
}

// randomText names files relative to its own folder or to the folder of another file, in quotes that
// may span lines, between tags, and as words.
func randomText(rng *rand.Rand, file string, names []string) string {
	var b strings.Builder
	for range 1 + rng.IntN(6) {
		from, to := file, names[rng.IntN(len(names))]
		if rng.IntN(2) == 0 {
			from = names[rng.IntN(len(names))]
		}
		path, _ := filepath.Rel(filepath.Dir(from), to) // both are absolute
		form := []string{"<x>%s</x>\n", "\"%s\"", "a: '%s', b\n", "x \"\n%s\n\" y\n", "1, 2\nno file\n",
			"<y z=\"1\"/>\n", "f%.0s1 \"\n\n", "' %s"}[rng.IntN(8)]
		if strings.Contains(form, "%") {
			form = fmt.Sprintf(form, filepath.ToSlash(path))
		}
		b.WriteString(form)
	}
	return b.String()
}

// simply returns the files that a file names, without hints.
func simply(file string) (list []string) {
	known, folders := map[string]bool{file: true}, map[string]bool{filepath.Dir(file): true}
	for grown := true; grown; {
		grown = false
		for _, text := range append([]string{file}, list...) {
			content := textOf(text, 1<<16)
			candidates := slices.Collect(words(content, &hints{every: true}))
			for _, quote := range []string{`"`, "'"} {
				for _, part := range strings.Split(content, quote)[1:] {
					candidates = append(candidates, strings.TrimSpace(part))
				}
			}
			for _, word := range candidates {
				for folder := range folders {
					path := filepath.Join(folder, filepath.FromSlash(word))
					if exists(path) == nil || known[path] {
						continue
					}
					known[path], grown = true, true
					list = append(list, path)
					folders[filepath.Dir(path)] = true
				}
			}
		}
	}
	return list
}

// TestNamed_ManyFolders checks that texts in more folders than names are looked up in still name
// files relative to their own folders, but not relative to a folder that was found too late.
func TestNamed_ManyFolders(t *testing.T) {
	dir := t.TempDir()
	folder := func(k int) string { return fmt.Sprintf("folder%d", k) }
	const many = mostFolders + 20
	var expected []string
	for k := range many {
		text := fmt.Sprintf("../%s/text.txt late.txt", folder(k+1))
		write(t, filepath.Join(dir, folder(k), "text.txt"), text)
		if k > 0 {
			expected = append(expected, filepath.Join(dir, folder(k), "text.txt"))
		}
	}
	late := filepath.Join(dir, folder(many), "late.txt")
	write(t, late, "")
	write(t, filepath.Join(dir, folder(many), "text.txt"), "no file")
	expected = append(expected, filepath.Join(dir, folder(many), "text.txt"))
	require.ElementsMatch(t, expected, Named(filepath.Join(dir, folder(0), "text.txt")))
	write(t, filepath.Join(dir, folder(many), "text.txt"), "late.txt")
	require.ElementsMatch(t, append(expected, late),
		Named(filepath.Join(dir, folder(0), "text.txt")))
}

// TestNamed_LargeTexts checks that texts that are too large to be kept are searched again for files
// in folders that are found later.
func TestNamed_LargeTexts(t *testing.T) {
	dir := t.TempDir()
	const many = 4
	filler := strings.Repeat(" ", mostKept/3)
	var expected []string
	for k := range many {
		name := fmt.Sprintf("text%d.xml", k)
		text := fmt.Sprintf("text%d.xml late%d.txt\n%s", k+1, k, filler)
		write(t, filepath.Join(dir, name), text)
		late := filepath.Join(dir, "later", fmt.Sprintf("late%d.txt", k))
		write(t, late, "")
		expected = append(expected, late)
		if k > 0 {
			expected = append(expected, filepath.Join(dir, name))
		}
	}
	write(t, filepath.Join(dir, fmt.Sprintf("text%d.xml", many)), "later/last.txt")
	write(t, filepath.Join(dir, "later/last.txt"), "no file")
	expected = append(expected, filepath.Join(dir, fmt.Sprintf("text%d.xml", many)),
		filepath.Join(dir, "later/last.txt"))
	require.ElementsMatch(t, expected, Named(filepath.Join(dir, "text0.xml")))
}
