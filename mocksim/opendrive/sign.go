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

// named matches a name that may state the number of a sign, such as de_206, 274-50 or Sign_274(50).
// A part after the number has two or three digits.
var named = regexp.MustCompile(
	`^(?:(DE|SIGN)_)?([0-9]{3}(?:\.[0-9])?)(?:-([1-9][0-9]{1,2})|\(([1-9][0-9]{1,2})\))?$`)

// Code returns the type and the subtype of a signal in upper case, without commas and blanks, and
// empty instead of values that mean none. If a signal has neither, its name may state the number.
func (s *Signal) Code() (kind, sub string) {
	kind, sub = strings.TrimSuffix(clean(s.Type), ".0"), clean(s.Subtype)
	if kind == "" && sub == "" {
		return s.numberInName()
	}
	return kind, sub
}

// clean returns a part of a code in upper case, without commas and blanks, or "" if it means none.
func clean(text string) string {
	text = strings.ToUpper(strings.NewReplacer(",", "", " ", "").Replace(text))
	if text == "-1" || text == "NONE" {
		return ""
	}
	return text
}

// numberInName returns the number that a name states if it can mean nothing else: a name that says
// de_, or the number of a variant or speed that exists, in a map of Germany or after Sign_ in a map
// without a country. Tools also number their signals, and call them 206, 206-7 or Sign_206.
func (s *Signal) numberInName() (kind, sub string) {
	parts := named.FindStringSubmatch(clean(s.Name))
	if parts == nil {
		return "", ""
	}
	kind, sub = parts[2], parts[3]+parts[4]
	if parts[1] == "DE" {
		return kind, sub
	}
	switch strings.ToLower(s.Country) {
	case "de", "deu", "germany":
	case "", "opendrive":
		if parts[1] == "" {
			return "", ""
		}
	default:
		return "", ""
	}
	main := signs().main
	if _, variant := main[kind+"-"+sub]; variant ||
		sub != "" && strings.Contains(main[kind], "SPEED") {
		return kind, sub
	}
	return "", ""
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
// are those of the Vienna Convention, unless the country has a catalogue of its own. R begins codes
// of the United States if the map names no country. Drivers and ground truth understand a sign in
// the same way.
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
	country := strings.ToLower(s.Country)
	letters, ok := byCountry[country]
	if !ok {
		letters = table
	}
	for _, code := range s.SignCodes() {
		from := table
		switch {
		case code[0] <= '9':
		case code[0] == 'R' && (country == "" || country == "opendrive"):
			from = byCountry["us"]
		default:
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
