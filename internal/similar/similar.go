// Package similar finds the names that a user may have meant by one that does not exist.
//
// Names are similar if they are equal except for the case of ASCII letters, or if few characters
// have to be changed, added or removed: at most two, and at most half of the shorter name.
// Structured names are also similar, to a lesser degree, to their first and last part: "trace.file"
// to "trace" and "file". The running time is bounded: a name of more than 200 bytes is not similar
// to any other.
//
// Functions: [Names], [Hint], [Edits].
package similar

import (
	"slices"
	"strconv"
	"strings"
)

const (
	mostEdits   = 2
	mostNames   = 3
	longestName = 200
)

// Names lists up to three of the names that are similar to name, the most similar first.
func Names(name string, names []string) []string {
	type candidate struct {
		name  string
		edits int
	}
	var list []candidate
	for _, n := range names {
		switch d := Edits(name, n); {
		case d <= mostEdits && 2*d <= min(len(name), len(n)):
			list = append(list, candidate{n, d})
		case isPart(name, n):
			list = append(list, candidate{n, mostEdits + 1})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.edits - b.edits })
	var near []string
	for _, c := range list[:min(mostNames, len(list))] {
		near = append(near, c.name)
	}
	return near
}

// Hint returns the question `did you mean "a" or "b"?`, or "" if no name is similar.
func Hint(name string, names []string) string {
	near := Names(name, names)
	if len(near) == 0 {
		return ""
	}
	for k := range near {
		near[k] = strconv.Quote(near[k])
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// isPart reports whether a name is the first or the last part of a structured one, regardless of
// case.
func isPart(name, structured string) bool {
	n := len(structured) - len(name)
	if n < 2 || name == "" || len(structured) > longestName {
		return false
	}
	return structured[len(name)] == '.' && Edits(name, structured[:len(name)]) == 0 ||
		structured[n-1] == '.' && Edits(name, structured[n:]) == 0
}

// Edits returns the number of characters to change, add or remove to turn a into b, regardless of
// case. If it is certainly more than mostEdits, Edits returns mostEdits+1.
func Edits(a, b string) int {
	if d := len(a) - len(b); d > mostEdits || d < -mostEdits || max(len(a), len(b)) > longestName {
		return mostEdits + 1
	}
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for k := range len(b) {
			change := before
			if lower(a[i]) != lower(b[k]) {
				change++
			}
			before = row[k+1]
			row[k+1] = min(change, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
