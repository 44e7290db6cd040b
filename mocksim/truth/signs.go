package truth

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

//go:embed signs.txt
var signsText string

var (
	mainTypes = osi3.TrafficSign_MainSign_Classification_Type_value
	addTypes  = osi3.TrafficSign_SupplementarySign_Classification_Type_value
)

type (
	mainType = osi3.TrafficSign_MainSign_Classification_Type
	addType  = osi3.TrafficSign_SupplementarySign_Classification_Type
)

// signTypes maps codes, in upper case, to the types of signs.
type signTypes struct {
	main          map[string]mainType
	supplementary map[string]addType
	lettered      map[string]map[string]mainType // by countries whose letters differ from Vienna's
}

// signs reads the table. A test finds unreadable lines.
var signs = sync.OnceValue(func() signTypes {
	t := signTypes{map[string]mainType{}, map[string]addType{}, map[string]map[string]mainType{}}
	supplementary, table := false, t.main
	for line := range strings.Lines(signsText) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case fields[0] == "---":
			table = map[string]mainType{}
			if supplementary = fields[1] == "supplementary"; !supplementary {
				for _, country := range fields[1:] {
					t.lettered[country] = table
				}
			}
		default:
			for _, code := range fields[1:] {
				if supplementary {
					learn(t.supplementary, code, addType(addTypes["TYPE_"+fields[0]]))
				} else {
					learn(table, code, mainType(mainTypes["TYPE_"+fields[0]]))
				}
			}
		}
	}
	return t
})

// learn adds a code to a table, and also its number without the part after the dash, unless the
// table already contains that number.
func learn[T any](table map[string]T, code string, t T) {
	table[code] = t
	base, _, parted := strings.Cut(code, "-")
	if _, known := table[base]; parted && !known {
		table[base] = t
	}
}

// signCodes returns the codes that a signal can mean, the most specific one first. Numbers come
// from the German catalogue, which maps also use if they name no country, "OpenDRIVE", or a country
// whose catalogue has letters.
func signCodes(g *opendrive.Signal) (codes []string) {
	clean := func(text string) string {
		text = strings.ToUpper(strings.NewReplacer(",", "", " ", "").Replace(text))
		if text == "-1" || text == "NONE" {
			return ""
		}
		return text
	}
	kind, sub := clean(g.Type), clean(g.Subtype)
	if kind == "" {
		return nil
	}
	if kind[0] >= '0' && kind[0] <= '9' && !g.GermanNumbers() {
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

// mainSign returns the type of a sign, or TYPE_OTHER if OSI has no name for the sign. Letters are
// those of the Vienna Convention, unless the country has a catalogue of its own.
func mainSign(g *opendrive.Signal) mainType {
	letters := signs().main
	if own, ok := signs().lettered[strings.ToLower(g.Country)]; ok {
		letters = own
	}
	for _, code := range signCodes(g) {
		table := signs().main
		if code[0] > '9' {
			table = letters
		}
		if t, ok := table[code]; ok {
			return t
		}
	}
	return osi3.TrafficSign_MainSign_Classification_TYPE_OTHER
}

// supplementarySign returns the type of a sign that belongs to another one; ok is false for main
// signs.
func supplementarySign(g *opendrive.Signal) (t addType, ok bool) {
	for _, code := range signCodes(g) {
		if t, ok := signs().supplementary[code]; ok {
			return t, true
		}
	}
	return 0, false
}

// speedSigns is the set of signs that state a speed.
var speedSigns = map[mainType]bool{
	osi3.TrafficSign_MainSign_Classification_TYPE_SPEED_LIMIT_BEGIN:          true,
	osi3.TrafficSign_MainSign_Classification_TYPE_SPEED_LIMIT_END:            true,
	osi3.TrafficSign_MainSign_Classification_TYPE_SPEED_LIMIT_ZONE_BEGIN:     true,
	osi3.TrafficSign_MainSign_Classification_TYPE_SPEED_LIMIT_ZONE_END:       true,
	osi3.TrafficSign_MainSign_Classification_TYPE_MINIMUM_SPEED_BEGIN:        true,
	osi3.TrafficSign_MainSign_Classification_TYPE_MINIMUM_SPEED_END:          true,
	osi3.TrafficSign_MainSign_Classification_TYPE_ADVISORY_SPEED_LIMIT_BEGIN: true,
	osi3.TrafficSign_MainSign_Classification_TYPE_ADVISORY_SPEED_LIMIT_END:   true,
}

// signValue returns the number that a sign shows; nil if it shows none. The speed of a sign without
// a value is in its subtype, as in 274-50: in km/h or, in the United States, in mph. In catalogues
// before 2017, 274-51 to 274-59 count upwards from 10 km/h.
func signValue(g *opendrive.Signal, t mainType) *osi3.TrafficSignValue {
	value, unit := g.Value, g.Unit
	speed := speedSigns[t]
	if !g.HasValue || speed && value <= 0 {
		if !speed {
			return nil
		}
		digits := g.Subtype
		if _, after, parted := strings.Cut(g.Type, "-"); parted {
			digits = after
		}
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || n <= 0 || n > 200:
			return nil
		case n > 50 && n < 60:
			n = (n - 50) * 10
		}
		value = float64(n)
	}
	if unit == "" && speed {
		unit = "km/h"
		if strings.HasPrefix(strings.ToLower(g.Country), "us") {
			unit = "mph"
		}
	}
	return &osi3.TrafficSignValue{Value: proto.Float64(value), ValueUnit: signUnit(unit).Enum(),
		Text: optional(g.Text)}
}

// attach assigns supplementary signs to the main signs next to them: within 1 m along the road and
// 1 m across it, for the same traffic. A supplementary sign without a main sign stays separate.
func attach(list []*opendrive.Signal) (main []*opendrive.Signal,
	belonging map[*opendrive.Signal][]*opendrive.Signal) {
	const near = 1.0
	belonging = map[*opendrive.Signal][]*opendrive.Signal{}
	for _, g := range list {
		if _, is := supplementarySign(g); !is {
			main = append(main, g)
		}
	}
	for _, g := range list {
		if _, is := supplementarySign(g); !is {
			continue
		}
		var best *opendrive.Signal
		distance := 2 * near
		for _, m := range main {
			ds, dt := abs(m.S-g.S), abs(m.T-g.T)
			_, alone := supplementarySign(m)
			if _, paint := signalPaint(m); alone || paint || ds > near || dt > near ||
				m.Orientation != g.Orientation || m.Dynamic {
				continue
			}
			if ds+dt < distance {
				best, distance = m, ds+dt
			}
		}
		if best == nil {
			main = append(main, g)
		} else {
			belonging[best] = append(belonging[best], g)
		}
	}
	return main, belonging
}

func abs(x float64) float64 { return max(x, -x) }
