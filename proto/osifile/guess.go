package osifile

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// TypeOfName returns the message type that a file name states: by the convention of [ParseName], by
// an older convention that begins with the type (sv_312_50_1523.osi), or in words
// (ground_truth.osi, MySensorViewTrace.osi). ok is false for other names, and for names with two
// types.
func TypeOfName(path string) (t Type, ok bool) {
	if n, err := ParseName(path); err == nil {
		return n.Type, n.Type.Message != ""
	}
	base := filepath.Base(path)
	stem := strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), partMark)
	if t, ok := typeInWords(stem); ok {
		return t, true
	}
	words := strings.FieldsFunc(stem, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for _, w := range words[:min(len(words), 2)] { // the second word, after a time
		if t, ok := TypeOf(strings.ToLower(w)); ok && t.Message != "" {
			return t, true
		}
	}
	return Type{}, false
}

// typeInWords finds the only type whose full name occurs in a text, regardless of case and
// separators.
func typeInWords(text string) (found Type, ok bool) {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	types := slices.Clone(Types)
	slices.SortStableFunc(types, func(a, b Type) int { return len(b.Message) - len(a.Message) })
	for _, t := range types { // long names first, because some names are prefixes of others
		name := strings.ToLower(t.Message)
		if name == "" || !strings.Contains(letters, name) {
			continue
		}
		if ok {
			return Type{}, false
		}
		found, ok = t, true
		letters = strings.ReplaceAll(letters, name, " ")
	}
	return found, ok
}
