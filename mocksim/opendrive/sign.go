package opendrive

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed signs.txt
var signsText string

// signTable names signs by their codes, in upper case.
type signTable map[string]string

// catalogues are the signs that maps can mean.
type catalogues struct {
	main, supplementary signTable
	lettered            map[string]signTable // by countries whose letters differ from Vienna's
}

// signs reads the table of signs.
var signs = sync.OnceValue(func() catalogues {
	t := catalogues{signTable{}, signTable{}, map[string]signTable{}}
	table := t.main
	for line := range strings.Lines(signsText) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case fields[0] == "---" && fields[1] == "supplementary":
			table = t.supplementary
		case fields[0] == "---":
			table = signTable{}
			for _, country := range fields[1:] {
				t.lettered[country] = table
			}
		default:
			for _, code := range fields[1:] {
				table.learn(code, fields[0])
			}
		}
	}
	return t
})

// learn adds a code to a table, and also a number without the part after the dash, unless the table
// already contains that number. Codes with letters and a dash, such as R1-1 and R1-2, have nothing
// in common.
func (t signTable) learn(code, name string) {
	t[code] = name
	base, _, parted := strings.Cut(code, "-")
	if _, known := t[base]; parted && !known && code[0] <= '9' {
		t[base] = name
	}
}

// SignCodes returns the codes that a signal can mean, the most specific one first. Numbers come
// from the German catalogue, which maps also use if they name no country, "OpenDRIVE", or a country
// whose catalogue has letters.
func (s *Signal) SignCodes() (codes []string) {
	clean := func(text string) string {
		text = strings.ToUpper(strings.NewReplacer(",", "", " ", "").Replace(text))
		if text == "-1" || text == "NONE" {
			return ""
		}
		return text
	}
	kind, sub := strings.TrimSuffix(clean(s.Type), ".0"), clean(s.Subtype)
	if kind == "" {
		return nil
	}
	if kind[0] >= '0' && kind[0] <= '9' && !s.GermanNumbers() {
		return nil
	}
	if sub != "" {
		codes = append(codes, kind+"-"+sub, kind+"."+sub, kind+sub)
	}
	codes = append(codes, kind)
	if base, _, parted := strings.Cut(kind, "-"); parted {
		codes = append(codes, base)
	}
	if kind[0] > '9' && strings.Contains(kind, "-") {
		codes = append(codes, strings.ReplaceAll(kind, "-", ""))
	}
	return codes
}

// MainSign returns the name of a sign, as OSI has it after TYPE_, or "" if OSI has none. Letters
// are those of the Vienna Convention, unless the country has a catalogue of its own. Drivers and
// ground truth understand a sign in the same way.
func (s *Signal) MainSign() string {
	letters := signs().main
	if own, ok := signs().lettered[strings.ToLower(s.Country)]; ok {
		letters = own
	}
	for _, code := range s.SignCodes() {
		table := signs().main
		if code[0] > '9' {
			table = letters
		}
		if name, ok := table[code]; ok {
			return name
		}
	}
	return ""
}

// SupplementarySign returns the name of a sign that belongs to another one, or "" for main signs.
func (s *Signal) SupplementarySign() string {
	for _, code := range s.SignCodes() {
		if name, ok := signs().supplementary[code]; ok {
			return name
		}
	}
	return ""
}

// SignNames returns the names of all main and supplementary signs.
func SignNames() (main, supplementary []string) {
	t := signs()
	for _, table := range t.lettered {
		for _, name := range table {
			main = append(main, name)
		}
	}
	for _, name := range t.main {
		main = append(main, name)
	}
	for _, name := range t.supplementary {
		supplementary = append(supplementary, name)
	}
	return main, supplementary
}
