//go:build linux && cgo

package importer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// TestMain sets up a separate cache for unpacking.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "gosmp-importer-")
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("XDG_CACHE_HOME", folder)
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// run is a run of one FMU and its results.
type run struct {
	fmu      *importer.FMU
	options  importer.Options
	pool     importer.Pool
	spec     cosim.Spec
	watch    []string
	sources  []cosim.Source
	messages []importer.Message
	warnings []string
	printed  []string
	csv      bytes.Buffer
	result   *cosim.Result
	blobs    map[string][]string
	folder   string // of the instance
	quiet    bool   // calls are neither logged nor checked: processes are as usual
	mu       sync.Mutex
}

func open(t testing.TB, r testfmu.Recipe) *importer.FMU {
	t.Helper()
	f, err := importer.Open(testfmu.Build(t, r))
	require.NoError(t, err)
	return f
}

func newRun(f *importer.FMU, watch ...string) *run {
	return &run{fmu: f, watch: watch, spec: cosim.Spec{Stop: timebase.Second,
		Step: cosim.Every(0.1)}}
}

// blobWatch records texts and messages.
type blobWatch struct {
	run    *run
	signal *cosim.Signal
}

func (b blobWatch) Begin(*cosim.Result) error { return nil }
func (b blobWatch) End(*cosim.Result) error   { return nil }
func (b blobWatch) Row(timebase.Time, cosim.Row) error {
	b.run.blobs[b.signal.Label()] = append(b.run.blobs[b.signal.Label()],
		string(b.signal.Blobs()[0]))
	return nil
}

// do runs the FMU.
func (r *run) do(t testing.TB) error {
	t.Helper()
	wanted := r.pool.Options.LogCalls
	r.pool.Options.LogCalls = wanted || !r.quiet
	legal := &legality{t: t}
	r.options.Log = func(m importer.Message) {
		r.mu.Lock()
		defer r.mu.Unlock()
		legal.check(m)
		if m.Call && !wanted {
			return
		}
		r.messages = append(r.messages, m)
	}
	r.options.Warn = func(text string) { r.warnings = append(r.warnings, text) }
	r.pool.Print = func(_, line string) { r.printed = append(r.printed, line) }
	i, err := r.fmu.NewInstance("x", &r.pool, r.options)
	if err != nil {
		return err
	}
	defer func() { require.NoError(t, r.pool.Close()) }()
	e := cosim.New(r.spec)
	e.Add("x", i)
	for _, s := range r.sources {
		e.AddSource("input", s)
		for _, v := range s.Variables() {
			e.Connect("input."+v.Name, "x."+v.Name)
		}
	}
	r.blobs = map[string][]string{}
	var plain []*cosim.Signal
	for _, name := range r.watch {
		s := e.Watch("x." + name).SetLabel(name)
		if s.Variable.Kind.IsBlob() {
			e.Observe(blobWatch{r, s})
		} else {
			plain = append(plain, s)
		}
	}
	e.Observe(cosim.NewRecorder(&r.csv, plain...))
	r.result, err = e.Run(context.Background())
	r.folder = i.Folder()
	return err
}

// calls lists the names of the functions that were called with their results.
func (r *run) calls() []string {
	var list []string
	for _, m := range r.messages {
		if !m.Call {
			continue
		}
		name, rest, _ := strings.Cut(m.Text, "(")
		if k := strings.LastIndex(rest, "-> "); k >= 0 && !strings.HasSuffix(m.Text, "OK") {
			name += " " + rest[k+3:]
		}
		list = append(list, name)
	}
	return list
}

// pack zips a folder.
func pack(t testing.TB, folder, path string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	z := zip.NewWriter(f)
	require.NoError(t, z.AddFS(os.DirFS(folder)))
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
}
