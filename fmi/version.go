package fmi

import (
	"errors"
	"strconv"
	"strings"

	"gosmp/internal/fault"
)

// ErrWord is wrapped by all errors of the Parse functions. It reports a word or a value that the
// standard does not define.
var ErrWord = errors.New("not a word of FMI")

// Version is a major version of FMI.
type Version int

// The versions. FMI 1.0 is only read, never written.
const (
	FMI1 Version = 1 // 1.0
	FMI2 Version = 2 // 2.0
	FMI3 Version = 3 // 3.0
)

// String returns a text such as "FMI 2.0".
func (v Version) String() string { return "FMI " + strconv.Itoa(int(v)) + ".0" }

// ParseVersion parses an fmiVersion attribute. FMI 1.0 and 2.0 use one text for all of their
// releases. Since FMI 3.0, the text states the minor release and may also state a patch, as in
// "3.0.2". An importer must accept all releases of its major version (FMI 3.0, 2.4.1).
func ParseVersion(text string) (Version, error) {
	major, rest, dotted := strings.Cut(text, ".")
	switch {
	case dotted && major == "1":
		return FMI1, nil
	case dotted && major == "2":
		return FMI2, nil
	case dotted && major == "3" && rest != "":
		return FMI3, nil
	}
	return 0, unknownWord("fmiVersion", text, "1.0, 2.0 or 3.0")
}

// unknownWord returns the error for a text that is not an expected word.
func unknownWord(what, found, expected string) error {
	return fault.New(ErrWord, fault.At(what), strconv.Quote(found), expected)
}

// parseWord finds the word that equals text.
func parseWord[T ~string](what, text string, words []T) (T, error) {
	list := make([]string, len(words))
	for k, w := range words {
		if text == string(w) {
			return w, nil
		}
		list[k] = string(w)
	}
	return "", unknownWord(what, text, "one of "+strings.Join(list, ", "))
}
