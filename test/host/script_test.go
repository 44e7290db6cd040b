package host_test

import (
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi/archive"
)

// script is a sequence of calls for script.c.
type script struct {
	importer
	// folder is the working directory of the host, empty for the test's
	program, folder, resources, library string
	lines                               []string
}

func (i importer) script(t *testing.T) *script {
	return &script{i, compile(t, "script.c"), "", i.resources(), i.library(i.binaries()), nil}
}

// call adds a line.
func (s *script) call(fields ...any) *script {
	words := make([]string, len(fields))
	for k, f := range fields {
		words[k] = fmt.Sprint(f)
	}
	s.lines = append(s.lines, strings.Join(words, "\t"))
	return s
}

func (s *script) new(name string, loggingOn bool) *script {
	on := 0
	if loggingOn {
		on = 1
	}
	return s.call("new", hex.EncodeToString([]byte(name)), on)
}

// set sets a variable by its name; the value of a String is the text.
func (s *script) set(name string, value any) *script {
	v := s.find(name)
	if text, ok := value.(string); ok && kind(v) == "S" {
		value = hex.EncodeToString([]byte(text))
	}
	return s.call("set", kind(v), reference(v), value)
}

func (s *script) get(name string) *script {
	return s.call("get", kind(s.find(name)), reference(s.find(name)))
}

func (s *script) initialize() *script { return s.call("setup", 0, "-").call("enter").call("exit") }

func (s *script) steps(from, to int) *script {
	for k := from; k < to; k++ {
		s.call("step", 0.02*float64(k), 0.02)
	}
	return s
}

// find returns the variable of a name; naming another one is a mistake in the test.
func (d description) find(name string) *archive.Variable {
	for k := range d.Variables {
		if d.Variables[k].Name == name {
			return &d.Variables[k]
		}
	}
	panic("no variable " + name)
}

// heard is a line logged by the host.
type heard struct{ status, category, instance, text string }

// answer is the result of a call: status, value, and log lines.
type answer struct {
	call, text string
	log        []heard
}

// play makes the host execute the script and returns the answers in order; the answers of a forked
// child are the answers to the calls between child and end.
func (s *script) play(t *testing.T) (answers []answer) {
	t.Helper()
	c := exec.Command(s.program, s.InstantiationToken, s.resources, s.library)
	c.Dir = s.folder
	c.Stdin = strings.NewReader(strings.Join(s.lines, "\n") + "\n")
	output, err := c.CombinedOutput()
	require.NoError(t, err, string(output))
	var calls []string
	for _, line := range s.lines {
		if line != "child" && line != "end" {
			calls = append(calls, line)
		}
	}
	var log []heard
	for line := range strings.Lines(string(output)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, found := strings.CutPrefix(line, "| "); found {
			if heard := parse(t, rest); !introduction.MatchString(heard.text) {
				log = append(log, heard)
			}
			continue
		}
		require.Less(t, len(answers), len(calls), "one answer for each call: %s", line)
		answers = append(answers, answer{calls[len(answers)], line, log})
		log = nil
	}
	require.Len(t, answers, len(calls), string(output))
	return answers
}

// introduction is the first line of a new instance, which scripts ignore.
var introduction = regexp.MustCompile(
	`^\w+ [0-9.]+, made with gosmp [0-9.]+ \(go\S+\) for OSI 3\.8\.0, guid [0-9a-f]{32}$`)

func parse(t *testing.T, line string) heard {
	t.Helper()
	fields := strings.Split(line, " ")
	require.Len(t, fields, 4, line)
	instance, err := hex.DecodeString(fields[2])
	require.NoError(t, err)
	text, err := hex.DecodeString(fields[3])
	require.NoError(t, err)
	return heard{fields[0], fields[1], string(instance), string(text)}
}

// good plays a script in which every call has to succeed, and returns the answers.
func (s *script) good(t *testing.T) []answer {
	t.Helper()
	answers := s.play(t)
	for _, a := range answers {
		require.Regexp(t, `^(ok|holds)`, a.text, a.call)
		require.Empty(t, a.log, a.call)
	}
	return answers
}

// after returns the answers to the calls of a kind.
func after(answers []answer, command string) (found []answer) {
	for _, a := range answers {
		if strings.HasPrefix(a.call, command) {
			found = append(found, a)
		}
	}
	return found
}

// TestFork_AChildGetsACoreOfItsOwn forks a host in the middle of a run, and the child repeatedly.
// Each process creates instances that give the usual results, with existing copies of the loader
// and with fresh ones.
func TestFork_AChildGetsACoreOfItsOwn(t *testing.T) {
	i := newImporter(t)
	want := i.script(t).new("alone", true).initialize().steps(0, 200).call("message").good(t)
	hash := want[len(want)-1].text
	s := i.script(t).new("parent", true).initialize().steps(0, 100)
	const generations = 6
	for range generations {
		s.call("child").new("child", true).initialize().steps(0, 200).call("message").call("free")
		s.call("library", i.copies(t, 1)[0]).new("again", true).initialize().steps(0,
			200).call("message")
	}
	for range generations {
		s.call("end")
	}
	s.steps(100, 200).call("message").call("free") // the parent is not affected
	messages := after(s.good(t), "message")
	require.Len(t, messages, 2*generations+1)
	for _, m := range messages {
		require.Equal(t, hash, m.text)
	}
}

// TestFork_InstancesOfTheParentAreRefused tests a child's calls on an instance that its parent has
// created: the child can free it; every other call returns fmi2Error and logs one line.
func TestFork_InstancesOfTheParentAreRefused(t *testing.T) {
	s := newImporter(t).script(t).new("mother", true).initialize().steps(0, 10)
	s.call("child").call("step", 0.2, 0.02).get("gps.latitude").call("terminate").call(
		"reset").call("debug", 1).call("message")
	s.call("free").call("reset")
	s.new("own", true).initialize().steps(0, 10).call("end").steps(10, 20)
	answers := s.play(t)
	refused := 0
	for _, a := range answers[14:20] {
		require.Regexp(t, "^error", a.text, a.call)
		require.Len(t, a.log, 1, a.call)
		require.Equal(t, "mother", a.log[0].instance)
		require.Equal(t, "logStatusError", a.log[0].category)
		require.Contains(t, a.log[0].text, "forked after the instance had been made")
		refused++
	}
	require.Equal(t, 6, refused)
	require.Equal(t, answer{call: "free", text: "ok"}, answers[20])
	require.Equal(t, answer{call: "reset", text: "error"}, answers[21],
		"the component is stale then and has no logger")
	for _, a := range answers[22:] {
		require.Equal(t, "ok", a.text, a.call)
	}
}

// TestFork_TooManyGenerationsAreRefused forks until the dynamic linker has no room for another Go
// runtime. This is an error with its reason, not a hang, and the earlier processes continue. With
// glibc's default room this takes 213 generations, whose many mappings take a minute to fork; here
// the room is smaller.
func TestFork_TooManyGenerationsAreRefused(t *testing.T) {
	t.Setenv("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=0:glibc.rtld.nns=1")
	s := newImporter(t).script(t).new("first", true).initialize()
	const generations = 60
	for range generations {
		s.call("child").new("child", true)
	}
	for range generations {
		s.call("end")
	}
	answers := after(s.steps(0, 10).play(t), "new")
	require.Len(t, answers, generations+1)
	room := 0
	for room < len(answers) && answers[room].text == "ok" {
		room++
	}
	t.Logf("%d generations of forks have a core of their own", room-1)
	require.Greater(t, room, 2)
	require.LessOrEqual(t, room, generations)
	for _, a := range answers[room:] {
		require.Equal(t, "NULL", a.text)
		require.Len(t, a.log, 1)
		require.Contains(t, a.log[0].text,
			"cannot allocate memory in static TLS block; this process was forked from one "+
				"that has loaded")
	}
}

// TestResources_ThoseOfTheFMUWithoutALocation omits the resource location: the scenario of the FMU
// is played nevertheless, from a folder whose name requires careful handling.
func TestResources_ThoseOfTheFMUWithoutALocation(t *testing.T) {
	i := newImporter(t)
	want := i.script(t).new("located", true).initialize().steps(0, 50).call("message").good(t)
	for _, location := range []string{"-", ""} { // NULL and the empty text
		s := i.script(t)
		s.resources = location
		s.new("lost", true).initialize().steps(0, 50).call("message")
		found := s.good(t)
		require.Equal(t, want[len(want)-1], found[len(found)-1], "location %q", location)
	}

	s := i.script(t)
	s.resources, s.library = "-", i.copies(t, 1)[0] // without resources around it
	answers := s.new("lost", true).initialize().play(t)
	require.Equal(t, "error", answers[3].text)
	require.Len(t, answers[3].log, 1)
	require.Contains(t, answers[3].log[0].text, "fmuResourceLocation")

	s = i.script(t)
	s.resources, s.library = "-", i.copies(t, 1)[0]
	s.new("elsewhere", true).set("replay.scenarioFile", filepath.Join(i.folder, "resources",
		"scenario.csv"))
	found := s.initialize().steps(0, 50).call("message").good(t)
	require.Equal(t, want[len(want)-1].text, found[len(found)-1].text)
}

// TestResources_HostHasLeftItsFolder makes a host load the FMU by a relative path and change its
// folder before it creates an instance: the core and the resources are still found, by a forked
// child, too.
func TestResources_HostHasLeftItsFolder(t *testing.T) {
	i := newImporter(t)
	want := i.script(t).new("located", true).initialize().steps(0, 50).call("message").good(t)
	for folder, library := range map[string]string{
		i.folder: "binaries//linux64/" + i.library(""),
		filepath.Dir(i.folder): "./" + i.library(filepath.Join(filepath.Base(i.folder),
			"binaries", "linux64")),
		filepath.Dir(i.binaries()): "linux64/../linux64/" + i.library(""),
		i.binaries():               "./" + i.library(""),
	} {
		s := i.script(t)
		s.folder, s.resources, s.library = folder, "-", library
		s.call("go", "/").new("parent", true).initialize().steps(0, 50).call("message")
		s.call("child").new("child", true).initialize().steps(0, 50).call("message").call("end")
		for _, m := range after(s.good(t), "message") {
			require.Equal(t, want[len(want)-1].text, m.text, library)
		}
	}
}
