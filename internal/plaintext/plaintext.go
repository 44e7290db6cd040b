// Package plaintext makes text from files and clients safe to show: a terminal obeys control
// characters, and shows text in another order after bidirectional controls.
//
//	out := bufio.NewWriter(plaintext.Writer(os.Stdout))
//
// Such characters are escaped as in JSON, for example as \u001b, so that a JSON text keeps its
// meaning. Line feeds and tabs pass, and all other text is unchanged.
package plaintext

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe reports whether a character may be shown as it is.
func Safe(c rune) bool {
	switch {
	case c == '\n' || c == '\t':
		return true
	case c < utf8.RuneSelf:
		return c >= ' ' && c != 0x7f
	case unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029':
		return false
	}
	return !unicode.IsControl(c)
}

// Clean returns a text that is safe to show.
func Clean(text string) string {
	if isSafe(text) {
		return text
	}
	var b strings.Builder
	for _, c := range text { // yields U+FFFD for bytes that are not UTF-8
		if Safe(c) {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}

func isSafe(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text,
		func(c rune) bool { return !Safe(c) }) < 0
}

// Shown returns a text that is safe to show, without the middle of long lines.
func Shown(text string) string { return Shortened(Clean(text)) }

// Line returns a text that is safe to show within one line: line feeds and tabs are made visible,
// too, and a long text is shortened.
func Line(text string) string {
	text = Shown(text)
	if !strings.ContainsAny(text, "\n\t") {
		return text
	}
	return Shortened(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(text))
}

// Printf formats like [fmt.Fprintf], but applies [Line] to the texts in args, so that a name in a
// file cannot begin a line of its own.
func Printf(w io.Writer, format string, args ...any) {
	for k, x := range args {
		switch x := x.(type) {
		case string:
			args[k] = Line(x)
		case error:
			args[k] = Line(x.Error())
		case fmt.Stringer:
			args[k] = Line(x.String())
		}
	}
	_, _ = fmt.Fprintf(w, format, args...) // ignored, as with fmt.Printf; a buffer keeps the error
}

// Writer returns a writer that cleans text and passes it on.
func Writer(to io.Writer) io.Writer { return &writer{to: to} }

type writer struct {
	to   io.Writer
	rest []byte // the first bytes of an incomplete character
}

// Write writes cleaned text. The bytes of a character may arrive in several calls.
func (w *writer) Write(b []byte) (int, error) {
	text := slices.Concat(w.rest, b)
	end := len(text)
	for k := max(0, end-utf8.UTFMax+1); k < end; k++ {
		if utf8.RuneStart(text[k]) && !utf8.FullRune(text[k:]) {
			end = k
			break
		}
	}
	w.rest = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(w.to, Clean(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(b), nil
}
