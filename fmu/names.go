package fmu

import "strings"

// The checks of names are written out, because package regexp would make up a tenth of the core that importers load.

// structuredName says whether name follows the structured naming convention (FMI 2.0, 2.2.9) without derivatives: identifiers,
// each with optional indices as in a[1,2], joined by dots.
func structuredName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		base, indices, indexed := strings.Cut(part, "[")
		if !identifier(base) || indexed && !indexList(indices) {
			return false
		}
	}
	return true
}

// identifier says whether name is one in C and in FMI.
func identifier(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// indexList says whether text is what follows the bracket of an index: positive numbers, commas, and the closing bracket.
func indexList(text string) bool {
	numbers, closed := strings.CutSuffix(text, "]")
	for number := range strings.SplitSeq(numbers, ",") {
		if number == "" || number[0] == '0' || strings.ContainsFunc(number, notDigit) {
			return false
		}
	}
	return closed
}

func notDigit(c rune) bool { return c < '0' || c > '9' }
