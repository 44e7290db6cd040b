package truth

import (
	"strings"

	"gosmp/proto/osi3"
)

type stationaryType = osi3.StationaryObject_Classification_Type

// objectWords maps words in the type, subtype and name of an object to its type. The first match
// wins.
var objectWords = []struct {
	words string
	kind  stationaryType
}{
	{"speedbump speedhump", osi3.StationaryObject_Classification_TYPE_SPEED_BUMP},
	{"hedge vegetation bush shrub forest", osi3.StationaryObject_Classification_TYPE_VEGETATION},
	{"wall soundbarrier noisebarrier noiseprotection",
		osi3.StationaryObject_Classification_TYPE_WALL},
	{"delineator reflectorpost guidepost", osi3.StationaryObject_Classification_TYPE_DELINEATOR},
	{"cone constructionsite roadworks warningbeacon safetybeacon",
		osi3.StationaryObject_Classification_TYPE_CONSTRUCTION_SITE_ELEMENT},
	{"streetlamp streetlight lamppost",
		osi3.StationaryObject_Classification_TYPE_POLE}, // not a tree
	{"tree", osi3.StationaryObject_Classification_TYPE_TREE},
	{"gantry overhead", osi3.StationaryObject_Classification_TYPE_OVERHEAD_STRUCTURE},
	{"bridge", osi3.StationaryObject_Classification_TYPE_BRIDGE},
	{"pylon", osi3.StationaryObject_Classification_TYPE_PYLON},
	{"pole bollard post mast assembly bulbarm", osi3.StationaryObject_Classification_TYPE_POLE},
	{"barrier guardrail railing fence roadblock",
		osi3.StationaryObject_Classification_TYPE_BARRIER},
	{"curb kerb trafficisland island", osi3.StationaryObject_Classification_TYPE_CURBSTONE},
	{"building house tollbooth busshelter shelter garage barn",
		osi3.StationaryObject_Classification_TYPE_BUILDING},
	{"reflectivestructure", osi3.StationaryObject_Classification_TYPE_REFLECTIVE_STRUCTURE},
	{"emittingstructure", osi3.StationaryObject_Classification_TYPE_EMITTING_STRUCTURE},
	{"column advertisingcolumn tower chimney hydrant parkingmeter",
		osi3.StationaryObject_Classification_TYPE_VERTICAL_STRUCTURE},
	{"box container cabinet bench seating table billboard phonebooth",
		osi3.StationaryObject_Classification_TYPE_RECTANGULAR_STRUCTURE},
}

// objectType determines the type of an object from its type, then from its subtype if the type is
// general, then from its name.
func objectType(kind, subtype, name string) stationaryType {
	for _, text := range [...]string{subtype, kind, name} {
		text = plain(text)
		for _, entry := range objectWords {
			for _, word := range strings.Fields(entry.words) {
				if strings.Contains(text, word) {
					return entry.kind
				}
			}
		}
	}
	return osi3.StationaryObject_Classification_TYPE_OTHER
}

// plain returns a text in lower case without what separates its words.
func plain(text string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(text))
}
