package xmldoc

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var small = Options{Limits: Limits{Bytes: 200, Elements: 5, Depth: 3, Names: 2}}

func TestRead_Tree(t *testing.T) {
	root, err := Read(strings.NewReader("<?xml version='1.0'?>\n<!-- c --><a:r xmlns:a='A' "+
		"xmlns='D'>\n  <c k='v' a:k='w'>x <!-- y --> z</c><a:c/>t</a:r>\n"), small)
	require.Nil(t, err)
	require.Equal(t, []any{"a", "A", "r", "a:r", "t", 2, 11}, []any{root.Prefix, root.Space,
		root.Name, root.Tag(), root.Text(), root.Line, root.Column})
	require.Empty(t, root.Attributes, "declarations are no attributes")
	c := root.In("D", "c")
	require.Equal(t, []any{"c", "xz", 3, 3}, []any{c.Tag(), c.Text(), c.Line, c.Column})
	require.Equal(t, []Attribute{{Name: "k", Value: "v"}, {"a", "A", "k", "w"}}, c.Attributes)
	require.Equal(t, "v", c.Value("k"))
	require.Equal(t, "d", c.Get("a:k", "d"))
	require.Len(t, root.Children("c"), 2)
	require.Len(t, root.AllIn("A", "c"), 1)
	require.Nil(t, root.In("A", "x"))
	require.Equal(t, 2, root.Child("x").Line, "a missing element is at the place of its parent")
}

func TestNode_NilHasNothing(t *testing.T) {
	var n *Node
	require.Empty(t, n.Value("k"))
	require.Empty(t, n.Elements())
	require.Empty(t, n.Child("a").Children("b"))
	require.Nil(t, n.In("A", "a").In("A", "b"))
	require.Empty(t, n.AllIn("A", "a"))
}

func TestRead_NamespacesEndWithTheirElement(t *testing.T) {
	root, err := Read(strings.NewReader("<r xmlns:a='A'><c xmlns:a='B'><a:x/></c><a:x/></r>"),
		Options{Limits: small.Limits, Strict: true})
	require.Nil(t, err)
	require.Equal(t, "B", root.Nodes[0].Nodes[0].Space)
	require.Equal(t, "A", root.Nodes[1].Space)
	_, err = Read(strings.NewReader("<r><c xmlns:a='B'/><a:x/></r>"),
		Options{Limits: small.Limits, Strict: true})
	require.EqualError(t, err, "the prefix of <a:x>, which is not declared")
}

func TestRead_Refused(t *testing.T) {
	for text, want := range map[string]struct {
		line, column int
		reason       string
	}{
		"":              {1, 1, "no element, expected a root element"},
		"<a>\n <b></a>": {2, 5, "element <b> of line 2 closed by </a>, expected </b>"},
		"<a/></b>":      {1, 5, "</b>, which closes no element"},
		"<a>\n<p:b>": {2, 6,
			"the end of the document inside <p:b> of line 2, expected </p:b>"},
		"<a>\n<b x='1' x='2'/></a>": {2, 1, "the attribute x of <b> twice"},
		"<a xmlns:b='1' xmlns:b='2'/>": {1, 1,
			"the attribute xmlns:b of <a> twice"},
		"<a xmlns='1' xmlns='2'/>": {1, 1, "the attribute xmlns of <a> twice"},
		"<a/>\n<b/>": {2, 1,
			"<b> after the end of the document, expected one root element"},
		"<a/>b":         {1, 5, "text outside the root element"},
		"<a>&bomb;</a>": {1, 10, "invalid character entity &bomb;"},
		"<a><":          {1, 5, "unexpected EOF"},
		"<?xml version='1.0' encoding='ebcdic'?><a/>": {1, 40, `the encoding "ebcdic", expected ` +
			"UTF-8, UTF-16, ISO-8859-1, windows-1252 or US-ASCII"},
	} {
		_, err := Read(strings.NewReader(text), small)
		require.NotNil(t, err, text)
		require.Equal(t, []any{want.line, want.column, want.reason},
			[]any{err.Line, err.Column, err.Error()}, text)
		require.False(t, err.TooLarge, text)
	}
}

func TestRead_Limits(t *testing.T) {
	for reason, text := range map[string]string{
		"more than 200 bytes, expected at most that": "<a>" + strings.Repeat(" ", 200) + "</a>",
		"more than 5 elements":                       "<a><b/><b/><b/><b/><b/></a>",
		"elements nested more than 3 deep":           "<a><b><c><d/></c></b></a>",
		"3 attributes of <a>, expected at most 2":    "<a b='' c='' d=''/>",
		"more than 2 namespaces in force": "<a xmlns:b='' xmlns:c=''><b xmlns:d=''>" +
			"<c/></b></a>",
	} {
		_, err := Read(strings.NewReader(text), small)
		require.NotNil(t, err)
		require.EqualError(t, err, reason)
		require.True(t, err.TooLarge)
	}
	_, err := Read(strings.NewReader("<a><b><c/></b><b/><b/></a>"), small)
	require.Nil(t, err, "within all limits")
}

func TestRead_Strict(t *testing.T) {
	for text, reason := range map[string]string{
		"<b:a/>": "the prefix of <b:a>, which is not declared",
		"<a b:c=''/>": "the prefix of the attribute b:c, which " +
			"is not declared",
		"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>": "a document type with entities",
	} {
		_, err := Read(strings.NewReader(text), Options{Limits: small.Limits, Strict: true})
		require.NotNil(t, err, text)
		require.EqualError(t, err, reason)
		root, err := Read(strings.NewReader(text), small)
		require.Nil(t, err, text)
		require.Equal(t, root.Prefix, root.Space)
	}
}

func TestRead_AReaderThatFails(t *testing.T) {
	broken := errors.New("broken disk")
	_, err := Read(io.MultiReader(strings.NewReader("<a>"), failing{broken}), small)
	require.ErrorIs(t, err, broken)
	require.Zero(t, err.Line)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzRead compares with the decoder of encoding/xml, which matches tags and resolves namespaces in
// its own way: a document that the decoder refuses is refused here, too.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"<a b='c'><d>e</d></a>", "<x:a xmlns:x='y'><x:b x:c='d'/></x:a>",
		"<a><b></a></b>", "<!DOCTYPE a><a>&lt;</a>"} {
		f.Add(text)
	}
	o := Options{Limits: Limits{Bytes: 1 << 16, Elements: 1 << 12, Depth: 50, Names: 100}}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := Read(strings.NewReader(text), o)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		d := xml.NewDecoder(strings.NewReader(text))
		d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
		requireSame(t, d, root)
	})
}

// requireSame compares names and attributes of the tree with the decoder's elements in document
// order. The decoder cannot read documents in other encodings.
func requireSame(t *testing.T, d *xml.Decoder, root *Node) {
	next := func() (xml.StartElement, bool) {
		for {
			token, err := d.Token()
			if err != nil {
				return xml.StartElement{}, false
			}
			if s, is := token.(xml.StartElement); is {
				return s, true
			}
		}
	}
	var walk func(n *Node) bool
	walk = func(n *Node) bool {
		s, is := next()
		if !is {
			return false
		}
		require.Equal(t, s.Name, xml.Name{Space: n.Space, Local: n.Name})
		for _, c := range n.Nodes {
			if !walk(c) {
				return false
			}
		}
		return true
	}
	if walk(root) {
		_, more := next()
		require.False(t, more, "elements that the tree lacks")
	}
}
