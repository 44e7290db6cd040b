package plaintext

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Longest is the number of bytes of a line that is shown whole. The middle of a longer line is
// replaced by its length, because its beginning names the place and its end what to do. JSON
// contains the whole text.
const (
	Longest = 2000

	headLength = 1400 // bytes of a longer line that are shown
	tailLength = 400
)

// Shortened returns a text whose lines are at most [Longest] bytes long.
func Shortened(text string) string {
	if len(text) <= Longest {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		b.WriteString(shortLine(line))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func shortLine(line string) string {
	if len(line) <= Longest {
		return line
	}
	head, tail := headLength, len(line)-tailLength
	return strings.ToValidUTF8(line[:head], "") + omitted(tail-head) +
		strings.ToValidUTF8(line[tail:], "")
}

// omitted stands for a number of bytes.
func omitted(n int) string { return fmt.Sprintf("… (%d bytes) …", n) }

// Lines returns a writer for text that people read: it cleans text like [Writer], and shortens
// lines like [Shortened]. A line is complete with its line feed; until then, only the beginning of
// a long line is written.
func Lines(to io.Writer) io.Writer { return &lines{to: Writer(to)} }

type lines struct {
	to      io.Writer
	written int    // bytes of the current line, at most headLength
	held    []byte // the end of the current line
	left    int    // bytes between them that are no longer held
}

// Write writes what can be shown so far.
func (l *lines) Write(b []byte) (int, error) {
	var out []byte
	for rest := b; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		n := min(len(part), headLength-l.written)
		out = append(out, part[:n]...)
		l.written += n
		l.hold(part[n:])
		if ended {
			out = append(append(out, l.end()...), '\n')
			l.written, l.held, l.left = 0, l.held[:0], 0
		}
	}
	if _, err := l.to.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// hold keeps bytes as long as the line may still be shown whole, and then its end.
func (l *lines) hold(part []byte) {
	l.held = append(l.held, part...)
	if l.left+len(l.held) > Longest-headLength {
		more := max(0, len(l.held)-tailLength)
		l.held, l.left = append(l.held[:0], l.held[more:]...), l.left+more
	}
}

// end returns the end of a line whose beginning has been written.
func (l *lines) end() []byte {
	if l.left == 0 {
		return l.held
	}
	return append([]byte(omitted(l.left)), l.held...)
}
