package xmltext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scanned returns the texts and the values of attributes of a document, in their order.
func scanned(t *testing.T, text string) (list []string, err error) {
	t.Helper()
	s := NewScanner(text)
	for {
		kind, err := s.Next()
		if err != nil {
			return list, err
		}
		switch kind {
		case Start:
			list = append(list, "<"+s.Name.Local)
			for _, a := range s.Attributes {
				list = append(list, a.Value)
			}
		case Text:
			list = append(list, s.Text)
		}
	}
}

func TestExpanded_EntitiesOfTheDocument(t *testing.T) {
	for document, want := range map[string][]string{
		`<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b 'q"&a;'>]><r k="1&b;2">&a;&amp;&b;</r>`: {"<r",
			`1q"x2`, `x&q"x`},
		`<!DOCTYPE r SYSTEM "a>b.dtd" [ <!-- ]> <!ENTITY a "no"> --> <?p ]?>
			<!ELEMENT r (#PCDATA)> <!ATTLIST r k CDATA "]>"> %pe;
			<!ENTITY % p "x"> <!ENTITY f SYSTEM "file:///etc/passwd"> <!ENTITY a "v">
			<!ENTITY a "w"> <!ENTITY amp "no"> ] ><r>&a;&amp;</r>`: {"<r", "]>", "v&"},
		`<!DOCTYPE r [<!ENTITY e "<c k='&quot;'>in</c>"><!ENTITY n "">]><r>&e;&n;</r>`: {"<r",
			"<c", `"`, "in"},
		`<!DOCTYPE r [<!ENTITY a "x">]><r><!-- &a; --><![CDATA[&a;]]><?p &a;?>&a;</r>`: {"<r",
			"&a;", "x"},
		`<!DOCTYPE r [<!ENTITY l "&#38;#60;&#x26;lt;"><!ENTITY s "it's">]><r k='&s;'>&l;</r>`: {
			"<r", "it's", "<<"},
		"<?xml version=\"1.0\"?>\n<!-- - -->\n<!DOCTYPE r [<!ENTITY a 'é'>]>\n<r>&a;</r>": {
			"\n", "\n", "\n", "<r", "é"},
	} {
		got, err := scanned(t, document)
		require.ErrorContains(t, err, "EOF", document)
		require.Equal(t, want, got, document)
	}
}

func TestExpanded_DefaultsOfAttributes(t *testing.T) {
	for document, want := range map[string][]string{
		`<!DOCTYPE r [<!ATTLIST r k CDATA "1"><!ATTLIST r k CDATA "2">]><r><r k="3"/><r/></r>`: {
			"<r", "1", "<r", "3", "<r", "1"},
		`<!DOCTYPE r [<!ATTLIST r a (u|v) #IMPLIED b NMTOKENS #FIXED ' x  y ' c CDATA #REQUIRED
			d NOTATION (n|m) "n" e ID #IMPLIED f CDATA '"&lt;&q;>'>
			<!ENTITY q "'Q&#10;">]><r a = '>' c="/"/>`: {"<r", ">", "/", "x y", "n", "\"<'Q\n>"},
		`<!DOCTYPE r [<!ENTITY e "<c/>"><!ATTLIST c k CDATA "in">]><r>&e;<!--<c/>--></r>`: {"<r",
			"<c", "in"},
		`<!DOCTYPE r [<!ATTLIST r k CDATA #IMPLIED><!ATTLIST r k CDATA "1" l CDATA>]><r></r>`: {
			"<r"},
		`<!DOCTYPE r [<!-- <!ATTLIST r k CDATA "1"> -->]><r/>`: {"<r"},
	} {
		got, err := scanned(t, document)
		require.ErrorContains(t, err, "EOF", document)
		require.Equal(t, want, got, document)
	}
}

func TestExpanded_Refused(t *testing.T) {
	laughs := `<!DOCTYPE r [<!ENTITY a0 "ha">`
	empty := `<!DOCTYPE r [<!ENTITY a0 "">`
	for k := range 12 {
		next := string(rune('b'+k)) + "0"
		this := string(rune('a'+k)) + "0"
		laughs += `<!ENTITY ` + next + ` "` + strings.Repeat("&"+this+";", 10) + `">`
		empty += `<!ENTITY ` + next + ` "` + strings.Repeat("&"+this+";", 10) + `">`
	}
	for document, want := range map[string]string{
		laughs +
			"]><r>&m0;</r>": "stand for too much, expected at most 1 MB",
		empty + "]><r k='&m0;'/>": "stand for too much",
		laughs +
			"]><r>\n&z;</r>": "invalid character entity &z;",
		"<!DOCTYPE r [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><r>&a;</r>": "refer to each other",
		"<!DOCTYPE r [<!ENTITY a '<'>]><r k='&a;'/>":                  "unescaped <",
		"<!DOCTYPE r [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><r>&f;</r>": "invalid character " +
			"entity &f;",
		"<!DOCTYPE r [<!ENTITY a '</r>'>]><r>&a;</r>":        "unexpected end element",
		"<!DOCTYPE r [<!ENTITY a 'x'":                        "syntax error",
		"<!DOCTYPE r [<!ATTLIST c k CDATA '<'>]><r><c/></r>": "unescaped <",
		"<!DOCTYPE r [<!ATTLIST c k CDATA '" + strings.Repeat("x", 600) + "'>]><r>" +
			strings.Repeat("<c/>", 2000) + "</r>": "the attribute k in defaults that stand for " +
			"too much, expected at most 1 MB",
		"<!DOCTYPE r [<!ENTITY a 'x'>]>" + strings.Repeat("<r>&a;</r>", 1)[:6] +
			"&a": "syntax error",
	} {
		_, err := scanned(t, document)
		require.ErrorContains(t, err, want, document[:min(200, len(document))])
	}
}

// TestExpanded_Bound: the bound grows with the document.
func TestExpanded_Bound(t *testing.T) {
	const head = `<!DOCTYPE r [<!ENTITY a "1234567890123456789012345678901234567890">]><r>`
	_, err := scanned(t, head+strings.Repeat("&a;", 17_400)+"</r>")
	require.ErrorContains(t, err, "EOF")
	_, err = scanned(t, head+strings.Repeat("&a;", 18_000)+"</r>")
	require.ErrorContains(t, err, "too much")
	_, err = scanned(t, head+strings.Repeat("&a;          ", 50_000)+"</r>")
	require.ErrorContains(t, err, "EOF")
}

func TestExpanded_PlaceOfTheReference(t *testing.T) {
	s := NewScanner("<!DOCTYPE r [\n<!ENTITY a '&a;'>]>\n<r>\n  <b/> &a;</r>")
	_, err := s.Next()
	require.Error(t, err)
	line, column := s.InputPos()
	require.Equal(t, []int{4, 8}, []int{line, column})
	_, again := s.Next()
	require.Equal(t, err, again)
}

// FuzzExpanded: whatever a document declares, it does not grow beyond the bounds.
func FuzzExpanded(f *testing.F) {
	f.Add(`<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b '&a;&a;&b;'>]><r k="1&b;2">&a;&amp;&b;</r>`)
	f.Add(`<?p?><!--c--><!DOCTYPE r SYSTEM 's' [%p;<!ENTITY a "<b c='&#38;'/>">]> <r>&a;</r>`)
	f.Add(`<!DOCTYPE r [<!ATTLIST r a (u|v) #IMPLIED b ID #FIXED ' x ' c CDATA "&a;">]><r a='>'/>`)
	f.Fuzz(func(t *testing.T, text string) {
		result, at, err := expanded(text)
		require.LessOrEqual(t, len(result), len(text)+5*max(freeExpansion, mostExpansion*len(text)))
		require.LessOrEqual(t, at, len(text))
		if err != nil {
			require.Equal(t, text, result)
		}
	})
}
