package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/guard"
	"gosmp/run/fileuse"
)

// route leads from an input to another file that is read.
type route struct {
	name  string
	input string            // the file that the command line names
	files map[string]string // all files with their texts
	links map[string]string // symbolic links with their targets
	read  string            // the file that is read, and must not be an output
}

const (
	withMap      = `<OpenSCENARIO><RoadNetwork><LogicFile filepath="TO"/></RoadNetwork></OpenSCENARIO>`
	withCatalogs = `<OpenSCENARIO><CatalogLocations><VehicleCatalog><Directory path="TO"/>` +
		`</VehicleCatalog></CatalogLocations></OpenSCENARIO>`
	withBIBI  = `<ExDConfig><bibiConf src="TO"/></ExDConfig>`
	withChart = `<ExDConfig><experimentEvaluation><stateMachine><SCXML src="TO"/></stateMachine>` +
		`</experimentEvaluation></ExDConfig>`
	withSource   = `<ssd:Component name="a" source="TO"/>`
	withBinding  = `<ssd:ParameterBinding source="TO"/>`
	withInvoke   = `<scxml><state><invoke type="scxml" src="TO"/></state></scxml>`
	withMessages = `{"bridge": 1, "definitions": ["TO"], "transport": {"path": "old.mcap"}}`
	withScenario = `<OpenSCENARIO><ParameterValueDistribution><ScenarioFile filepath="TO"/>` +
		`</ParameterValueDistribution></OpenSCENARIO>`
	withParameter = `<OpenSCENARIO><ParameterDeclarations><ParameterDeclaration name="map" ` +
		`parameterType="string" value="TO"/></ParameterDeclarations><RoadNetwork>` +
		`<LogicFile filepath="$map"/></RoadNetwork></OpenSCENARIO>`
)

// to returns a route through one text, which names a file.
func to(name, input, text, word, read string) route {
	return route{name: name, input: input, read: read, files: map[string]string{
		input: strings.ReplaceAll(text, "TO", word), read: "content"}}
}

// through returns a route with further files.
func through(r route, files map[string]string) route {
	maps.Copy(r.files, files)
	return r
}

// linked returns a route with symbolic links.
func linked(r route, links map[string]string) route {
	r.links = links
	return r
}

// scenarioRoutes returns routes through scenarios.
func scenarioRoutes() []route {
	return []route{
		to("map", "s.xosc", withMap, "maps/a.xodr", "maps/a.xodr"),
		to("map with backslashes", "s.xosc", withMap, `.\maps\a.xodr`, "maps/a.xodr"),
		to("map without extension", "s.xosc", withMap, "maps/Town01", "maps/Town01.xodr"),
		to("map by a parameter", "s.xosc", withParameter, "a.xodr", "a.xodr"),
		to("scene graph", "s.xosc", strings.ReplaceAll(withMap, "LogicFile", "SceneGraphFile"),
			"../models/a.osgb", "../models/a.osgb"),
		to("entity", "s.xosc", withMap, "a &amp; b.xodr", "a & b.xodr"),
		to("catalog", "s.xosc", withCatalogs, "cars", "cars/Cars.XOSC"),
		to("catalogs in the same folder", "s.xosc", withCatalogs, ".", "cars.xosc"),
		to("catalogs in a folder with an empty path", "s.xosc", withCatalogs, "", "cars.xosc"),
		linked(to("folder of catalogs that is a link", "s.xosc", withCatalogs, "cars",
			"real/cars.xosc"), map[string]string{"cars": "real"}),
		linked(to("catalog that is a link", "s.xosc", withCatalogs, "cars", "real.txt"),
			map[string]string{"cars/a.xosc": "../real.txt"}),
		linked(to("map that is a link", "s.xosc", withMap, "a.xodr", "b.xodr"),
			map[string]string{"a.xodr": "b.xodr"}),
		through(to("scenario of a distribution", "d/d.xosc", withScenario, `..\s.xosc`, "a.xodr"),
			map[string]string{"s.xosc": strings.ReplaceAll(withMap, "TO", "a.xodr")}),
		through(to("map that is a value of a distribution", "d/d.xosc", withScenario+
			`<Element value="maps/b.xodr"/>`, "../s.xosc", "maps/b.xodr"),
			map[string]string{"s.xosc": strings.ReplaceAll(withParameter, "TO", "none.xodr")}),
	}
}

// experimentRoutes returns routes through experiments.
func experimentRoutes() []route {
	return []route{
		to("bibi", "e.exc", withBIBI, "e.bibi", "e.bibi"),
		to("chart", "e.exc", withChart, "charts/c.scxml", "charts/c.scxml"),
		through(to("invoked chart", "e.exc", withChart, "charts/c.scxml", "charts/d.scxml"),
			map[string]string{"charts/c.scxml": strings.ReplaceAll(withInvoke, "TO",
				"file:d.scxml")}),
		through(to("data of a chart", "e.exc", withChart, `charts\c.scxml`, "charts/d.json"),
			map[string]string{"charts/c.scxml": `<scxml><datamodel><data id="d" src="d.json"/>`}),
		through(to("FMU of a bibi", "e.exc", withBIBI, "sub/e.bibi", "sub/a.fmu"),
			map[string]string{"sub/e.bibi": "<bibi><brainModel>a.fmu</brainModel></bibi>"}),
		through(to("configuration of a bibi", "e.exc", withBIBI, "e.bibi", "my data.csv"),
			map[string]string{"e.bibi": "<c><![CDATA[my data.csv]]></c>"}),
		through(to("map of a scenario", "e.exc", `<environmentModel src="TO"/>`, "s/s.xosc",
			"s/a.xodr"), map[string]string{"s/s.xosc": strings.ReplaceAll(withMap, "TO",
			"a.xodr")}),
		through(to("component of a system", "e.exc", withBIBI, "sys/s.ssd", "sys/a.fmu"),
			map[string]string{"sys/s.ssd": strings.ReplaceAll(withSource, "TO", "a.fmu")}),
		to("unpacked FMU", "e.exc", `<fmu src="TO"/>`, "car", "car/modelDescription.xml"),
	}
}

// systemRoutes returns routes through systems, plans and configurations of bridges.
func systemRoutes() []route {
	inner := strings.ReplaceAll(withBinding, "TO", "q.ssv")
	return []route{
		to("component", "s.ssd", withSource, "resources/a.fmu", "resources/a.fmu"),
		to("component by a URL", "s.ssd", withSource, "./a%20b.fmu", "a b.fmu"),
		to("parameters", "s.ssd", withBinding, "p.ssv", "p.ssv"),
		through(to("parameters of an inner system", "s.ssd", withSource, "in/t.ssd", "in/q.ssv"),
			map[string]string{"in/t.ssd": inner}),
		through(to("parameters next to a component", "s.ssd", withBinding+
			strings.ReplaceAll(withSource, "TO", "in/t.ssd"), "q.ssv", "in/q.ssv"),
			map[string]string{"in/t.ssd": "<System/>"}),
		to("package", "s.yaml", "experiment: TO # packed\n", "my system.ssp", "my system.ssp"),
		to("plan", "plans/p.yaml", "experiment: TO\n", "../e.exc", "e.exc"),
		to("table", "p.csv", "seed,experiment\n1,TO\n", "e.exc", "e.exc"),
		to("table of a plan", "p.yaml", "experiment: e.exc\ntable: {file: TO}\n", "my rows.csv",
			"my rows.csv"),
		through(to("value of a plan", "plans/p.yaml",
			"experiment: ../e.exc\nparameters:\n  map: [TO, b.xodr]\n", "a.xodr", "a.xodr"),
			map[string]string{"e.exc": "<ExDConfig/>"}),
		to("definition", "b.json", withMessages, "defs", "defs/src/a/pkg/msg/A.msg"),
		to("definition in the same folder", "b.json", withMessages, "./", "A.idl"),
		linked(to("definition that is a link", "b.json", withMessages, "defs", "A.txt"),
			map[string]string{"defs/A.msg": "../A.txt"}),
		linked(to("input that is a link to another folder", "e.exc", "<ExDConfig/>", "", "x/e.exc"),
			map[string]string{"e.exc": "x/e.exc"}),
	}
}

// lay creates the files of a route in a new folder of its own, and returns the folder.
func (r route) lay(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "home")
	for name, text := range r.files {
		if _, is := r.links[name]; is {
			continue
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for name, target := range r.links {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		if err := os.Symlink(filepath.FromSlash(target), name); err != nil {
			t.Skip("this file system has no symbolic links: ", err)
		}
	}
	return dir
}

// contents returns the contents of all files below a folder, and the targets of its links.
func contents(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if target, err := os.Readlink(path); err == nil {
			all[path] = "link to " + target
			return nil
		}
		content, err := os.ReadFile(path)
		all[path] = string(content)
		return err
	}))
	return all
}

// names returns the names of a file that the file system supports.
func names(t *testing.T, file string) (list []string) {
	t.Helper()
	dir := filepath.Join(filepath.Dir(filepath.Dir(file)), "names")
	require.NoError(t, os.MkdirAll(dir, 0o777))
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		if alias == "a detour" {
			list = append(list, filepath.Dir(file)+"/../"+filepath.Base(filepath.Dir(file))+"/./"+
				filepath.Base(file))
			continue
		}
		if name, err := aliases[alias](dir, file); err == nil {
			list = append(list, name)
		} else {
			t.Log("this file system does not support ", alias, ": ", err)
		}
	}
	first, errA := os.Stat(file)
	swapped := filepath.Join(filepath.Dir(file), swapCase(filepath.Base(file)))
	if second, errB := os.Stat(swapped); errA == nil && errB == nil && os.SameFile(first, second) {
		list = append(list, swapped)
	} else {
		t.Log("not tried: this file system distinguishes the case of letters")
	}
	return list
}

func swapCase(name string) string {
	if upper := strings.ToUpper(name); upper != name {
		return upper
	}
	return strings.ToLower(name)
}

// TestGuard_IndirectInputs: no output of any command may be a file that an input of any of its
// flags and arguments names, however many files lie between them, and under whatever name. The
// command ends before it opens a file, and all files keep their bytes.
func TestGuard_IndirectInputs(t *testing.T) {
	quiet, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	stderr := os.Stderr
	os.Stderr = quiet
	t.Cleanup(func() { os.Stderr = stderr; require.NoError(t, quiet.Close()) })
	tried := map[string]bool{}
	for turn, r := range slices.Concat(scenarioRoutes(), experimentRoutes(), systemRoutes()) {
		t.Run(r.name, func(t *testing.T) { r.isRefused(t, turn, tried) })
	}
	for _, command := range newParser().Model.Leaves(false) {
		for _, v := range valuesOf(command) {
			if role, _ := guard.RoleOf(nameOf(command), v.Name); writes(role) {
				option := nameOf(command) + " " + v.Name
				require.True(t, tried[option] || !hasInput(command, v), option)
			}
		}
	}
}

// hasInput reports whether a command has another flag or argument that names an input.
func hasInput(command *kong.Node, but *kong.Value) bool {
	return slices.ContainsFunc(valuesOf(command), func(v *kong.Value) bool {
		role, _ := guard.RoleOf(nameOf(command), v.Name)
		return v.Name != but.Name && leads(role)
	})
}

// leads reports whether the files of a role are searched for the names of other files.
func leads(role fileuse.Role) bool { return reads(role) || role == fileuse.InOut+1 }

// isRefused requires that every output of every command is refused if it is the file at the end of
// the route. The inputs and the names of the file take turns, so that the routes together use each
// input with each output.
func (r route) isRefused(t *testing.T, turn int, tried map[string]bool) {
	dir := r.lay(t)
	input, read := filepath.Join(dir, r.input), filepath.Join(dir, filepath.FromSlash(r.read))
	other := filepath.Join(filepath.Dir(dir), "other.fmu")
	require.NoError(t, os.WriteFile(other, []byte("other"), 0o666))
	aliases := names(t, read)
	before := contents(t, filepath.Dir(dir))
	for at, command := range newParser().Model.Leaves(false) {
		var in, out []int
		for k, v := range valuesOf(command) {
			role, _ := guard.RoleOf(nameOf(command), v.Name)
			if leads(role) {
				in = append(in, k)
			}
			if writes(role) {
				out = append(out, k)
			}
		}
		for k, output := range out {
			if testing.Short() && (turn+k)%3 > 0 {
				continue // other routes try this output
			}
			others := slices.DeleteFunc(slices.Clone(in), func(k int) bool { return k == output })
			if len(others) > 0 {
				refusesLine(t, at, others[turn%len(others)], output, input,
					aliases[(turn+k)%len(aliases)], other)
				tried[nameOf(command)+" "+valuesOf(command)[output].Name] = true
			}
		}
	}
	require.Equal(t, before, contents(t, filepath.Dir(dir)))
}

// refusesLine requires that a command line with this input and this output is refused.
func refusesLine(t *testing.T, command, in, out int, input, output, other string) {
	parser := newParser() // kong keeps file names from one command line to the next
	fresh := parser.Model.Leaves(false)[command]
	list := valuesOf(fresh)
	line := commandLine(fresh, list[in], list[out], input, output, other)
	parsed, err := parser.Parse(line)
	require.NoError(t, err, "%q", line)
	err = guard.Check(parsed)
	require.Equal(t, cli.ExitInput, cli.ExitCode(err), "%q", line)
	require.ErrorContains(t, err, list[out].Name, "%q", line)
	require.ErrorContains(t, err, "expected another file, so that nothing is lost", "%q", line)
	require.Equal(t, cli.ExitInput, executeCommand(parsed, nil, nil), "%q", line)
}
