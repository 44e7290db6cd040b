package modeldescription_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/fmi/check"
	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
	"gosmp/internal/finding"
)

// requireValid requires that a model description breaks no rule. It is packed into an archive
// without anything else, so rules about other files are ignored.
func requireValid(t *rapid.T, description []byte) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("modelDescription.xml")
	require.NoError(t, err)
	_, err = w.Write(description)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	report, err := check.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), check.Options{})
	require.NoError(t, err)
	for _, f := range report.Findings {
		ofOthers := f.ID == "FMI2-B1" || f.ID == "FMI3-B1" || f.Severity < finding.Error ||
			strings.Contains(f.Message, "<ModelVariables> has no") || // which depends on its author
			strings.Contains(f.Message, "a second ") ||
			strings.Contains(f.Message, "several elements")
		require.True(t, ofOthers, "%v\n%s", f, description)
	}
}

// The reader reads the values that the slave has rendered, and no FMI rule is broken.
func TestRender_IsReadBackAsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDefinition(t, rapid.SampledFrom([]fmi.Version{fmi.FMI2, fmi.FMI3}).Draw(t, "FMI"))
		require.NoError(t, d.Check())
		var b bytes.Buffer
		require.NoError(t, modeldescription.Render(&b, d))
		requireValid(t, b.Bytes())
		m, err := archive.Parse(&b)
		require.NoError(t, err)

		require.Equal(t,
			[]string{fmt.Sprintf("%d.0", d.Standard()), d.ModelName, d.GUID, d.Description,
				d.Version, "structured"},
			[]string{m.FMIVersion, m.ModelName, m.InstantiationToken, m.Description, m.Version,
				m.VariableNamingConvention})
		face := m.Interface(fmi.CoSimulation)
		require.Equal(t, d.ModelIdentifier, face.ModelIdentifier)
		require.Equal(t, !d.WithoutState, face.Capabilities.Has(map[fmi.Version]string{
			fmi.FMI2: "canGetAndSetFMUstate", fmi.FMI3: "canGetAndSetFMUState"}[d.Standard()]))
		require.Equal(t, d.Categories(), m.LogCategories)
		require.Equal(t, mapped(d.Units, plainUnit), mapped(m.Units, plainUnit))
		require.Equal(t, mapped(d.Annotations, plainAnnotation), mapped(m.Annotations,
			plainAnnotation))
		e := m.DefaultExperiment
		tolerance := 0.0 // zero is omitted from the XML
		if e.Tolerance != nil {
			tolerance = *e.Tolerance
		}
		require.Equal(t, d.Experiment, fmu.Experiment{Start: *e.StartTime, Stop: *e.StopTime,
			Tolerance: tolerance, Step: *e.StepSize})
		require.Len(t, m.Variables, len(d.Variables.All()))
		for k, v := range d.Variables.All() {
			requireSame(t, d.Standard(), v, &m.Variables[k])
		}
	})
}

// requireSame compares a rendered variable with the variable that was read back.
func requireSame(t *rapid.T, version fmi.Version, v *fmu.Variable, found *archive.Variable) {
	kind, _ := v.Type.In(version)
	initial := v.Initial
	if version >= fmi.FMI3 && v.Causality == fmi.Input {
		initial = fmi.Exact // by default
	}
	require.Equal(t, []any{v.Name, v.Reference(version), kind, v.Description, v.Causality,
		v.Variability, initial, v.Unit},
		[]any{found.Name, found.ValueReference, found.Type, found.Description, found.Causality,
			found.Variability, found.Initial, found.Unit})
	var starts []any
	for _, text := range found.Start {
		value, err := v.Type.ParseValue(text)
		require.NoError(t, err)
		starts = append(starts, value)
	}
	if v.Start == nil {
		require.Empty(t, starts)
	} else {
		require.Equal(t, slices.Repeat([]any{v.Start}, v.Elements()), starts)
	}
	require.Len(t, found.Dimensions, len(v.Dimensions))
	for k, n := range v.Dimensions {
		require.EqualValues(t, n, *found.Dimensions[k].Start)
	}
	for limit, text := range map[*float64]string{v.Min: found.Min, v.Max: found.Max} {
		if limit == nil {
			continue
		}
		value, err := fmi.Real.ParseValue(text)
		require.NoError(t, err)
		require.Equal(t, *limit, value)
	}
	require.Equal(t, mapped(v.Annotations, plainAnnotation), mapped(found.Annotations,
		plainAnnotation))
}

func mapped[T any](list []T, f func(T) T) []T {
	out := []T{}
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// plainUnit normalizes a unit: it replaces a factor of 0 by 1 and nil lists by empty ones.
func plainUnit(u fmi.Unit) fmi.Unit {
	u.Factor = u.Scale()
	u.DisplayUnits = mapped(u.DisplayUnits, func(d fmi.DisplayUnit) fmi.DisplayUnit {
		d.Factor = cmp.Or(d.Factor, 1)
		return d
	})
	return u
}

// plainAnnotation normalizes an annotation: it drops the prefix, which a reader does not keep, and
// replaces nil lists by empty ones.
func plainAnnotation(a fmi.Annotation) fmi.Annotation {
	a.Elements = mapped(a.Elements, plainElement)
	return a
}

func plainElement(e fmi.Element) fmi.Element {
	e.Prefix, e.Elements = "", mapped(e.Elements, plainElement)
	e.Attributes = append([]fmi.Attribute{}, e.Attributes...)
	return e
}

// texts are strings of characters that XML can represent, including those that have to be escaped.
var texts = rapid.StringOf(rapid.OneOf(
	rapid.RuneFrom([]rune("<>&\"' \t\n\r%#"), unicode.Latin, unicode.Han, unicode.So),
	rapid.RuneFrom([]rune("az"))))

var (
	names = rapid.StringMatching(
		`[A-Za-z_][A-Za-z0-9_]{0,8}(\[[0-9]{1,2}(,[0-9])?\])?(\.('[a-z #&<-]{1,9}'|[a-z]{1,5}))?`)
	words  = rapid.StringMatching(`[a-z]{1,8}`)
	finite = rapid.Map(rapid.Uint64(), func(bits uint64) float64 {
		x := math.Float64frombits(bits)
		if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 {
			return 0.5
		}
		return x
	})
)

func drawDefinition(t *rapid.T, version fmi.Version) *fmu.Definition {
	start := rapid.Float64Range(-1e6, 1e6).Draw(t, "start")
	d := &fmu.Definition{
		ModelName: "M" + texts.Draw(t, "modelName"), ModelIdentifier: words.Draw(t,
			"modelIdentifier"), GUID: "g" + texts.Draw(t, "guid"),
		Description: texts.Draw(t, "description"), Version: texts.Draw(t, "version"),
		WithoutState: rapid.Bool().Draw(t, "withoutState"),
		Experiment: fmu.Experiment{Start: start, Stop: start + rapid.Float64Range(1e-3, 1e6).Draw(t,
			"length"),
			Tolerance: rapid.Float64Range(0, 1).Draw(t, "tolerance"), Step: rapid.Float64Range(1e-9,
				10).Draw(t, "step")},
		New:         func(fmu.Host) fmu.Model { return nil },
		Annotations: rapid.SliceOfN(rapid.Custom(drawAnnotation), 0, 2).Draw(t, "annotations"),
	}
	for k, name := range rapid.SliceOfNDistinct(words, 0, 4, rapid.ID).Draw(t, "units") {
		u := fmi.Unit{Name: name + texts.Draw(t, "unit")}
		var e [8]int
		for n := range e {
			e[n] = rapid.IntRange(-3, 3).Draw(t, "exponent")
		}
		u.SetExponents(e)
		if k%2 == 1 {
			u.Factor, u.Offset = finite.Draw(t, "factor"), finite.Draw(t, "offset")
			u.DisplayUnits = []fmi.DisplayUnit{{Name: texts.Draw(t, "display unit"),
				Factor: finite.Draw(t, "factor")}}
		}
		d.Units = append(d.Units, u)
	}
	for _, name := range rapid.SliceOfNDistinct(words, 0, 3, rapid.ID).Draw(t, "categories") {
		d.LogCategories = append(d.LogCategories,
			fmi.LogCategory{Name: name, Description: texts.Draw(t, "category")})
	}
	d.Variables = *fmu.NewVariables(version)
	if version >= fmi.FMI3 && !slices.ContainsFunc(d.Units,
		func(u fmi.Unit) bool { return u.Name == "s" }) {
		d.Units = append(d.Units, fmi.Unit{Name: "s", S: 1})
	}
	for _, name := range rapid.SliceOfNDistinct(names, 0, 8, rapid.ID).Draw(t, "names") {
		v := drawVariable(t, name, d.Units)
		if version >= fmi.FMI3 {
			alter(t, &v)
		}
		d.Variables.Add(v)
	}
	return d
}

// drawVariable draws a row of the table of allowed combinations.
func drawVariable(t *rapid.T, name string, units []fmi.Unit) fmu.Variable {
	row := rapid.SampledFrom(slices.DeleteFunc(slices.Clone(fmi.Combinations(fmi.FMI2)),
		func(c fmi.Combination) bool {
			return c.Causality == fmi.Independent
		})).Draw(t, "causality")
	v := fmu.Variable{
		Name: name, Causality: row.Causality,
		Variability: rapid.SampledFrom(row.Variabilities).Draw(t, "variability"),
		Initial:     rapid.SampledFrom(row.Initial).Draw(t, "initial"), Description: texts.Draw(t,
			"description"),
		Type: rapid.SampledFrom([]fmi.Type{fmi.Real, fmi.Integer, fmi.Boolean,
			fmi.String}).Draw(t, "type"),
		Annotations: rapid.SliceOfN(rapid.Custom(drawAnnotation), 0, 2).Draw(t, "annotations"),
	}
	if v.Variability == fmi.Continuous {
		v.Type = fmi.Real
	}
	switch v.Type {
	case fmi.Real:
		low, high := finite.Draw(t, "min"), finite.Draw(t, "max")
		low, high = min(low, high), max(low, high)
		v.Min, v.Max, v.Start = &low, &high, rapid.SampledFrom([]float64{low, high}).Draw(t,
			"start")
		if len(units) > 0 {
			v.Unit = rapid.SampledFrom(units).Draw(t, "unit").Name
		}
	case fmi.Integer:
		x := rapid.Int32().Draw(t, "start")
		low := float64(min(x, rapid.Int32().Draw(t, "min")))
		v.Min, v.Start = &low, x
	case fmi.Boolean:
		v.Start = rapid.Bool().Draw(t, "start")
	default:
		v.Start = texts.Draw(t, "start")
	}
	if v.Initial == fmi.Calculated {
		v.Start = nil
	}
	return v
}

// alter sometimes turns a variable into one that only FMI 3.0 has.
func alter(t *rapid.T, v *fmu.Variable) {
	if v.Type == fmi.Integer {
		kind := rapid.SampledFrom([]fmi.Type{fmi.Integer, fmi.Int8, fmi.UInt8, fmi.Int16,
			fmi.UInt16, fmi.UInt32, fmi.Int64, fmi.UInt64}).Draw(t, "kind")
		if kind != fmi.Integer {
			v.Type, v.Min = kind, nil
			if v.Start != nil {
				v.Start = rapid.SampledFrom(extremes[kind]).Draw(t, "extreme")
			}
		}
	}
	if v.Type == fmi.Real && rapid.Bool().Draw(t, "single") {
		v.Type, v.Min, v.Max = fmi.Float32, nil, nil
		if v.Start != nil {
			v.Start = rapid.Float32Range(-1e30, 1e30).Draw(t, "float32")
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "array") == 0 {
		v.Dimensions = rapid.SliceOfN(rapid.IntRange(1, 3), 1, 2).Draw(t, "dimensions")
	}
}

var extremes = map[fmi.Type][]any{
	fmi.Int8: {int8(-128), int8(127)}, fmi.UInt8: {uint8(0), uint8(255)},
	fmi.Int16: {int16(math.MinInt16)}, fmi.UInt16: {uint16(math.MaxUint16)},
	fmi.UInt32: {uint32(math.MaxUint32)}, fmi.Int64: {int64(math.MinInt64), int64(math.MaxInt64)},
	fmi.UInt64: {uint64(math.MaxUint64)},
}

func drawAnnotation(t *rapid.T) fmi.Annotation {
	return fmi.Annotation{Tool: texts.Draw(t, "tool"),
		Elements: rapid.SliceOfN(rapid.Custom(drawElement), 0, 2).Draw(t, "elements")}
}

func drawElement(t *rapid.T) fmi.Element {
	e := fmi.Element{Name: words.Draw(t, "element"),
		Text: rapid.StringMatching(`([a-z<&]([a-z<& ]*[a-z<&])?)?`).Draw(t, "text")}
	if rapid.Bool().Draw(t, "in a namespace") {
		e.Prefix, e.Namespace = "x", "http://example.org/a&b"
	}
	for k, name := range rapid.SliceOfNDistinct(words, 0, 3, rapid.ID).Draw(t, "attributes") {
		e.Attributes = append(e.Attributes, fmi.Attribute{Name: fmt.Sprint(name, k),
			Value: texts.Draw(t, "value")})
	}
	if rapid.IntRange(0, 2).Draw(t, "nested") == 2 {
		e.Elements = []fmi.Element{drawElement(t)}
	}
	return e
}
