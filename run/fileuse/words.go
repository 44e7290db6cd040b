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
// between other separators. Only lines that may contain a path by the hints are split, and only
// texts between quotes that share a line with such a path count.
func parts(text string, h *hints) iter.Seq[string] {
	return func(yield func(string) bool) {
		goOn := func(part string) bool { return !h.part(part) || yield(part) }
		quotes := [...]quoted{newQuoted(text, '"'), newQuoted(text, '\'')}
		for r := range runs(text, h) {
			for k := range quotes {
				if !quotes[k].within(r, goOn) {
					return
				}
			}
			for line := range strings.Lines(text[r.from:r.to]) {
				if !inLine(line, goOn) {
					return
				}
			}
		}
	}
}

// run is a part of a text.
type run struct{ from, to int }

// runs returns the longest runs of lines that may contain a path.
func runs(text string, h *hints) iter.Seq[run] {
	return func(yield func(run) bool) {
		r, k := run{}, 0
		for line := range strings.Lines(text) {
			k += len(line)
			if h.line(line) {
				r.to = k
				continue
			}
			if r.to > r.from && !yield(r) {
				return
			}
			r = run{k, k}
		}
		if r.to > r.from {
			yield(r)
		}
	}
}

// quoted finds the parts of a text that are between two quotes, or between the last one and the end
// of the text.
type quoted struct {
	text     string
	quote    byte
	from, to int  // the current part
	done     bool // it has been passed on
}

func newQuoted(text string, quote byte) quoted {
	q := quoted{text: text, quote: quote}
	q.to, q.done = q.end(), true // what precedes the first quote is between none
	return q
}

// end returns the end of the part that begins at from.
func (q *quoted) end() int {
	if length := strings.IndexByte(q.text[q.from:], q.quote); length >= 0 {
		return q.from + length
	}
	return len(q.text)
}

// within passes on the parts that share characters with a run of lines, which follows the previous
// run. It stops and returns false if yield does.
func (q *quoted) within(r run, yield func(string) bool) bool {
	for {
		if q.to >= r.from && !q.done {
			if q.done = true; !yield(q.text[q.from:q.to]) {
				return false
			}
		}
		if q.to >= r.to || q.to == len(q.text) {
			return true
		}
		q.from, q.done = q.to+1, false
		q.to = q.end()
	}
}

// inLine passes on the parts of a line. It stops and returns false if yield does.
func inLine(line string, yield func(string) bool) bool {
	_, value, _ := strings.Cut(line, ": ")
	item := strings.TrimPrefix(strings.TrimSpace(line), "- ")
	for _, part := range []string{value, item} {
		plain, _, _ := strings.Cut(part, " #") // a comment in YAML
		if !yield(part) || plain != part && !yield(plain) {
			return false
		}
	}
	for part := range strings.FieldsFuncSeq(line, separatesItems) {
		_, value, _ := strings.Cut(part, ": ")
		if !yield(part) || !yield(value) {
			return false
		}
	}
	for part := range strings.FieldsFuncSeq(line, isBracket) {
		if !yield(part) {
			return false
		}
	}
	for word := range strings.FieldsFuncSeq(line, separates) {
		if !yield(word) {
			return false
		}
	}
	return true
}

// The beginnings of parts that are not the beginnings of their paths.
const (
	cdata  = "![CDATA["
	scheme = "file:"
)

// spellings returns a part of a text and the paths that it may represent: without file:, with
// backslashes, entities of XML, escapes of JSON and YAML, or codes of a URL replaced.
func spellings(part string) []string {
	list := []string{part}
	if path, is := strings.CutPrefix(part, scheme); is && !strings.HasPrefix(path, "//") {
		list = append(list, path)
	}
	if strings.Contains(part, "&") {
		list = append(list, html.UnescapeString(part))
	}
	if inner, is := strings.CutPrefix(part, cdata); is {
		list = append(list, strings.TrimSpace(strings.TrimSuffix(inner, "]]")))
	}
	if strings.Contains(part, `\`) {
		list = append(list, strings.ReplaceAll(part, `\`, "/"))
		escaped := strings.ReplaceAll(part, `\/`, "/")
		if word, err := strconv.Unquote(`"` + escaped + `"`); err == nil {
			list = append(list, word, strings.ReplaceAll(word, `\`, "/"))
		}
	}
	if !strings.HasPrefix(part, scheme) && !strings.ContainsAny(part, "%?#") {
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
