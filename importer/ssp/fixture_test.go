package ssp_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/internal/finding"
)

// entry is a file of a package.
type entry struct {
	name    string
	content string
	header  func(*zip.FileHeader) // changes its header
}

type entries []entry

// with replaces text in an entry, or adds the entry.
func (e entries) with(name, old, replacement string) entries {
	list := slices.Clone(e)
	for k := range list {
		if list[k].name == name {
			if !strings.Contains(list[k].content, old) {
				panic(fmt.Sprintf("%s has no %q", name, old))
			}
			list[k].content = strings.Replace(list[k].content, old, replacement, 1)
			return list
		}
	}
	return append(list, entry{name: name, content: replacement})
}

// renamed changes the name of an entry.
func (e entries) renamed(old, name string) entries {
	list := slices.Clone(e)
	for k := range list {
		if list[k].name == old {
			list[k].name = name
		}
	}
	return list
}

func (e entries) bytes(t testing.TB) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, x := range e {
		h := &zip.FileHeader{Name: x.name, Method: zip.Deflate}
		if x.header != nil {
			x.header(h)
		}
		w, err := z.CreateHeader(h)
		require.NoError(t, err)
		_, err = w.Write([]byte(x.content))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// pack writes the package and returns its path.
func (e entries) pack(t testing.TB) string {
	name := filepath.Join(t.TempDir(), "demo.ssp")
	require.NoError(t, os.WriteFile(name, e.bytes(t), 0o600))
	return name
}

// check returns the sorted distinct ids of the findings about the package, and the findings
// themselves.
func (e entries) check(t testing.TB, o ssp.Options) ([]string, finding.List) {
	list, err := ssp.Check(e.pack(t), o)
	require.NoError(t, err)
	return ids(list), list
}

func ids(list finding.List) []string {
	found := []string{}
	for _, f := range list {
		if !slices.Contains(found, f.ID) {
			found = append(found, f.ID)
		}
	}
	slices.Sort(found)
	return found
}

// variable returns a variable of an FMI 2.0 FMU from "name type causality variability rest".
func variable(number int, text string) string {
	words := strings.SplitN(text, " ", 5)
	rest := ""
	if len(words) > 4 {
		rest = words[4]
	}
	attributes, start, annotation := "", "", ""
	if name, role, is := strings.Cut(words[0], "."); is && strings.HasPrefix(name, "OSMP") {
		annotation = fmt.Sprintf(
			`<Annotations><Tool name="net.pmsf.osmp" `+
				`xmlns:osmp="http://xsd.pmsf.net/OSISensorModelPackaging">`+
				`<osmp:osmp-binary-variable name=%q role=%q `+
				`mime-type="application/x-open-simulation-interface; type=%s; version=3.8.0"/>`+
				`</Tool></Annotations>`,
			name, role, messageType(name))
	}
	for _, w := range strings.Fields(rest) {
		if strings.HasPrefix(w, "initial=") {
			attributes += " " + w
		} else {
			start += " " + w
		}
	}
	return fmt.Sprintf(
		`<ScalarVariable name=%q valueReference="%d" causality=%q variability=%q%s>`+
			`<%s%s/>%s</ScalarVariable>`,
		words[0], number, words[2], words[3], attributes, words[1], start, annotation)
}

// messageType returns the OSI message of a notional binary variable.
func messageType(name string) string {
	switch {
	case strings.Contains(name, "Config"):
		return "SensorViewConfiguration"
	case strings.Contains(name, "SensorData"):
		return "SensorData"
	}
	return "SensorView"
}

// fmu returns an FMI 2.0 FMU with libraries for all systems on which tests run. The libraries are
// empty because they are never loaded.
func fmu(t testing.TB, variables ...string) string {
	var list, outputs strings.Builder
	for k, v := range variables {
		list.WriteString(variable(k, v))
		if strings.Contains(v, " output ") {
			fmt.Fprintf(&outputs, `<Unknown index="%d"/>`, k+1)
		}
	}
	description := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g" numberOfEventIndicators="0">
<CoSimulation modelIdentifier="m" canHandleVariableCommunicationStepSize="true"/>
<UnitDefinitions><Unit name="Pa"><BaseUnit kg="1" m="-1" s="-2"/></Unit><Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit></UnitDefinitions>
<TypeDefinitions><SimpleType name="Gear"><Enumeration><Item name="R" value="-1"/><Item name="N" value="0"/><Item name="D" value="1"/></Enumeration></SimpleType></TypeDefinitions>
<ModelVariables>%s</ModelVariables><ModelStructure><Outputs>%s</Outputs></ModelStructure></fmiModelDescription>`, list.String(), outputs.String())
	all := entries{{name: "modelDescription.xml", content: description}}
	for _, library := range []string{"linux64/m.so", "win64/m.dll", "darwin64/m.dylib"} {
		all = append(all, entry{name: "binaries/" + library})
	}
	return string(all.bytes(t))
}

// triple returns the variables of an OSMP message.
func triple(name, causality, variability string) (list []string) {
	for _, part := range []string{"base.lo", "base.hi", "size"} {
		start := ` start="0"`
		if causality == "output" {
			start = ` start="0" initial="exact"`
		}
		if causality == "calculatedParameter" {
			start = ""
		}
		list = append(list, fmt.Sprintf("%s.%s Integer %s %s%s", name, part, causality, variability,
			start))
	}
	return list
}
