package bridge

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/scanner"
)

// This file handles definitions in .idl files that are not messages: those without values, which
// are skipped, and bitmasks. It also records unreadable files for errors about their types.

// valueless lists the words that begin definitions without values in messages.
var valueless = []string{"interface", "abstract", "local", "valuetype", "native", "exception",
	"component", "home", "eventtype", "import", "typeid", "typeprefix"}

// skip skips a definition up to its semicolon.
func (p *idl) skip() {
	for depth := 0; p.err == nil && p.token != scanner.EOF; p.next() {
		switch p.text {
		case "{":
			depth++
		case "}":
			depth--
		case ";":
			if depth == 0 {
				p.next()
				return
			}
		}
	}
	p.fail("; after the definition")
}

// widths lists the kinds of a bitmask by the greatest number of bits.
var widths = [...]struct {
	bits int
	kind Kind
}{{8, Uint8}, {16, Uint16}, {32, Uint32}, {64, Uint64}}

// bitmask reads a bitmask, whose values are unsigned integers: @bit_bound(8) bitmask NAME { A,
// @position(4) B }. It has 32 bits unless an annotation states otherwise (XTypes 1.3, 7.2.2.4.4.2).
func (p *idl) bitmask(modules []string) {
	const usual = 32
	p.want("bitmask")
	bits := p.bits
	if bits == 0 {
		bits = usual
	}
	p.bits = 0
	name := p.word()
	at := slices.IndexFunc(widths[:], func(w struct {
		bits int
		kind Kind
	}) bool {
		return bits <= w.bits
	})
	if at < 0 {
		p.fail("at most 64 bits")
		return
	}
	p.want("{")
	for next := int64(0); p.err == nil && p.text != "}"; next++ {
		for p.text == "@" {
			p.annotation()
		}
		flag := p.word()
		if p.value != nil {
			next, p.value = *p.value, nil
		}
		if next < 0 || next >= int64(bits) {
			p.fail("a position below the number of bits before this")
			return
		}
		p.of.constants[scoped(modules, flag)] = 1 << next
		p.of.constants[scoped(modules, name+"/"+flag)] = 1 << next
		if p.text == "," {
			p.next()
		}
	}
	p.want("}")
	p.want(";")
	if p.err == nil {
		p.of.aliases[scoped(modules, name)] = Type{Kind: widths[at].kind}
	}
}

// declared finds the names of structs and unions in the text of an .idl file.
var declared = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:struct|union)\s+(\w+)`)
})

// unreadable records why the types of an .idl file are missing.
func (d *Definitions) unreadable(text string, err error) {
	for _, found := range declared().FindAllStringSubmatch(text, -1) {
		if name := found[1]; d.unread[name] == nil {
			d.unread[name] = err
		}
	}
}

// missing returns why a definition cannot be used, or nil if no file has it.
func (d *Definitions) missing(name string) error {
	if err := d.broken[name]; err != nil {
		return err
	}
	if d.messages[name] != nil {
		return nil
	}
	return d.unread[name[strings.LastIndex(name, "/")+1:]]
}
