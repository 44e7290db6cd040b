package opendrive

import (
	_ "embed"
	"regexp"
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
	// by countries whose letters differ from Vienna's
	lettered, letteredSupplementary map[string]signTable
}

// signs reads the table of signs.
var signs = sync.OnceValue(func() catalogues {
	t := catalogues{signTable{}, signTable{}, map[string]signTable{}, map[string]signTable{}}
	table := t.main
	for line := range strings.Lines(signsText) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case fields[0] == "---" && fields[1] == "supplementary":
			if table = t.supplementary; len(fields) > 2 {
				table = signTable{}
			}
			for _, country := range fields[2:] {
				t.letteredSupplementary[country] = table
			}
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

// named matches a name that states the number of a sign, such as 274-50, de_274-50 or Sign_274(50).
var named = regexp.MustCompile(`^(?:SIGN_|[A-Z]{2}_)?([0-9]{3}(?:\.[0-9])?)(?:[-(]([0-9]+)\)?)?$`)

// Code returns the type and the subtype of a signal in upper case, without commas and blanks, and
// empty instead of values that mean none. If a signal has no type, its name may state the number.
func (s *Signal) Code() (kind, sub string) {
	clean := func(text string) string {
		text = strings.ToUpper(strings.NewReplacer(",", "", " ", "").Replace(text))
		if text == "-1" || text == "NONE" {
			return ""
		}
		return text
	}
	kind, sub = strings.TrimSuffix(clean(s.Type), ".0"), clean(s.Subtype)
	if kind == "" && sub == "" {
		if parts := named.FindStringSubmatch(clean(s.Name)); parts != nil {
			return parts[1], parts[2]
		}
	}
	return kind, sub
}

// SignCodes returns the codes that a signal can mean, the most specific one first. Numbers come
// from the German catalogue, which maps also use if they name no country, "OpenDRIVE", or a country
// whose catalogue has letters.
func (s *Signal) SignCodes() (codes []string) {
	kind, sub := s.Code()
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
func (s *Signal) MainSign() string { return s.find(signs().main, signs().lettered) }

// SupplementarySign returns the name of a sign that belongs to another one, or "" for main signs.
func (s *Signal) SupplementarySign() string {
	letters := signs().letteredSupplementary
	if country := strings.ToLower(s.Country); letters[country] == nil &&
		signs().lettered[country] != nil {
		return s.find(signs().supplementary, map[string]signTable{country: {}})
	}
	return s.find(signs().supplementary, letters)
}

// find returns the name of a sign in a table; in the table of its country if its code has letters
// and the country has one.
func (s *Signal) find(table signTable, byCountry map[string]signTable) string {
	letters, ok := byCountry[strings.ToLower(s.Country)]
	if !ok {
		letters = table
	}
	for _, code := range s.SignCodes() {
		from := table
		if code[0] > '9' {
			from = letters
		}
		if name, ok := from[code]; ok {
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
	for _, table := range t.letteredSupplementary {
		for _, name := range table {
			supplementary = append(supplementary, name)
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
