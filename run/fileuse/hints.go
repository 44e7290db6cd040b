package fileuse

import "strings"

// longestHint is the number of bytes of a name that hints compare.
const longestHint = 12

// hints says which parts of a text may be paths, from their first bytes. Splitting a text in all
// ways takes far longer than finding that a line contains no name of any known folder.
type hints struct {
	every  bool // any part may be a path
	pairs  [1 << 16 / 64]uint64
	starts map[string]bool // of the names, in lower case
	sizes  [longestHint + 1]bool
	root   *hints // of absolute paths
}

// hintsOf returns the hints of folders.
func hintsOf(folders []nearby) *hints {
	h := &hints{starts: map[string]bool{}}
	for _, folder := range folders {
		h.add(folder)
	}
	return h
}

// add adds the names of a folder.
func (h *hints) add(folder nearby) {
	h.every = h.every || folder.names == nil
	for name := range folder.names {
		if name == "" {
			continue
		}
		start := name[:min(len(name), longestHint)]
		h.starts[start], h.sizes[len(start)] = true, true
		if len(name) > 1 {
			h.set(name[0], name[1])
			continue
		}
		for second := range 256 { // a separator or the end of the text may follow
			h.set(name[0], byte(second))
		}
	}
}

func (h *hints) set(first, second byte) {
	k := int(first)<<8 | int(second)
	h.pairs[k/64] |= 1 << (k % 64)
}

// line reports whether a part of a line may be a path.
func (h *hints) line(text string) bool {
	if h.every {
		return true
	}
	starts := true
	for k := range len(text) {
		c := text[k]
		if starts && h.at(text[k:]) {
			return true
		}
		class := classes[c]
		if class == special || c == '.' && k > 0 && text[k-1] == '.' {
			return true
		}
		starts = class == ending
	}
	return false
}

// class is the meaning of a byte in a text.
type class uint8

const (
	ordinary class = iota
	ending         // a name may begin after it
	special        // a path that contains it may have other spellings
)

var classes = func() (list [256]class) {
	for k := range list {
		switch c := byte(k); {
		case c > 0x7f, c == '\\', c == '&', c == '%':
			list[k] = special
		case c <= ' ', nameEnds[c]:
			list[k] = ending
		}
	}
	return list
}()

// part reports whether a part of a text may be a path.
func (h *hints) part(text string) bool {
	text = strings.TrimSpace(text)
	return h.every || hasSpellings(text) || text != "" && h.at(text)
}

// hasSpellings reports whether paths in a text may have other spellings, or may be in a folder
// other than the one that they name first.
func hasSpellings(text string) bool {
	for k := range len(text) {
		if c := text[k]; classes[c] == special || c == '.' && k > 0 && text[k-1] == '.' {
			return true
		}
	}
	return false
}

// at reports whether a text may begin with a path.
func (h *hints) at(text string) bool {
	first, second := lower(text[0]), byte(0)
	if len(text) > 1 {
		second = lower(text[1])
	}
	k := int(first)<<8 | int(second)
	switch {
	case h.pairs[k/64]&(1<<(k%64)) != 0 && h.name(text):
		return true
	case first == '/' && len(text) > 1:
		return h.root == nil || h.root.every || second == '/' || second == '.' ||
			h.root.at(text[1:])
	case first == '.':
		return second == '/' || second <= ' ' || nameEnds[second]
	default:
		return strings.HasPrefix(text, cdata) ||
			len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme)
	}
}

// name reports whether a text may begin with a name.
func (h *hints) name(text string) bool {
	var start [longestHint]byte
	for k := range min(len(text), longestHint) {
		start[k] = lower(text[k])
		ends := k+1 == len(text) || k+1 == longestHint || !continues(text[k+1])
		if ends && h.sizes[k+1] && h.starts[string(start[:k+1])] {
			return true
		}
	}
	return false
}

// continues reports whether a byte continues a name rather than ends it.
func continues(c byte) bool {
	c = lower(c)
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
