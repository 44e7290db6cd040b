package fileuse

import (
	"html"
	"iter"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gosmp/internal/decimal"
)

// longestName is the maximum length of words that may be paths.
const longestName = 1024

// words returns the parts of a text that may be paths. Most parts of tables are numbers, which are
// left out, as are parts that are no paths by the hints.
func words(text string, h *hints) iter.Seq[string] {
	return func(yield func(string) bool) {
		if ownFolder().MatchString(text) && !yield(".") {
			return
		}
		for part := range parts(text, h) {
			part = strings.TrimSpace(part)
			if part == "" || len(part) > longestName || isNumber(part) {
				continue
			}
			for _, word := range spellings(part) {
				if !strings.Contains(word, "\x00") && !yield(word) {
					return
				}
			}
		}
	}
}

// ownFolder matches a folder of catalogs whose path is empty, which is the folder of the scenario.
var ownFolder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<Directory[^>]*\spath\s*=\s*(?:""|'')`)
})

// isNumber reports whether a word is a decimal number.
func isNumber(word string) bool {
	if !strings.ContainsRune("+-.0123456789", rune(word[0])) {
		return false
	}
	_, err := decimal.Number(word)
	return err == nil
}

// parts returns the texts between quotes, after a colon, in an item or a cell, between tags, and
// between other separators.
func parts(text string, h *hints) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, quote := range []string{`"`, "'"} {
			k := 0
			for part := range strings.SplitSeq(text, quote) {
				if k++; k > 1 && h.part(part) && !yield(part) {
					return
				}
			}
		}
		for line := range strings.Lines(text) {
			if !h.line(line) {
				continue
			}
			_, value, _ := strings.Cut(line, ": ")
			item := strings.TrimPrefix(strings.TrimSpace(line), "- ")
			goOn := func(part string) bool { return !h.part(part) || yield(part) }
			for _, part := range []string{value, item} {
				plain, _, _ := strings.Cut(part, " #") // a comment in YAML
				if !goOn(part) || plain != part && !goOn(plain) {
					return
				}
			}
			for part := range strings.FieldsFuncSeq(line, separatesItems) {
				_, value, _ := strings.Cut(part, ": ")
				if !goOn(part) || !goOn(value) {
					return
				}
			}
			for part := range strings.FieldsFuncSeq(line, isBracket) {
				if !goOn(part) {
					return
				}
			}
			for word := range strings.FieldsFuncSeq(line, separates) {
				if !goOn(word) {
					return
				}
			}
		}
	}
}

// spellings returns a part of a text and the paths that it may represent: without file:, with
// backslashes, entities of XML, escapes of JSON and YAML, or codes of a URL replaced.
func spellings(part string) []string {
	list := []string{part}
	if path, is := strings.CutPrefix(part, "file:"); is && !strings.HasPrefix(path, "//") {
		list = append(list, path)
	}
	if strings.Contains(part, "&") {
		list = append(list, html.UnescapeString(part))
	}
	if cdata, is := strings.CutPrefix(part, "![CDATA["); is {
		list = append(list, strings.TrimSpace(strings.TrimSuffix(cdata, "]]")))
	}
	if strings.Contains(part, `\`) {
		list = append(list, strings.ReplaceAll(part, `\`, "/"))
		escaped := strings.ReplaceAll(part, `\/`, "/")
		if word, err := strconv.Unquote(`"` + escaped + `"`); err == nil {
			list = append(list, word, strings.ReplaceAll(word, `\`, "/"))
		}
	}
	if !strings.HasPrefix(part, "file:") && !strings.ContainsAny(part, "%?#") {
		return list // the path of a URL without these is the text itself
	}
	if u, err := url.Parse(part); err == nil && (u.Scheme == "" || u.Scheme == "file") &&
		u.Path != part {
		list = append(list, u.Path)
	}
	return list
}

func isBracket(r rune) bool { return r == '<' || r == '>' }

// bytesOf returns the set of the bytes in a text.
func bytesOf(text string) (set [256]bool) {
	for k := range len(text) {
		set[text[k]] = true
	}
	return set
}

// The characters that separate items and words, and those that end a name.
var (
	itemSeparators = bytesOf("\t,;[]{}")
	wordSeparators = bytesOf(" \t\r\n<>=,;()[]{}\"'")
	nameEnds       = bytesOf("<>=,;()[]{}\"'")
)

func separatesItems(r rune) bool { return r < 0x80 && itemSeparators[byte(r)] }

func separates(r rune) bool { return r < 0x80 && wordSeparators[byte(r)] }
