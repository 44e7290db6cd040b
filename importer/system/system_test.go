//go:build linux && cgo

package system_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/chost"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// TestMain sets up a separate cache for unpacking.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "gosmp-system-test-")
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("XDG_CACHE_HOME", folder)
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// build builds the test FMU with SensorView as the type of all its messages, and returns its path.
func build(t testing.TB, r testfmu.Recipe) string {
	describe := r.Describe
	r.Describe = func(xml string) string {
		xml = strings.ReplaceAll(xml, "type=SensorData;", "type=SensorView;")
		if describe != nil {
			xml = describe(xml)
		}
		return xml
	}
	return testfmu.Build(t, r)
}

const steps = 12

// watched lists the variables in a trace, and its last column.
var watched = []string{"a.out", "b.out", "b.clock", "c.out", "b.OSMPSensorDataOut"}

// rows records the values of signals as texts: the bits of numbers, the hexadecimal digits of
// bytes.
type rows struct {
	signals []*cosim.Signal
	lines   []string
}

func (r *rows) Begin(*cosim.Result) error { return nil }
func (r *rows) End(*cosim.Result) error   { return nil }
func (r *rows) Row(timebase.Time, cosim.Row) error {
	var words []string
	for _, s := range r.signals {
		if s.Variable.Kind.IsBlob() {
			words = append(words, hex.EncodeToString(s.Blobs()[0])+".")
		} else {
			words = append(words, fmt.Sprintf("%016x", s.Cells()[0]))
		}
	}
	r.lines = append(r.lines, strings.Join(words, " "))
	return nil
}

// run runs a system with messages for a in one process or in three.
func run(t *testing.T, s *system.System, shared bool) []string {
	t.Helper()
	return runWatching(t, s, shared, watched)
}

// runWatching is like run, with the given list of watched variables.
func runWatching(t *testing.T, s *system.System, shared bool, watched []string) []string {
	t.Helper()
	pool := &importer.Pool{}
	e, err := s.Engine(cosim.Spec{Stop: steps * timebase.Second / 10,
		Step: cosim.Every(s.Step.Number)}, pool,
		func(*system.Part) importer.Options { return importer.Options{Shared: shared} })
	require.NoError(t, err)
	var times []timebase.Time
	var messages [][]byte
	for k := range steps {
		times = append(times, timebase.Time(k)*timebase.Second/10)
		messages = append(messages, fmt.Appendf(nil, "message of %d", times[k]))
	}
	e.AddSource("source", cosim.NewSequence(cosim.Variable{Name: "view", Kind: cosim.Binary,
		Size: 1}, times, messages))
	e.Connect("source.view", "a.OSMPSensorViewIn")
	r := &rows{}
	for _, name := range watched {
		r.signals = append(r.signals, e.Watch(name))
	}
	e.Observe(r)
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	require.NoError(t, pool.Close())
	return r.lines
}

// plain runs the same system in the host written in C.
func plain(t *testing.T, path string) (lines []string) {
	t.Helper()
	f, err := importer.Open(path)
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, f.Unpack(folder))
	c := exec.Command(chost.Compile(t, t.TempDir(), filepath.Join("testdata", "plain.c")),
		strconv.Itoa(steps), f.Library(folder), "file://"+folder+"/resources")
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for k := range words[:len(words)-1] {
			x, err := strconv.ParseFloat(words[k], 64)
			require.NoError(t, err)
			words[k] = fmt.Sprintf("%016x", math.Float64bits(x))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

func TestSystem_FileCommandLineAndPlainHostGiveTheSameBytes(t *testing.T) {
	path := build(t, testfmu.Recipe{OSMP: true})
	want := plain(t, path)
	require.Len(t, want, steps+1)
	require.NotEqual(t, want[steps], want[steps-1])

	line, err := system.Open([]string{"a=" + path, "b=" + path, "c=" + path})
	require.NoError(t, err)
	require.NoError(t, line.Connect([]string{"a.out=b.in", "a.OSMPSensorDataOut=b.OSMPSensorViewIn",
		"b.clock=c.in", "c.out=a.in"}))
	line.Negotiate()
	for k, gain := range []string{"3", "0.5", "0.1"} {
		line.Parts[k].Start = []importer.StartValue{{Name: "gain", Value: gain}}
	}
	line.Part("c").Step = system.Value{Number: 0.3, Origin: "here"}
	require.Equal(t, want, run(t, line, false))
	require.Equal(t, want, run(t, line, true))

	file, err := system.Read(structure(t, path), "")
	require.NoError(t, err)
	require.Equal(t, system.Value{Number: 0.1, Origin: "the FMU of a, the smallest of all"},
		file.Step)
	require.Equal(t, want, run(t, file, false))
}

// structure writes the system as a description next to its FMU.
func structure(t *testing.T, fmu string) string {
	t.Helper()
	folder := t.TempDir()
	content, err := os.ReadFile(fmu)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "unruly.fmu"), content, 0o600))
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription version="1.0" name="test" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">
<ssd:System name="top"><ssd:Elements>`)
	connectors := map[string][]string{"a": {"in input Real", "out output Real",
		"OSMPSensorDataOut.base.lo output Integer",
		"OSMPSensorDataOut.base.hi output Integer", "OSMPSensorDataOut.size output Integer"},
		"b": {"in input Real", "clock output Real",
			"OSMPSensorViewIn.base.lo input Integer", "OSMPSensorViewIn.base.hi input Integer",
			"OSMPSensorViewIn.size input Integer"},
		"c": {"in input Real", "out output Real"}}
	for k, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b,
			`<ssd:Component name=%q type="application/x-fmu-sharedlibrary" source="unruly.fmu">`+
				`<ssd:Connectors>`, name)
		for _, c := range connectors[name] {
			words := strings.Fields(c)
			fmt.Fprintf(&b, `<ssd:Connector name=%q kind=%q><ssc:%s/></ssd:Connector>`, words[0],
				words[1], words[2])
		}
		fmt.Fprintf(&b,
			`</ssd:Connectors><ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>`+
				`<ssv:ParameterSet version="1.0" name="p">`+
				`<ssv:Parameters><ssv:Parameter name="gain"><ssv:Real value=%q/></ssv:Parameter>`+
				`</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>`+
				`</ssd:ParameterBinding></ssd:ParameterBindings>`, []string{"3", "0.5", "0.1"}[k])
		if name == "c" {
			b.WriteString(
				`<ssd:Annotations><ssc:Annotation type="com.opensimulationplatform">` +
					`<osp:StepSizeHint value="0.3" ` +
					`xmlns:osp="https://opensimulationplatform.com/SSP/OSPAnnotations"/>` +
					`</ssc:Annotation></ssd:Annotations>`)
		}
		b.WriteString("</ssd:Component>")
	}
	b.WriteString("</ssd:Elements><ssd:Connections>")
	for _, c := range []string{"a out b in", "b clock c in", "c out a in",
		"a OSMPSensorDataOut.base.lo b OSMPSensorViewIn.base.lo",
		"a OSMPSensorDataOut.base.hi b OSMPSensorViewIn.base.hi",
		"a OSMPSensorDataOut.size b OSMPSensorViewIn.size"} {
		words := strings.Fields(c)
		fmt.Fprintf(&b,
			`<ssd:Connection startElement=%q startConnector=%q endElement=%q endConnector=%q/>`,
			words[0], words[1], words[2], words[3])
	}
	b.WriteString("</ssd:Connections></ssd:System></ssd:SystemStructureDescription>")
	path := filepath.Join(folder, "SystemStructure.ssd")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

func TestConnect_ConvertsUnits(t *testing.T) {
	unit := func(unit string) string {
		return build(t, testfmu.Recipe{Describe: func(xml string) string {
			xml = strings.Replace(xml, "<UnitDefinitions>",
				`<UnitDefinitions><Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit>`+
					`<Unit name="mystery"/>`, 1)
			xml = strings.Replace(xml, `<Real start="1"/>`, `<Real start="1" unit="K"/>`, 1)
			return strings.Replace(xml, "<Real/>", fmt.Sprintf("<Real unit=%q/>", unit), 2)
		}})
	}
	for _, c := range []struct {
		unit, wrong, warning string
		conversions          []cosim.Conversion
	}{
		{unit: "degC", conversions: []cosim.Conversion{cosim.Linear(1, 273.15)}},
		{unit: "K"},
		{unit: "Pa", wrong: "found the unit Pa, expected one of the dimension of K"},
		{unit: "mystery", warning: "a.out = b.in: the values are not converted from mystery to " +
			"K, of which one is not described"},
	} {
		s, err := system.Open([]string{"a=" + unit(c.unit), "b=" + unit(c.unit)})
		require.NoError(t, err)
		err = s.Connect([]string{"a.out=b.in"})
		if c.wrong != "" {
			require.ErrorIs(t, err, cosim.ErrConnection)
			require.ErrorContains(t, err, c.wrong)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.conversions, s.Connections[0].Conversions)
		require.Equal(t, c.warning, strings.Join(s.Warnings, "\n"))
	}
}

func TestNegotiate_ConnectsTheRequestToAProducerThatTakesIt(t *testing.T) {
	// The producer has one parameter and one calculated parameter of this kind, separate from the
	// parameters of its input.
	producer := build(t, testfmu.Recipe{OSMP: true, Describe: func(xml string) string {
		xml = strings.ReplaceAll(xml, "OSMPSensorViewInConfigRequest",
			"OSMPSensorViewOutConfig.offer")
		return strings.ReplaceAll(xml, "OSMPSensorViewInConfig", "OSMPSensorViewOutConfig")
	}})
	reader := build(t, testfmu.Recipe{OSMP: true})
	for _, c := range []struct {
		files []string
		want  []cosim.Connection
	}{
		{[]string{"a=" + producer, "b=" + reader}, []cosim.Connection{{From: "a.OSMPSensorDataOut",
			To: "b.OSMPSensorViewIn"},
			{From: "b.OSMPSensorViewInConfigRequest", To: "a.OSMPSensorViewOutConfig"},
			{From: "a.OSMPSensorViewOutConfig.offer", To: "b.OSMPSensorViewInConfig"}}},
		{[]string{"b=" + reader, "a=" + producer}, []cosim.Connection{{From: "a.OSMPSensorDataOut",
			To: "b.OSMPSensorViewIn"},
			{From: "b.OSMPSensorViewInConfigRequest", To: "a.OSMPSensorViewOutConfig"},
			{From: "a.OSMPSensorViewOutConfig.offer", To: "b.OSMPSensorViewInConfig"}}},
		{[]string{"a=" + reader, "b=" + reader}, []cosim.Connection{{From: "a.OSMPSensorDataOut",
			To: "b.OSMPSensorViewIn"}}},
	} {
		s, err := system.Open(c.files)
		require.NoError(t, err)
		require.NoError(t, s.Connect([]string{"a.OSMPSensorDataOut=b.OSMPSensorViewIn"}))
		s.Negotiate()
		require.Equal(t, c.want, s.Connections)
		pool := &importer.Pool{}
		e, err := s.Engine(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)}, pool,
			func(*system.Part) importer.Options { return importer.Options{} })
		require.NoError(t, err)
		result, err := e.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, pool.Close())
		for _, l := range result.Loops {
			require.True(t, l.Settled, "the request holds what was set")
		}
		require.Empty(t, result.Cuts, "parameters have no part in the steps")
		require.Equal(t, []string{"a", "b"}, result.Order)
	}
}

// BenchmarkSystem measures a step of all FMUs; each FMU reads ten values from the previous one, and
// a single FMU reads them from itself. ns/FMU is the time per FMU, and times-one is its ratio to
// the time of a single FMU in the same run.
func BenchmarkSystem(b *testing.B) {
	path := build(b, testfmu.Recipe{Version: 3})
	single := 0.0
	for _, n := range []int{1, 10, 50} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var files []string
			for k := range n {
				files = append(files, fmt.Sprintf("f%d=%s", k, path))
			}
			s, err := system.Open(files)
			require.NoError(b, err)
			var connections []string
			for k := range n {
				for _, kind := range []string{"float32", "int8", "uint8", "int16", "uint16",
					"int32", "uint32", "int64", "uint64"} {
					connections = append(connections, fmt.Sprintf("f%d.%s.out=f%d.%s.in", k, kind,
						(k+1)%n, kind))
				}
				connections = append(connections, fmt.Sprintf("f%d.out=f%d.in", k, (k+1)%n))
			}
			require.NoError(b, s.Connect(connections))
			pool := &importer.Pool{}
			e, err := s.Engine(cosim.Spec{Stop: timebase.Time(b.N) * timebase.Millisecond,
				Step: cosim.Every(0.001)}, pool,
				func(*system.Part) importer.Options { return importer.Options{Shared: true} })
			require.NoError(b, err)
			require.NoError(b, e.Start(context.Background()))
			b.ReportAllocs()
			b.ResetTimer()
			for more := true; more; {
				more, err = e.Step(context.Background())
				require.NoError(b, err)
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(n)
			b.ReportMetric(each, "ns/FMU")
			if n == 1 {
				single = each
			} else if single > 0 {
				b.ReportMetric(each/single, "times-one")
			}
			b.StopTimer()
			_, err = e.Finish(context.Background())
			require.NoError(b, err)
			require.NoError(b, pool.Close())
		})
	}
}
