package opendrive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
)

const (
	box = `<outline id="1"><cornerLocal id="0" u="0" v="0" z="0" height="1"/>` +
		`<cornerLocal id="1" u="2" v="0" z="0" height="1"/>` +
		`<cornerLocal id="2" u="2" v="2" z="0" height="1"/></outline>`
	along = `<border width="0.1" type="curb" outlineId="1" useCompleteOutline="false">` +
		`<cornerReference id="0"/><cornerReference id="2"/></border>`
	frame = `<skeleton><polyline id="1"><vertexLocal id="1" u="0" v="0" z="0" radius="0.1"/>` +
		`<vertexLocal id="2" u="0" v="0" z="2" radius="0.1"/></polyline></skeleton>`
)

// objectFindings returns what a check finds in an object with the given attributes and parts.
func objectFindings(t *testing.T, attributes, parts string) (list finding.List) {
	text := document(oneRoad{rest: `<objects><object id="7" type="barrier" s="10" t="5" ` +
		attributes + `>` + parts + `</object></objects>`}.String())
	for _, f := range read(t, text).Check() {
		if f.ID == "X-OBJECT" {
			list = append(list, f)
		}
	}
	return list
}

// TestObjects_PartsFitTogether checks that the parts of an object refer to existing parts, and that
// outlines and skeletons have enough points.
func TestObjects_PartsFitTogether(t *testing.T) {
	outlines := `<outlines>` + box + `</outlines>`
	sound := outlines + `<markings><marking side="left" color="white">` +
		`<cornerReference id="1"/></marking></markings><borders>` + along + `</borders>` + frame
	require.Empty(t, objectFindings(t, `orientation="none"`, sound))
	require.Empty(t, objectFindings(t, `orientation="none" radius="1" length="0"`, box))
	for _, c := range []struct{ attributes, old, new, message string }{
		{``, `id="2" u="2" v="2"`, `u="2" v="2"`, `border along corner 2, which outline 1 does not`},
		{``, `id="1"/></marking>`, `id="9"/></marking>`, `marking along corner 9, which`},
		{``, `outlineId="1"`, `outlineId="3"`, `border along outline 3, which the object does not`},
		{``, `Outline="false"`, `Outline="true"`,
			`border along the complete outline, but with 2 cornerReferences`},
		{``, `<cornerReference id="0"/>`, ``,
			`border with 1 cornerReference and useCompleteOutline false, expected at least 2`},
		{``, `<vertexLocal id="2" u="0" v="0" z="2" radius="0.1"/>`, ``,
			`polyline with fewer than 2 vertices`},
		{``, `</outlines>`, `<outline id="2"><cornerRoad id="8" s="10" t="5" dz="0"/></outline>` +
			`</outlines>`, `outline with 1 corner, expected at least 2`},
		{``, `<cornerLocal id="1" u="2" v="0" z="0"`, `<cornerRoad id="1" s="12" t="5" dz="0"`,
			`cornerRoad and cornerLocal in one outline`},
		{`radius="1" width="2"`, ``, ``, `radius together with length or width`},
	} {
		require.Contains(t, sound, c.old)
		list := objectFindings(t, `orientation="none" `+c.attributes,
			strings.Replace(sound, c.old, c.new, 1))
		require.Len(t, list, 1, "%s: %v", c.message, list)
		require.Contains(t, list[0].Message, c.message)
		require.Equal(t, finding.Warning, list[0].Severity)
		require.Equal(t, "object 7 of road 1", list[0].Place.Object)
	}
}

// TestObjects_WithoutOrientation requires a single note: most objects do not need an orientation.
func TestObjects_WithoutOrientation(t *testing.T) {
	list := objectFindings(t, ``, `</object><object id="8" type="tree" s="20" t="5">`)
	require.Len(t, list, 1)
	require.Equal(t, finding.Note, list[0].Severity)
	require.Contains(t, list[0].Message, "2 objects without orientation")
}

// TestCheck_BoardsThatChange checks that a signal of several boards has both kinds of boards, and
// that its display can change.
func TestCheck_BoardsThatChange(t *testing.T) {
	for _, c := range []struct{ dynamic, boards, message string }{
		{"yes", `<staticBoard/><vmsBoard/>`, ``},
		{"yes", `<vmsBoard/>`, `a multiBoard without staticBoard`},
		{"yes", `<staticBoard/>`, `a multiBoard without vmsBoard`},
		{"yes", ``, `a multiBoard without staticBoard and vmsBoard`},
		{"no", `<staticBoard/><vmsBoard/>`, `a multiBoard that is not dynamic`},
	} {
		var messages []string
		for _, f := range read(t, document(oneRoad{rest: `<signals><signal id="1" s="9" t="0" ` +
			`type="multiBoard" dynamic="` + c.dynamic + `">` + c.boards +
			`</signal></signals>`}.String())).Check() {
			if f.ID == "X-SIGNAL" {
				messages = append(messages, f.Message)
			}
		}
		require.Equal(t, c.message, strings.Join(messages, "; "))
	}
}

// TestCheck_SurfaceExcludesOtherProfiles checks that two descriptions of one surface are reported.
func TestCheck_SurfaceExcludesOtherProfiles(t *testing.T) {
	for lateral, want := range map[string]int{
		`<crossSectionSurface/>`:                              1,
		`<superelevation s="0" a="0"/><crossSectionSurface/>`: 2,
	} {
		n := 0
		for _, f := range read(t, document(oneRoad{lateral: lateral}.String())).Check() {
			if f.ID == "X-SURFACE" {
				n++
			}
		}
		require.Equal(t, want, n, lateral)
	}
}

// TestCheck_NotesObjectsOfJunctions checks that objects of a junction, which are not simulated, are
// noted, as are details of other objects that are not.
func TestCheck_NotesObjectsOfJunctions(t *testing.T) {
	text := strings.Replace(document(oneRoad{}.String()), "</OpenDRIVE>", `<junction id="5">`+
		`<objects><object id="1" s="0" t="0" orientation="none">`+box+frame+
		`</object></objects></junction></OpenDRIVE>`, 1)
	var noted []string
	for _, f := range read(t, text).LeftOut() {
		noted = append(noted, f.Message)
	}
	require.Equal(t, []string{"objects in junction is not evaluated",
		"skeleton in object is not evaluated"}, noted)
}

// TestObjects_CornersOfTheirOutline checks that a border finds its corners in its own outline.
func TestObjects_CornersOfTheirOutline(t *testing.T) {
	const second = `<outline id="2"><cornerLocal id="8" u="0" v="0" z="0" height="1"/>` +
		`<cornerLocal u="1" v="0" z="0" height="1"/></outline>`
	for corners, want := range map[string]string{
		`<cornerReference id="0"/><cornerReference id="02"/>`: ``,
		`<cornerReference id="0"/><cornerReference id="8"/>`: `border along corner 8, which ` +
			`outline 01 does not have`,
	} {
		var messages []string
		for _, f := range objectFindings(t, `orientation="none"`, `<outlines>`+box+second+
			`</outlines><borders><border outlineId="01" type="curb" width="1" `+
			`useCompleteOutline="false">`+corners+`</border></borders>`) {
			messages = append(messages, f.Message)
		}
		require.Equal(t, want,
			strings.Join(messages, "; "))
	}
}

// TestCheck_RepeatedIDs requires one finding for each id, with the line of its first owner.
func TestCheck_RepeatedIDs(t *testing.T) {
	list := objectFindings(t, `orientation="none"`, strings.Repeat("</object>\n"+
		`<object id="7" type="tree" s="20" t="5" orientation="none">`, 3))
	require.Len(t, list, 1)
	require.Regexp(t, `^has the same id as object 7 of road 1 in line \d+ `+
		`\(and at 2 other places\)$`, list[0].Message)
	require.Regexp(t, fmt.Sprintf(` line %d `, list[0].Place.Line-1), list[0].Message)
}
