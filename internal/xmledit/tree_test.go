package xmledit_test

import (
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/xmledit"
)

func parse(t require.TestingT, text string) *xmledit.Document {
	d, err := xmledit.Parse([]byte(text))
	require.NoError(t, err)
	return d
}

const town = `<?xml version="1.0"?>
<!-- by hand -->
<map  name='a "b"' >
  <road id="2"
        length = "5"/>
  <!-- the first one -->
  <road id="1"><lane/></road>
</map>
<!-- end -->
`

func TestParse_KeepsTheText(t *testing.T) {
	d := parse(t, town)
	require.Equal(t, town, string(d.Bytes()))
	roads := d.Root.Named("road")
	require.Len(t, roads, 2)
	require.Equal(t, 5, roads[0].Line)
	require.Equal(t, 7, roads[1].Line)
	require.Equal(t, `a "b"`, d.Root.Get("name"))
	_, err := xmledit.Parse([]byte("<a><b></a>"))
	require.Error(t, err)
	_, err = xmledit.Parse([]byte("<!-- nothing -->"))
	require.Error(t, err)
}

func TestElement_Attributes(t *testing.T) {
	d := parse(t, town)
	road := d.Root.Child("road")
	road.Set("length", "6")
	road.Set("name", `<"x">`)
	road.Rename("id", "number")
	d.Root.Set("name", "it's")
	require.Equal(t, `<?xml version="1.0"?>
<!-- by hand -->
<map  name='it&#39;s' >
  <road number="2"
        length = "6" name="&lt;&#34;x&#34;&gt;"/>
  <!-- the first one -->
  <road id="1"><lane/></road>
</map>
<!-- end -->
`, string(d.Bytes()))
	require.Equal(t, `<"x">`, parse(t, string(d.Bytes())).Root.Child("road").Get("name"))
}

func TestElement_MovesWithItsComments(t *testing.T) {
	d := parse(t, town)
	byID := func(e *xmledit.Element) float64 { return float64(e.Get("id")[0]) }
	moved := d.Root.Sort(byID)
	require.Len(t, moved, 1)
	require.Contains(t, string(d.Bytes()), `<map  name='a "b"' >
  <!-- the first one -->
  <road id="1"><lane/></road>
  <road id="2"
        length = "5"/>
</map>`)
	require.Empty(t, d.Root.Sort(byID))

	d = parse(t, `<a><x id="3"/><y id="0"/><x id="1"/><x id="2"/></a>`)
	named := func(e *xmledit.Element) bool { return e.Name == "x" }
	require.Len(t, d.Root.SortThose(named, byID), 2)
	require.Equal(t, `<a><x id="1"/><y id="0"/><x id="2"/><x id="3"/></a>`, string(d.Bytes()))
	require.Equal(t, 2, d.Root.Named("x")[1].Index())
}

func TestElement_Insert(t *testing.T) {
	d := parse(t, town)
	roads := d.Root.Named("road")
	roads[0].Append("link").Append("successor", "id", "1")
	roads[1].Child("lane").Append("width", "a", "3")
	d.Root.Insert(0, "header", "revMajor", "1")
	roads[1].Child("lane").Move(roads[0])
	require.Contains(t, string(d.Bytes()), `<map  name='a "b"' >
  <header revMajor="1"/>
  <road id="2"
        length = "5">
    <link>
      <successor id="1"/>
    </link><lane><width a="3"/></lane>
  </road>
  <!-- the first one -->
  <road id="1"></road>
</map>`)
	roads[1].Remove()
	require.NotContains(t, string(d.Bytes()), "first")

	d = parse(t, `<o:map xmlns:o="x"><o:road/></o:map>`)
	d.Root.Child("road").Append("link")
	require.Equal(t, `<o:map xmlns:o="x"><o:road><o:link/></o:road></o:map>`, string(d.Bytes()))
}

func TestDocument_DeclareUTF8(t *testing.T) {
	d := parse(t, `<?xml version="1.0" encoding='ISO-8859-1'?><a encoding="x"/>`)
	d.DeclareUTF8()
	require.Equal(t, `<?xml version="1.0" encoding='UTF-8'?><a encoding="x"/>`, string(d.Bytes()))
}

// TestDocument_SurvivesAnyEdits: after edits of any kind, the text is a document with the elements
// and attributes of the tree.
func TestDocument_SurvivesAnyEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := parse(t, town)
		all := []*xmledit.Element{d.Root}
		for k := 0; k < len(all); k++ {
			all = append(all, all[k].Children()...)
		}
		value := rapid.StringOf(rapid.RuneFrom([]rune(`ab<>"'& ä/=`)))
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			e := rapid.SampledFrom(all).Draw(t, "element")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				name := rapid.SampledFrom([]string{"id", "x", "name"}).Draw(t, "name")
				e.Set(name, value.Draw(t, "value"))
			case 1:
				if _, taken := e.Attribute("y"); !taken {
					e.Rename("id", "y")
				}
			case 2:
				at := rapid.IntRange(0, len(e.Children())).Draw(t, "at")
				all = append(all, e.Insert(at, "new", "x", value.Draw(t, "value")))
			default:
				e.Sort(func(e *xmledit.Element) float64 { return -float64(len(e.Attributes())) })
			}
		}
		same(t, d.Root, parse(t, string(d.Bytes())).Root)
	})
}

func same(t require.TestingT, a, b *xmledit.Element) {
	require.Equal(t, a.Name, b.Name)
	require.Equal(t, values(a.Attributes()), values(b.Attributes()))
	require.Len(t, b.Children(), len(a.Children()))
	for k, c := range a.Children() {
		same(t, c, b.Children()[k])
	}
}

func values(list []xml.Attr) (texts []string) {
	for _, a := range list {
		texts = append(texts, a.Name.Local+"="+a.Value)
	}
	return texts
}
