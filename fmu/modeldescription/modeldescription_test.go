package modeldescription_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// tenth is a variable, not a constant, so that sums are rounded as at run time.
var tenth = 0.1

// sample returns a definition with every kind of variable and every character that is special in
// XML.
func sample() *fmu.Definition {
	d := &fmu.Definition{
		ModelName:       `Sensor "A" & <B>`,
		ModelIdentifier: "SensorA",
		Description:     "Ümläute, a\ttab and\na line break",
		Version:         "1.2.3",
		GUID:            "0123456789abcdef0123456789abcdef",
		Units: []fmi.Unit{
			{Name: "m/s2", M: 1, S: -2},
			{Name: "deg", Rad: 1, Factor: math.Pi / 180},
			{Name: "T", KG: 1, S: -2, A: -1},
			{Name: "K", K: 1, Factor: 1},
			{Name: "1"},
		},
		LogCategories: []fmi.LogCategory{{Name: "logScenario",
			Description: "what is read from the file"}},
		Experiment: fmu.Experiment{Stop: 10, Tolerance: 1e-6, Step: 0.02},
		Annotations: []fmi.Annotation{annotation("osmp", "version", "0.3.0", "osi-version",
			"3.8.0")},
		New: func(fmu.Host) fmu.Model { return nil },
	}
	low, high := 0.0, 360.0
	t0 := tenth + 0.2 // a sum that ends in 4 at the 17th digit
	t := &d.Variables
	t.Add(fmu.Variable{Name: "size", Type: fmi.Integer, Causality: fmi.Input,
		Variability: fmi.Discrete, Start: int32(0),
		Annotations: []fmi.Annotation{annotation("osmp-binary-variable", "name", "In", "mime-type",
			`a/b; c="d"`)}})
	t.Add(fmu.Variable{Name: "heading", Type: fmi.Real, Causality: fmi.Output,
		Variability: fmi.Continuous, Initial: fmi.Exact, Start: t0, Unit: "deg", Min: &low,
		Max: &high})
	t.Add(fmu.Variable{Name: "count", Type: fmi.Integer, Causality: fmi.Output,
		Variability: fmi.Discrete, Initial: fmi.Calculated,
		DependsOn: []string{"range", "size", "range"}})
	t.Add(fmu.Variable{Name: "range", Type: fmi.Real, Causality: fmi.Parameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: 1e-7})
	t.Add(fmu.Variable{Name: "path", Type: fmi.String, Causality: fmi.Parameter,
		Variability: fmi.Tunable, Initial: fmi.Exact, Start: ""})
	t.Add(fmu.Variable{Name: "strict", Type: fmi.Boolean, Causality: fmi.Parameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: false})
	t.Add(fmu.Variable{Name: "request.lo", Type: fmi.Integer, Causality: fmi.CalculatedParameter,
		Variability: fmi.Fixed,
		Initial:     fmi.Calculated, DependsOn: []string{"range"}})
	t.Add(fmu.Variable{Name: "state[1].x", Type: fmi.Integer, Causality: fmi.Local,
		Variability: fmi.Discrete, Initial: fmi.Approx, Start: int32(7), Min: &low, Max: &high})
	t.Add(fmu.Variable{Name: "estimate", Type: fmi.Real, Causality: fmi.Output,
		Variability: fmi.Continuous, Initial: fmi.Approx, Start: 1.0})
	return d
}

func annotation(element string, pairs ...string) fmi.Annotation {
	e := fmi.Element{Prefix: "x", Namespace: "http://example.org/a&b", Name: element}
	for k := 0; k < len(pairs); k += 2 {
		e.Attributes = append(e.Attributes, fmi.Attribute{Name: pairs[k], Value: pairs[k+1]})
	}
	return fmi.Annotation{Tool: "org.example", Elements: []fmi.Element{e}}
}

func render(t *testing.T, d *fmu.Definition) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, modeldescription.Render(&b, d))
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	golden := filepath.Join("testdata", "modelDescription.xml")
	got := render(t, sample())
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.Equal(t, got, render(t, sample()), "the same definition gives the same bytes")
}

// document is the part of the XML that the tests examine after parsing.
type document struct {
	Name        string `xml:"modelName,attr"`
	Description string `xml:"description,attr"`
	Units       []struct {
		Name string `xml:"name,attr"`
		Base struct {
			Attributes []xml.Attr `xml:",any,attr"`
		} `xml:"BaseUnit"`
	} `xml:"UnitDefinitions>Unit"`
	Categories []struct {
		Name string `xml:"name,attr"`
	} `xml:"LogCategories>Category"`
	Vendor *struct {
		Tool struct {
			Name string `xml:"name,attr"`
			Mark struct {
				XMLName xml.Name
				Version string `xml:"version,attr"`
			} `xml:",any"`
		} `xml:"Tool"`
	} `xml:"VendorAnnotations"`
	Variables []variable `xml:"ModelVariables>ScalarVariable"`
	Outputs   []unknown  `xml:"ModelStructure>Outputs>Unknown"`
	Unknowns  []unknown  `xml:"ModelStructure>InitialUnknowns>Unknown"`
}

type variable struct {
	Name      string   `xml:"name,attr"`
	Reference string   `xml:"valueReference,attr"`
	Initial   string   `xml:"initial,attr"`
	Notes     struct{} `xml:"Annotations"`
	Value     struct {
		XMLName xml.Name
		Start   *string `xml:"start,attr"`
		Min     string  `xml:"min,attr"`
		Max     string  `xml:"max,attr"`
	} `xml:",any"`
}

type unknown struct {
	Index        int     `xml:"index,attr"`
	Dependencies *string `xml:"dependencies,attr"`
	Kind         *string `xml:"dependenciesKind,attr"`
}

func parse(t *testing.T, text []byte) (doc document) {
	t.Helper()
	require.NoError(t, xml.Unmarshal(text, &doc), string(text))
	return doc
}

func TestTextsSurviveEscaping(t *testing.T) {
	doc := parse(t, render(t, sample()))
	require.Equal(t, sample().ModelName, doc.Name)
	require.Equal(t, sample().Description, doc.Description)
	require.Equal(t, xml.Name{Space: "http://example.org/a&b", Local: "osmp"},
		doc.Vendor.Tool.Mark.XMLName)
	require.Equal(t, "0.3.0", doc.Vendor.Tool.Mark.Version)
}

func TestChildrenComeInTheOrderOfTheSchema(t *testing.T) {
	decoder := xml.NewDecoder(bytes.NewReader(render(t, sample())))
	var order []string
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			break
		}
		switch e := token.(type) {
		case xml.StartElement:
			if depth++; depth == 2 {
				order = append(order, e.Name.Local)
			}
		case xml.EndElement:
			depth--
		}
	}
	require.Equal(t, []string{"CoSimulation", "UnitDefinitions", "LogCategories",
		"DefaultExperiment", "VendorAnnotations",
		"ModelVariables", "ModelStructure"}, order)
}

func TestStructureListsOutputsAndInitialUnknowns(t *testing.T) {
	doc := parse(t, render(t, sample()))
	none, both, one := "", "1 4", "4"
	require.Equal(t, []unknown{{2, &none, nil}, {3, &none, nil}, {9, &none, nil}}, doc.Outputs)
	require.Equal(t, []unknown{{3, &both, nil}, {7, &one, nil}, {9, nil, nil}}, doc.Unknowns)
}

func TestVariablesKeepTypeReferenceStartAndLimits(t *testing.T) {
	d := sample()
	doc := parse(t, render(t, d))
	require.Len(t, doc.Variables, len(d.Variables.All()))
	for k, v := range d.Variables.All() {
		got := doc.Variables[k]
		require.Equal(t, v.Name, got.Name)
		require.Equal(t, v.Type.String(), got.Value.XMLName.Local)
		require.Equal(t, strconv.Itoa(int(v.Reference(fmi.FMI2))), got.Reference)
		require.Equal(t, string(v.Initial), got.Initial)
		require.Equal(t, v.Start != nil, got.Value.Start != nil, v.Name)
	}
	start, err := strconv.ParseFloat(*doc.Variables[1].Value.Start, 64)
	require.NoError(t, err)
	require.Equal(t, tenth+0.2, start, "to the last bit")
	require.Empty(t, *doc.Variables[4].Value.Start, "an empty text is a start value")
	require.Equal(t, "360", doc.Variables[7].Value.Max)
}

func TestUnitsNameOnlyWhatDiffersFromTheDefault(t *testing.T) {
	doc := parse(t, render(t, sample()))
	found := map[string]map[string]string{}
	for _, u := range doc.Units {
		found[u.Name] = map[string]string{}
		for _, a := range u.Base.Attributes {
			found[u.Name][a.Name.Local] = a.Value
		}
	}
	require.Equal(t, map[string]map[string]string{
		"m/s2": {"m": "1", "s": "-2"}, "deg": {"rad": "1", "factor": "0.017453292519943295"},
		"T": {"kg": "1", "s": "-2", "A": "-1"}, "K": {"K": "1"}, "1": {},
	}, found)
}

func TestListsWithoutElementsAreLeftOut(t *testing.T) {
	d := &fmu.Definition{ModelName: "Bare", ModelIdentifier: "Bare",
		Experiment: fmu.Experiment{Stop: 1, Step: 1}, New: func(fmu.Host) fmu.Model { return nil }}
	d.Variables.Add(fmu.Variable{Name: "p", Type: fmi.Real, Causality: fmi.Parameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: 0.0})
	text := string(render(t, d))
	for _, absent := range []string{"UnitDefinitions", "VendorAnnotations", "Annotations",
		"Outputs", "InitialUnknowns",
		"tolerance", "description=\"\"", "version=\"\"", "generationDateAndTime"} {
		require.NotContains(t, text, absent)
	}
	require.Contains(t, text, "<Category ", "the standard categories are always there")
}

func TestLimitsOfAnIntegerMayBeThoseOfItsType(t *testing.T) {
	d := sample()
	low, high := float64(math.MinInt32), float64(math.MaxInt32)
	d.Variables.All()[7].Min, d.Variables.All()[7].Max = &low, &high
	value := parse(t, render(t, d)).Variables[7].Value
	require.Equal(t, "-2147483648", value.Min)
	require.Equal(t, "2147483647", value.Max)
}

func TestMistakesAreRefused(t *testing.T) {
	nan, half, low, high := math.NaN(), 0.5, math.MinInt32-1.0, math.MaxInt32+1.0
	for name, spoil := range map[string]func(*fmu.Definition){
		"start not finite":       func(d *fmu.Definition) { d.Variables.All()[1].Start = nan },
		"identifier":             func(d *fmu.Definition) { d.ModelIdentifier = "no identifier" },
		"maximum not finite":     func(d *fmu.Definition) { d.Variables.All()[1].Max = &nan },
		"fractional integer min": func(d *fmu.Definition) { d.Variables.All()[7].Min = &half },
		"integer min too low":    func(d *fmu.Definition) { d.Variables.All()[7].Min = &low },
		"integer max too high":   func(d *fmu.Definition) { d.Variables.All()[7].Max = &high },
		"limit of a string":      func(d *fmu.Definition) { d.Variables.All()[4].Min = &half },
	} {
		t.Run(name, func(t *testing.T) {
			d := sample()
			spoil(d)
			err := modeldescription.Render(&bytes.Buffer{}, d)
			require.ErrorIs(t, err, fmu.ErrDefinition)
		})
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAFailingWriterIsReported(t *testing.T) {
	require.ErrorIs(t, modeldescription.Render(full{}, sample()), errFull)
}
