package osmprules

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmu/modeldescription"
	"gosmp/sensor/dummysensor"
)

// description contains the parts of a modelDescription.xml that OSMP has rules for.
type description struct {
	Version     string `xml:"fmiVersion,attr"`
	Naming      string `xml:"variableNamingConvention,attr"`
	Description string `xml:"description,attr"`
	Experiment  *struct {
		Step string `xml:"stepSize,attr"`
	} `xml:"DefaultExperiment"`
	Tools     []tool      `xml:"VendorAnnotations>Tool"`
	Variables []*variable `xml:"ModelVariables>ScalarVariable"`
	Initial   []struct {
		Index        int    `xml:"index,attr"`
		Dependencies string `xml:"dependencies,attr"`
	} `xml:"ModelStructure>InitialUnknowns>Unknown"`
}

type variable struct {
	Name        string `xml:"name,attr"`
	Reference   string `xml:"valueReference,attr"`
	Causality   string `xml:"causality,attr"`
	Variability string `xml:"variability,attr"`
	Integer     *struct {
		Start *string `xml:"start,attr"`
	}
	Tools []tool `xml:"Annotations>Tool"`
}

// tool is a vendor annotation; only elements in OSMP's namespace count as OSMP's.
type tool struct {
	Name  string `xml:"name,attr"`
	Marks []struct {
		Version string `xml:"version,attr"`
		OSI     string `xml:"osi-version,attr"`
	} `xml:"http://xsd.pmsf.net/OSISensorModelPackaging osmp"`
	Roles []role `xml:"http://xsd.pmsf.net/OSISensorModelPackaging osmp-binary-variable"`
}

type role struct {
	Name string `xml:"name,attr"`
	Role string `xml:"role,attr"`
	MIME string `xml:"mime-type,attr"`
}

// roles returns the annotations of OSMP on a variable.
func (v *variable) roles() (list []role) {
	for _, t := range v.Tools {
		if t.Name == "net.pmsf.osmp" {
			list = append(list, t.Roles...)
		}
	}
	return list
}

// part is one integer of a notional binary variable.
type part struct {
	role
	*variable
}

// binaries groups the annotated variables by the name of their notional variable; the names are in
// order.
func (d *description) binaries() (names []string, parts map[string][]part) {
	parts = map[string][]part{}
	for _, v := range d.Variables {
		for _, r := range v.roles() {
			if parts[r.Name] == nil {
				names = append(names, r.Name)
			}
			parts[r.Name] = append(parts[r.Name], part{r, v})
		}
	}
	slices.Sort(names)
	return names, parts
}

// each runs a check on all notional variables whose name without an index is base, or on all if
// base is empty. It returns an error if there are none.
func (d *description) each(base string, check func(name string, parts []part) error) error {
	names, parts := d.binaries()
	found := false
	for _, name := range names {
		bare, _, _ := strings.Cut(name, "[")
		if base != "" && bare != base {
			continue
		}
		found = true
		if err := check(name, parts[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if !found {
		return fmt.Errorf("no binary variable %s", base)
	}
	return nil
}

// eachMessage runs a check on the variables that OSMP names, which are OSI messages. Authors may
// define others with any MIME type.
func (d *description) eachMessage(check func(name string, parts []part) error) error {
	return d.each("", func(name string, parts []part) error {
		if !strings.HasPrefix(name, "OSMP") {
			return nil
		}
		return check(name, parts)
	})
}

// rendered returns the model description as the packer would write it.
func rendered(t require.TestingT) string {
	d := dummysensor.Definition()
	d.GUID = "00000000-0000-0000-0000-000000000000"
	var b bytes.Buffer
	require.NoError(t, modeldescription.Render(&b, d))
	return b.String()
}

// packed returns the path of the FMU, if there is one.
func packed(t *testing.T) string {
	t.Helper()
	name := os.Getenv("GOSMP_FMU")
	if name == "" {
		name = "../../dist/OSMPDummySensor.fmu"
	}
	if _, err := os.Stat(name); err != nil {
		t.Skipf("no packed FMU to test: %v; make one with `make fmu`, or name one in GOSMP_FMU",
			err)
	}
	return name
}

// entry reads one file of the packed FMU.
func entry(t *testing.T, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader(packed(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	content, err := fs.ReadFile(z, name)
	require.NoError(t, err)
	return content
}

// spoil is a change of the rendered model description that breaks the rule under test: it replaces
// every old by new.
type spoil struct{ old, new string }

// holds requires that a check accepts the rendered and the packed model description and rejects
// every spoiled one.
func holds(t *testing.T, check func(*description) error, spoils ...spoil) {
	t.Helper()
	text := rendered(t)
	t.Run("rendered", func(t *testing.T) { require.NoError(t, check(parsed(t, text))) })
	t.Run("packed", func(t *testing.T) {
		require.NoError(t, check(parsed(t, string(entry(t, "modelDescription.xml")))))
	})
	require.NotEmpty(t, spoils, "a check that cannot fail")
	for k, s := range spoils {
		t.Run(fmt.Sprintf("spoiled %d", k+1), func(t *testing.T) {
			require.Contains(t, text, s.old)
			require.Error(t, check(parsed(t, strings.ReplaceAll(text, s.old, s.new))), "%s", s.new)
		})
	}
}

func parsed(t require.TestingT, text string) *description {
	d := &description{}
	require.NoError(t, xml.Unmarshal([]byte(text), d))
	return d
}
