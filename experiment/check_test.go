package experiment_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
	"gosmp/internal/entries/hostile"
	"gosmp/internal/finding"
)

const bibi = `<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI" xmlns:g="urn:gosmp:experiment:1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<brainModel><file>brain.py</file><populations population="a" xsi:type="Range" from="0" to="1"/></brainModel>
<bodyModel robotId="ego">car</bodyModel><bodyModel robotId="husky">husky/model.sdf</bodyModel>
<transferFunction xsi:type="PythonTransferFunction" src="tf.py"/><transferFunction xsi:type="PythonTransferFunction" src="tf.py"/>
<g:fmu name="sensor" src="sensor.fmu"><g:start name="range" value="1"/></g:fmu>
<g:connection from="ego.view" to="sensor.in"/>
<timestep>20</timestep>
</bibi>`

const described = `<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<name>n</name><thumbnail>a.png</thumbnail><description>d</description>
<configuration src="conf/a.ini" type="3d-settings"/>
<environmentModel src="room.sdf"><robotPose robotId="ego" x="0" y="0" z="0" roll="0" pitch="0" yaw="0"/></environmentModel>
<bibiConf src="b.bibi"/>
<experimentControl><stateMachine id="c" xsi:type="SMACHStateMachine" src="c.exd"/><stateMachine id="d" xsi:type="SCXMLStateMachine" src="charts/d.scxml"/></experimentControl>
<experimentEvaluation><stateMachine id="e" xsi:type="SCXMLStateMachine"><scxml xmlns="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/scxml" version="1.0">
<state id="a"><transition event="x" target="success"/></state><final id="success"/></scxml></stateMachine></experimentEvaluation>
<rosLaunch src="r.launch"/>
</ExD>`

func folder() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"demo.exc": file(described), "a.png": file(""), "conf/a.ini": file(""),
		"room.sdf": file(""), "b.bibi": file(bibi), "brain.py": file(""), "tf.py": file(""),
		"husky/model.sdf": file(""), "sensor.fmu": file(""), "r.launch": file(""),
		"c.exd": file("state_machine = StateMachine()\n"),
		"charts/d.scxml": file(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">` +
			`<state id="a"><invoke src="e.scxml"/><transition event="e" target="a"/></state>` +
			`</scxml>`),
		"charts/e.scxml": file(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">` +
			`<script src="f.js"/><state id="a"><invoke src="d.scxml"/></state></scxml>`),
		"charts/f.js": file("var x = 1"), "not-named.txt": file(""),
	}
}

func found(list experiment.Findings) (lines []string) {
	for _, f := range list {
		if f.ID != "EX21" {
			lines = append(lines, f.ID+" "+f.Severity.String()+" "+f.Message)
		}
	}
	return lines
}

func TestCheck_ReportsWhatIsNotExecuted(t *testing.T) {
	_, list := experiment.Check("demo.exc", []byte(described), folder(), experiment.CheckOptions{})
	require.ElementsMatch(t, []string{
		`EX23 warning gosmp cannot execute the environment "room.sdf"`,
		"EX23 note configuration: kept and shown, but not executed",
		`EX17 warning rosLaunch "r.launch" is ignored: gosmp launches no ROS nodes`,
		"EX14 warning c.exd calls its machine state_machine; the platform " +
			"finds only sm and stateMachine",
		`EX14 warning gosmp cannot execute the SMACH machine "c"`,
		"BI03 note brain models are Python or networks: they are kept but not executed",
		"BI03 note transfer functions are Python: they are kept but not executed",
		`BI03 warning gosmp cannot execute the body "husky/model.sdf" of "husky"`,
		"SX31 warning this invoke can raise an error event, but no transition handles it",
		"SX31 warning this invoke can raise an error event, but no transition handles it", // e.scxml
		`SX24 warning the evaluation has no top-level final "failure"`,
	}, found(list))
	for _, f := range list {
		if f.ID == "SX24" {
			require.Equal(t, 7, f.Place.Line,
				"the place of an inline chart is that in the document: %s", f)
		}
	}
	changed := strings.NewReplacer(`<rosLaunch `, "\n<rosLaunch ", `<bibiConf src="b.bibi"`,
		`<bibiConf processes="4" src="b.bibi"`).Replace(described)
	require.NotEqual(t, described, changed)
	_, list = experiment.Check("demo.exc", []byte(changed), folder(), experiment.CheckOptions{})
	require.Contains(t, found(list),
		"EX23 note processes is 4, which has no effect: gosmp runs each FMU in its own "+
			"process")
	launch := slices.IndexFunc(list, func(f finding.Finding) bool { return f.ID == "EX17" })
	before, _, _ := strings.Cut(changed, "<rosLaunch")
	require.Equal(t, 1+strings.Count(before, "\n"), list[launch].Place.Line)
	_, list = experiment.Check("demo.exc", []byte(described), folder(),
		experiment.CheckOptions{SeedCompatible: true})
	require.Contains(t, found(list),
		`EX13 warning the SCXML machine "d" is ignored, as on the platform`)
}

// TestCheck_IncludesTheEventsOfMachines tests SX22 in an experiment: the check considers events
// from the experiment and from other machines.
func TestCheck_IncludesTheEventsOfMachines(t *testing.T) {
	check := func(other string) (events []string) {
		m := folder()
		m["charts/d.scxml"] = &fstest.MapFile{
			Data: []byte(
				`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">` +
					`<transition event="sim.started data.ego.speed step collision.end from.other ` +
					`colision" target="a"/><transition event="error" target="a"/></state></scxml>`)}
		text := strings.Replace(described, `target="success"/>`,
			`target="success"/><transition event="error" target="a">`+other+`</transition>`, 1)
		_, list := experiment.Check("demo.exc", []byte(text), m, experiment.CheckOptions{})
		for _, line := range found(list) {
			if strings.HasPrefix(line, "SX22") {
				events = append(events, line)
			}
		}
		return events
	}
	never := func(event string) string {
		return `SX22 warning the event "` + event + `" is never raised, sent or provided`
	}
	require.ElementsMatch(t, []string{never("colision"), never("from.other"), never("x")},
		check(""))
	require.ElementsMatch(t, []string{never("colision"), never("x")},
		check(`<send event="from.other" target="#_scxml_d"/>`))
}

func TestCheck_ReportsMissingFiles(t *testing.T) {
	files := folder()
	for _, name := range []string{"conf/a.ini", "charts/d.scxml", "sensor.fmu", "tf.py"} {
		delete(files, name)
	}
	_, list := experiment.Check("demo.exc", []byte(described), files, experiment.CheckOptions{})
	for _, want := range []string{
		`EX06 warning configuration names the file "conf/a.ini": it is not there`,
		`EX22 error state machine d names the file "charts/d.scxml": it is not there`,
		`BI04 error FMU sensor names the file "sensor.fmu": it is not there`,
		`BI03 warning transferFunction names the file "tf.py": it is not there`,
	} {
		require.Contains(t, found(list), want)
	}
	outside := strings.Replace(described, "a.png", "../a.png", 1)
	_, list = experiment.Check("demo.exc", []byte(outside), files, experiment.CheckOptions{})
	require.Contains(t, found(list),
		`EX22 warning thumbnail names the file "../a.png": the name leads outside the directory `+
			`of the experiment`)
}

func TestReadBIBI_Rules(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"2014/BIBI", "2013/BIBI"}: `BI01 error the root element is <bibi> of namespace ` +
			`"http://schemas.humanbrainproject.eu/SP10/2013/BIBI"`,
		{"<timestep>20<", "<timestep>0<"}: `BI02 error timestep is "0", expected a whole ` +
			`number above 0`,
		{"<timestep>20<", "<timestep>3600001<"}: "BI02 error timestep is 3600001 ms, expected " +
			"at most 3600000",
		{"<timestep>", "<mode>x</mode><tinestep/><timestep>"}: "BI02 error <tinestep> is unknown",
		{"<timestep>", "<mode>x</mode><other/><timestep>"}:    "BI02 warning <other> is unknown",
		{`name="sensor"`, `name="world"`}: `BI04 error the name "world" is reserved, or ` +
			`contains blanks`,
		{"<timestep>20<", "<timestep>10</timestep><timestep>20<"}: "BI02 error <timestep> is " +
			"already in line 7",
		{"<timestep>", `<bodyModel robotId="a">car</bodyModel><bodyModel robotId="a">bus</bodyModel>` +
			"<timestep>"}: `BI02 error a body of robot "a" is already in line 7`,
		{"</g:fmu>", `<g:start name="n" value="1"/><g:start name="n" value="2"/></g:fmu>`}: "BI04 " +
			"error n already has a start value in line 5",
		{`<g:connection from="ego.view"`, `<g:connection`}: "BI04 error <connection> has no from",
		{`<g:connection from=`, `<g:connection unit="m" from=`}: `BI04 error <connection> has no ` +
			`attribute "unit"`,
		{`<g:connection from=`, `<g:connection g:factor="2" from=`}: `BI04 error <connection> has ` +
			`no attribute "g:factor"`,
		{"<timestep>", `<timestep g:unit="s">`}:        `BI04 error <timestep> has no attribute "g:unit"`,
		{`name="sensor"`, `name="sensor" drive="ego"`}: `BI04 error <fmu> has no attribute "drive"`,
		{"</g:fmu>", `<![CDATA[<g:start name="n" value="1"/>]]></g:fmu>`}: `BI02 error <fmu> ` +
			`contains text, which would be ignored: "<g:start name=\"n\" value=\"1\"/>"`,
		{"</g:fmu>", `&lt;g:start/></g:fmu>`}: "BI02 error <fmu> contains " +
			`text, which would be ignored: "<g:start/>"`,
		{"</g:fmu>", `<g:start name="n" value="1"><g:x/></g:start></g:fmu>`}: "BI04 error <x> is " +
			"unknown in <start>",
		{"<timestep>", "sensor<timestep>"}: "BI02 warning <bibi> contains text, which would be " +
			`ignored: "sensor"`,
		{"<timestep>", "<![CDATA[<timestep>10</timestep>]]><timestep>"}: "BI02 error <bibi> contains " +
			`text, which would be ignored: "<timestep>10</timestep>"`,
	} {
		_, list := experiment.ReadBIBI("b.bibi", []byte(strings.Replace(bibi, change[0], change[1],
			1)), experiment.Options{})
		require.Contains(t, found(list), want)
	}
	start := strings.Replace(bibi, "</bibi>",
		`<g:fmu name="x" src="x.fmu"><g:start name="gain" valeu="1"/></g:fmu></bibi>`, 1)
	_, list := experiment.ReadBIBI("b.bibi", []byte(start), experiment.Options{})
	require.Contains(t, found(list), `BI04 error <start> has no attribute "valeu"`)
	require.Contains(t, found(list), "BI04 error <start> has no value")
	own := strings.Replace(described, "<environmentModel", `<environmentModel
		xmlns:g="urn:gosmp:experiment:1" g:simulater="tcp:x:1"`, 1)
	_, list = experiment.Check("demo.exc", []byte(own), folder(), experiment.CheckOptions{})
	require.Contains(t, found(list), `EX08 error <environmentModel> has no attribute "g:simulater"`)
	files := folder()
	files["b.bibi"].Data = []byte(strings.Replace(bibi, "ego.view", "nobody.view", 1))
	_, list = experiment.Check("demo.exc", []byte(described), files, experiment.CheckOptions{})
	require.Contains(t, found(list), `BI04 error "nobody.view" is not a variable of a participant`)
}

// TestPack_CarriesAllFiles packs an experiment whose charts invoke each other, unpacks it, and
// packs it again.
func TestPack_CarriesAllFiles(t *testing.T) {
	d, _ := experiment.Read("demo.exc", []byte(described), experiment.Options{})
	var packed bytes.Buffer
	require.NoError(t, experiment.Pack(&packed, "demo.exc", d, folder(), false))
	z, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	require.NoError(t, err)
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	require.Equal(t,
		strings.Fields(
			"a.png b.bibi brain.py c.exd charts/d.scxml charts/e.scxml charts/f.js conf/a.ini "+
				"demo.exc husky/model.sdf r.launch room.sdf sensor.fmu tf.py"), names)

	archive, dir := filepath.Join(t.TempDir(), "a.zip"), filepath.Join(t.TempDir(), "new")
	require.NoError(t, os.WriteFile(archive, packed.Bytes(), 0o600))
	experiments, err := experiment.Unpack(archive, dir)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "demo.exc")}, experiments)
	var again bytes.Buffer
	require.NoError(t, experiment.Pack(&again, "demo.exc", d, os.DirFS(dir), false))
	require.Equal(t, packed.Bytes(), again.Bytes())
	_, err = experiment.Unpack(archive, dir)
	require.ErrorIs(t, err, experiment.ErrPackage)

	files := folder()
	delete(files, "charts/f.js")
	err = experiment.Pack(&packed, "demo.exc", d, files, false)
	require.ErrorIs(t, err, experiment.ErrMissing)
	require.ErrorContains(t, err, "charts/f.js")
	require.NoError(t, experiment.Pack(&packed, "demo.exc", d, files, true))
}

func TestUnpack_RefusesNamesThatLeadElsewhere(t *testing.T) {
	for _, names := range [][]string{{"../a"}, {"/a"}, {"a/../../b"}, {"a", "A"}, {`a//b`}, {`a\b`},
		{"a\x00b"}, {"."},
		{strings.Repeat("x", 1025)}} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			_, err := z.Create(name)
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		archive := filepath.Join(t.TempDir(), "a.zip")
		require.NoError(t, os.WriteFile(archive, b.Bytes(), 0o600))
		_, err := experiment.Unpack(archive, t.TempDir())
		require.ErrorIs(t, err, experiment.ErrPackage, "%q", names)
	}
}

// TestUnpack_DamagedFile: the error names the archive and the file in it.
func TestUnpack_DamagedFile(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "a.exc", Method: zip.Store})
	require.NoError(t, err)
	_, err = w.Write([]byte("<ExD/>"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	archive := filepath.Join(t.TempDir(), "a.zip")
	for damaged, cause := range map[string]error{
		strings.Replace(b.String(), "<ExD/>", "<EXD/>", 1):         zip.ErrChecksum,
		strings.Replace(b.String(), "PK\x03\x04", "PK\x03\x00", 1): zip.ErrFormat,
	} {
		require.NoError(t, os.WriteFile(archive, []byte(damaged), 0o600))
		_, err = experiment.Unpack(archive, filepath.Join(t.TempDir(), "to"))
		require.ErrorIs(t, err, experiment.ErrPackage)
		require.ErrorIs(t, err, cause)
		require.ErrorContains(t, err, archive+": a.exc: unusable package: zip: ")
	}
}

// TestUnpack_Bombs: an archive that unpacks to far more than its size, or whose files share their
// bytes, is refused before anything is written.
func TestUnpack_Bombs(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a.exc", "b"} {
		h := &zip.FileHeader{Name: name, UncompressedSize64: 1 << 29, CompressedSize64: 3}
		w, err := z.CreateRaw(h)
		require.NoError(t, err)
		_, err = w.Write([]byte("abc"))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	fail := func(content []byte) string {
		dir := t.TempDir()
		archive, to := filepath.Join(dir, "a.zip"), filepath.Join(dir, "to")
		require.NoError(t, os.WriteFile(archive, content, 0o600))
		_, err := experiment.Unpack(archive, to)
		require.ErrorIs(t, err, experiment.ErrPackage)
		require.NoDirExists(t, to)
		return err.Error()
	}
	require.Contains(t, fail(hostile.Share(b.Bytes())),
		`b: unusable package: found compressed bytes that "a.exc" has`)
	// 768 MB each
	large := bytes.ReplaceAll(b.Bytes(), []byte{0, 0, 0, 0x20}, []byte{0, 0, 0, 0x30})
	require.Contains(t, fail(large),
		"found 1610612736 bytes in its files, expected at most 1073741824")
}

// TestCheck_LongDocuments: time and memory grow linearly with the length of a document. If they
// grow faster, the test takes minutes.
func TestCheck_LongDocuments(t *testing.T) {
	var b strings.Builder
	for k := range 15_000 {
		fmt.Fprintf(&b, `<g:fmu name="f%d" src="s"/><g:connection from="x" to="y"/>`, k)
	}
	files := fstest.MapFS{"a.bibi": {Data: []byte(strings.Replace(bibi, "<timestep>",
		b.String()+"<timestep>", 1))}}
	d, list := experiment.Check("a.exc",
		[]byte(
			`<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig">`+
				`<bibiConf src="a.bibi"/>`+
				strings.Repeat("<configuration/>", 30_000)+"</ExD>"), files,
		experiment.CheckOptions{})
	require.NotNil(t, d)
	length := 0
	for _, f := range list {
		length += len(f.Message) + len(f.Remedy)
	}
	require.Less(t, length, 50<<20)
}

// TestCheck_RefusesWhatARunWouldLeaveOut: a misspelled or duplicate element that a run needs is an
// error, because the run would be different without it.
func TestCheck_RefusesWhatARunWouldLeaveOut(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"experimentEvaluation", "experimentEvaluatoin"}: "EX02 error <experimentEvaluatoin> " +
			"is unknown",
		{"<bibiConf", "<timeOut>3</timeOut><bibiConf"}: "EX02 error <timeOut> is unknown",
		{"<experimentControl", `<experimentControl xmlns=""`}: `EX02 error <experimentControl> ` +
			`is of namespace ""`,
		{"<bibiConf", "<bibiConf src='b.bibi'/><bibiConf"}: "EX02 error <bibiConf> occurs again",
		{"<bibiConf", "<name>again</name><bibiConf"}:       "EX02 warning <name> occurs again",
		{"<bibiConf", "<note/><bibiConf"}:                  "EX02 warning <note> is unknown",
		{"<experimentControl>", "<experimentControl><other/>"}: "EX11 error <other> is unknown " +
			"in <experimentControl>",
		{"<bibiConf", "<experimentControl/><bibiConf"}: "EX11 warning <experimentControl> has no " +
			"<stateMachine>",
		{"<experimentControl>", `<experimentControl disabled="true">`}: `EX21 warning ` +
			`<experimentControl> has an attribute "disabled"`,
		{"<robotPose", "<robotpose/><robotPose"}: "EX08 error <robotpose> is unknown",
		{"<rosLaunch src", "<rosLaunch sRc"}: "EX21 error <rosLaunch> has no attribute " +
			`"sRc"`,
		{"<bibiConf", "<![CDATA[<timeout>1</timeout>]]><bibiConf"}: "EX02 error <ExD> contains text",
		{"<bibiConf", "later<bibiConf"}: `EX02 warning <ExD> contains text, which would be ` +
			`ignored: "later"`,
		{"<experimentControl>", "<experimentControl>&lt;stateMachine/>"}: "EX02 error " +
			"<experimentControl> contains text",
		{"<rosLaunch src", `<rosLaunch other="x" src`}: `EX21 warning <rosLaunch> has an ` +
			`attribute "other"`,
	} {
		text := strings.Replace(described, change[0], change[1], 1)
		text = strings.Replace(text, "</"+change[0]+">", "</"+change[1]+">", 1)
		_, list := experiment.Check("demo.exc", []byte(text), folder(), experiment.CheckOptions{})
		var lines []string
		for _, f := range list {
			lines = append(lines, f.ID+" "+f.Severity.String()+" "+f.Message)
		}
		require.Contains(t, strings.Join(lines, "\n"), want)
	}
}

// TestCheck_Map: the warnings and errors about the map are findings about the experiment, with
// their places in the map, but its notes are not.
func TestCheck_Map(t *testing.T) {
	files := fstest.MapFS{"demo.png": {}, "aeb.fmu": {}}
	for _, name := range []string{"road.xodr", "demo.bibi", "demo.exc", "traffic.scxml",
		"stops.scxml"} {
		text, err := os.ReadFile("trial/testdata/" + name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	road := string(files["road.xodr"].Data)
	for _, c := range []struct{ old, changed, want string }{
		{"", "", ""},
		{"sOffset", "sOfset", "warning: sOfset of width is unknown and ignored"},
		{`type="driving"`, `type="driven"`, `error: type of lane is "driven"`},
	} {
		files["road.xodr"].Data = []byte(strings.Replace(road, c.old, c.changed, 1))
		_, list := experiment.Check("demo.exc", files["demo.exc"].Data, files,
			experiment.CheckOptions{})
		found := ""
		for _, f := range list {
			if f.Place.File == "road.xodr" {
				found += f.String() + "\n"
			}
		}
		require.Equal(t, c.want == "", found == "", found)
		require.Contains(t, found, c.want)
	}
}

// TestClosure_InvokedByExpression checks that charts belong to an experiment if another chart
// invokes them by an expression: only those that it can mean, or all if the names are computed.
func TestClosure_InvokedByExpression(t *testing.T) {
	chart := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" ` +
			`version="1.0"><datamodel><data id="name" expr="'b'"/></datamodel><state id="a">` +
			body + `</state></scxml>`)}
	}
	for body, want := range map[string]string{
		``:                                       "",
		`<invoke srcexpr="'b.scxml'"/>`:          "made/b.scxml ",
		`<invoke srcexpr="name + '.scxml'"/>`:    "made/b.scxml ",
		`<invoke srcexpr="'sub/c' + '.scxml'"/>`: "made/sub/c.scxml made/x.json ",
		`<invoke srcexpr="_event.data"/>`:        "made/b.scxml made/sub/c.scxml made/x.json ",
		`<invoke srcexpr="'none.scxml'"/>`:       "missing ",
	} {
		files := folder()
		files["made/a.scxml"] = chart(body)
		files["made/b.scxml"] = chart("")
		files["made/sub/c.scxml"] = chart(`<datamodel><data id="x" src="../x.json"/></datamodel>`)
		files["made/x.json"] = &fstest.MapFile{Data: []byte("1")}
		files["other.scxml"] = chart("")
		d, list := experiment.Read("demo.exc", []byte(strings.Replace(described,
			`src="charts/d.scxml"`, `src="made/a.scxml"`, 1)), experiment.Options{})
		require.NotNil(t, d, "%v", list)
		found, missing := experiment.Closure("demo.exc", d, files)
		got := ""
		for _, name := range found {
			if strings.HasPrefix(name, "made/") && name != "made/a.scxml" || name == "other.scxml" {
				got += name + " "
			}
		}
		if strings.Contains(strings.Join(missing, " "), "none.scxml") {
			got += "missing "
		}
		require.Equal(t, want, got, body)
	}
}

// TestStartTexts lists the start values that may be names of files.
func TestStartTexts(t *testing.T) {
	files := folder()
	d, _ := experiment.Read("demo.exc", []byte(described), experiment.Options{})
	require.NotNil(t, d)
	require.Empty(t, experiment.StartTexts(d, files))
	src := d.BIBI.Src
	fmu := `<g:fmu name="a" src="a.fmu"><g:start name="x" value="1e3"/>` +
		`<g:start name="y" value="maps/m.csv"/><g:start name="z" value="/m.csv"/></g:fmu>` +
		`<g:fmu name="b" src="a.fmu"><g:start name="y" value="maps/m.csv"/></g:fmu>`
	files[src] = &fstest.MapFile{Data: []byte(`<bibi xmlns="http://schemas.humanbrainproject.eu` +
		`/SP10/2014/BIBI" xmlns:g="urn:gosmp:experiment:1"><bodyModel robotId="ego">car` +
		`</bodyModel>` + fmu + `</bibi>`)}
	require.Equal(t, []string{"maps/m.csv", "/m.csv"}, experiment.StartTexts(d, files))
	delete(files, src)
	require.Empty(t, experiment.StartTexts(d, files))
	d.BIBI.Src = "a.ssd"
	require.Empty(t, experiment.StartTexts(d, files))
}

// TestUnpack_Zip64: packages whose sizes and positions are in ZIP64 records are unpacked. Those
// whose records contradict the package are refused, with a reason, and nothing appears outside the
// folder.
func TestUnpack_Zip64(t *testing.T) {
	content := strings.Repeat("<ExD/>", 100)
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range []string{"a.exc", "b"} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			require.NoError(t, err)
			_, err = io.WriteString(w, content)
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		for _, lie := range hostile.Lies {
			dir := t.TempDir()
			archive, to := filepath.Join(dir, "a.exc"), filepath.Join(dir, "to")
			require.NoError(t, os.WriteFile(archive, lie.WithZip64(b.Bytes()), 0o600))
			list, err := experiment.Unpack(archive, to)
			if lie.Harmless {
				require.NoError(t, err, lie.Name)
				require.Equal(t, []string{filepath.Join(to, "a.exc")}, list)
				got, err := os.ReadFile(list[0])
				require.NoError(t, err)
				require.Equal(t, content, string(got))
				continue
			}
			require.ErrorIs(t, err, experiment.ErrPackage, lie.Name)
			require.ErrorContains(t, err, archive, lie.Name)
		}
	}
}

// TestUnpack_ManyEntries: more entries than a zip archive without ZIP64 can have.
func TestUnpack_ManyEntries(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for k := range 70_000 {
		_, err := z.CreateRaw(&zip.FileHeader{Name: strconv.Itoa(k)})
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	archive := filepath.Join(t.TempDir(), "a.exc")
	require.NoError(t, os.WriteFile(archive, b.Bytes(), 0o600))
	_, err := experiment.Unpack(archive, filepath.Join(t.TempDir(), "to"))
	require.ErrorContains(t, err, "found 70000 files, expected at most 10000")
}
