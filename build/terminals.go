//go:build !fmucore

package build

import (
	"bytes"
	"encoding/xml"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/osmp"
)

const terminalsFolder = "terminalsAndIcons/"

// terminal is a notional binary variable as one connector (FMI 3.0, 2.4.9; FMI 2.0.5 has the same
// file). Terminals can be connected if they have the same kind, which here is the MIME type of the
// message, and their members have the same names.
type terminal struct {
	Name         string   `xml:"name,attr"`
	MatchingRule string   `xml:"matchingRule,attr"`
	Kind         string   `xml:"terminalKind,attr"`
	Description  string   `xml:"description,attr,omitempty"`
	Members      []member `xml:"TerminalMemberVariable"`
}

// member is an actual variable; its name in the terminal is its role.
type member struct {
	Variable string `xml:"variableName,attr"`
	Name     string `xml:"memberName,attr"`
	Kind     string `xml:"variableKind,attr"`
}

// terminals returns terminalsAndIcons.xml; nil for a model without binary variables.
func terminals(d *fmu.Definition) []byte {
	var list []terminal
	for _, m := range messages(d) {
		t := terminal{Name: m.Name, MatchingRule: "plug", Kind: m.MIMEType}
		for _, v := range m.variables {
			part, _ := osmp.PartOf(v.Annotations)
			t.Members = append(t.Members, member{v.Name, string(part.Role), "signal"})
			if v.Type == fmi.Binary {
				t.Description = v.Description
			}
		}
		list = append(list, t)
	}
	if list == nil {
		return nil
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	// texts and numbers only, which cannot fail
	_ = e.Encode(struct {
		XMLName xml.Name   `xml:"fmiTerminalsAndIcons"`
		Version string     `xml:"fmiVersion,attr"`
		List    []terminal `xml:"Terminals>Terminal"`
	}{Version: "3.0", List: list})
	b.WriteByte('\n')
	return b.Bytes()
}
