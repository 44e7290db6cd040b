//go:build linux && cgo

package importer_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// Rule 2: the start values of the model description are sent only on request, each in the proper
// phase.
func TestRule2_AllStartValuesAreSentOnRequest(t *testing.T) {
	for _, version := range []int{2, 3} {
		for _, all := range []bool{false, true} {
			r := newRun(open(t, testfmu.Recipe{Version: version}), "out")
			r.pool.Options.LogCalls, r.options.SetAllStart = true, all
			require.NoError(t, r.do(t))
			before, _, _ := strings.Cut(strings.Join(r.calls(), " "), "EnterInitializationMode")
			setter := map[int]string{2: "fmi2SetReal", 3: "fmi3SetFloat64"}[version]
			require.Equal(t, all, strings.Contains(before, setter), before)
			require.Equal(t, all && version == 3, strings.Contains(before, "ExitConfigurationMode"),
				before)
		}
	}
}

// Rule 9: by default the host uses neither Event Mode nor early return.
func TestRule9_EventModeAndEarlyReturnAreOff(t *testing.T) {
	for _, on := range []bool{false, true} {
		r := newRun(open(t, testfmu.Recipe{Version: 3}), "out")
		r.pool.Options.LogCalls, r.options.EventMode, r.options.EarlyReturn = true, on, on
		require.NoError(t, r.do(t))
		want := map[bool]string{false: "eventModeUsed=False, earlyReturnAllowed=False",
			true: "eventModeUsed=True, earlyReturnAllowed=True"}[on]
		require.Contains(t, r.messages[1].Text, want)
		require.Equal(t, on, strings.Contains(strings.Join(r.calls(), " "), "fmi3EnterStepMode"))
	}
}

// Rule 23: before every step, one SetInteger call sets low half, high half and size of a message;
// without a message, all three are 0.
func TestRule23_EachStepGetsAddressAndSizeInOneCall(t *testing.T) {
	pool := &importer.Pool{}
	pool.Options.LogCalls = true
	var calls []string
	i, err := open(t, testfmu.Recipe{OSMP: true}).NewInstance("x", pool,
		importer.Options{Log: func(m importer.Message) { calls = append(calls, m.Text) }})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.Add("source", &messages{mime: view})
	e.Add("x", i)
	e.Connect("source.view", "x.OSMPSensorViewIn")
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	require.NoError(t, pool.Close())
	set := regexp.MustCompile(
		`^fmi2SetInteger\(c=0x[0-9a-f]+, vr=\[20, 21, 22\], nvr=3, value=\[(-?[0-9]+), ` +
			`(-?[0-9]+), ([0-9]+)\]\) -> OK$`)
	step := 0
	for k, call := range calls {
		if !strings.HasPrefix(call, "fmi2DoStep(") {
			continue
		}
		step++
		parts := set.FindStringSubmatch(calls[k-1])
		require.NotNil(t, parts, "%s before %s", calls[k-1], call)
		require.False(t, set.MatchString(calls[k-2]), "one call")
		if size := len(message(step)); size == 0 {
			require.Equal(t, []string{"0", "0", "0"}, parts[1:], "never an old address")
		} else {
			require.NotEqual(t, []string{"0", "0"}, parts[1:3])
			require.Equal(t, strconv.Itoa(size), parts[3])
		}
	}
	require.Equal(t, 10, step)
}

// Rule 26: in Initialization Mode, after the parameters on which it depends have been set, a
// configuration request is read, granted and read again. Each instance does this separately.
func TestRule26_RequestsAreGrantedInInitializationMode(t *testing.T) {
	pool := &importer.Pool{}
	pool.Options.LogCalls = true
	calls, warnings := map[string][]string{}, []string{}
	e := cosim.New(cosim.Spec{Stop: timebase.Second / 10, Step: cosim.Every(0.1)})
	f := open(t, testfmu.Recipe{OSMP: true})
	for name, gain := range map[string]string{"a": "7", "b": "9"} {
		i, err := f.NewInstance(name, pool, importer.Options{Start: []importer.StartValue{
			{Name: "gain", Value: gain}},
			Log: func(m importer.Message) {
				calls[m.Instance] = append(calls[m.Instance], m.Text)
			},
			Warn: func(text string) { warnings = append(warnings, text) }, Shared: true})
		require.NoError(t, err)
		e.Add(name, i)
	}
	r := &run{blobs: map[string][]string{}}
	for _, name := range []string{"a", "b"} {
		e.Observe(blobWatch{r, e.Watch(name + ".OSMPSensorViewInConfigRequest")})
	}
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	require.NoError(t, pool.Close())
	require.Empty(t, warnings, "the request that is read again has the same bytes")
	require.NotEqual(t, r.blobs["a.OSMPSensorViewInConfigRequest"][0],
		r.blobs["b.OSMPSensorViewInConfigRequest"][0])
	for _, name := range []string{"a", "b"} {
		var order []string
		for _, call := range calls[name] {
			function, arguments, _ := strings.Cut(call, "(")
			for _, variable := range []string{"26, 27, 28", "29, 30, 31"} {
				if strings.Contains(arguments, "vr=["+variable+"]") {
					function += " " + variable
				}
			}
			order = append(order, strings.TrimPrefix(function, "fmi2"))
		}
		require.Contains(t, strings.Join(order, ", "),
			"SetReal, SetupExperiment, EnterInitializationMode, GetInteger 26, 27, 28, "+
				"SetInteger 29, 30, 31, GetInteger 26, 27, 28, ")
	}
}

// world is a Go participant that provides the static part of the world.
type world struct {
	messages
	content string
}

func (w *world) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "truth", Kind: cosim.Binary, Role: cosim.Calculated, Size: 1,
		MIMEType: strings.Replace(view, "SensorView", "GroundTruth", 1)}}
}

func (w *world) Bind(_, outputs []int) (in, out *cosim.Frame, err error) {
	w.out = cosim.NewFrame(w.Variables(), outputs)
	w.out.SetBlob(0, 0, []byte(w.content))
	return &cosim.Frame{}, w.out, nil
}

func (w *world) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	return cosim.Advance{Reached: s.End}, nil
}

// Rule 26: OSMPGroundTruthInit is set in Initialization Mode, and its bytes stay valid until the
// mode ends. They are the same for two instances of a model, whether they come from a file or from
// a participant.
func TestRule26_GroundTruthInitIsTheSameForAllInstances(t *testing.T) {
	const content = "the static part of the world"
	path := filepath.Join(t.TempDir(), "truth.bin")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	f := open(t, testfmu.Recipe{OSMP: true})
	for _, connected := range []bool{false, true} {
		pool := &importer.Pool{}
		pool.Options.LogCalls = true
		var lock sync.Mutex // the FMUs run in two processes, which log concurrently
		calls := map[string][]string{}
		e := cosim.New(cosim.Spec{Stop: timebase.Second / 10, Step: cosim.Every(0.1)})
		if connected {
			e.Add("world", &world{content: content})
		}
		for name, shared := range map[string]bool{"a": true, "b": false} {
			o := importer.Options{Shared: shared,
				Log: func(m importer.Message) {
					lock.Lock()
					defer lock.Unlock()
					calls[m.Instance] = append(calls[m.Instance], m.Text)
				}}
			if !connected {
				o.Start = []importer.StartValue{{Name: "OSMPGroundTruthInit", Value: "@" + path}}
			}
			i, err := f.NewInstance(name, pool, o)
			require.NoError(t, err)
			e.Add(name, i)
			if connected {
				e.Connect("world.truth", name+".OSMPGroundTruthInit")
			}
		}
		r := &run{blobs: map[string][]string{}}
		for _, name := range []string{"a", "b"} {
			e.Observe(blobWatch{r, e.Watch(name + ".truth")})
		}
		_, err := e.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, pool.Close())
		for _, name := range []string{"a", "b"} {
			require.Equal(t, []string{content, content}, r.blobs[name+".truth"])
			all := strings.Join(calls[name], "\n")
			_, all, _ = strings.Cut(all, "fmi2EnterInitializationMode(")
			all, after, _ := strings.Cut(all, "fmi2ExitInitializationMode(")
			require.Contains(t, all, "vr=[32, 33, 34]")
			require.NotContains(t, after, "vr=[32, 33, 34]")
		}
	}
}

// Rule 35: an FMU sees the user's working directory and environment, with the folder of its
// binaries prepended to the library path. A library next to the FMU's own library is found without
// an RPATH, and the symbols of a library to load first are visible.
func TestRule35_FolderEnvironmentAndLibrariesAreTheUsers(t *testing.T) {
	t.Setenv("GOSMP_TEST_VALUE", "a value")
	t.Setenv("LD_LIBRARY_PATH", "/some/where")
	here, err := os.Getwd()
	require.NoError(t, err)
	other := t.TempDir()
	source, library := filepath.Join(other, "preloaded.c"), filepath.Join(other, "preloaded.so")
	require.NoError(t, os.WriteFile(source, []byte("int gosmp_preloaded = 1;\n"), 0o600))
	for _, c := range []struct{ dir, preload, folder, loaded string }{{"", "", here,
		"not loaded before"}, {other, library, other, "loaded before"}} {
		r := newRun(open(t, testfmu.Recipe{Orders: []string{"DoStep where 0 1",
			"DoStep environment 0 1"}, Needs: "libgosmp-beside.so", Beside: true}))
		if c.preload != "" {
			out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library,
				source).CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
		r.pool.Options.Dir, r.options.Preload = c.dir, c.preload
		require.NoError(t, r.do(t))
		binaries := filepath.Join(r.folder, "binaries", r.fmu.Platform)
		require.Equal(t, []string{"DoStep in the main thread, " + c.folder,
			binaries + ":/some/where, a value, " + c.loaded}, r.printed)
	}
}
