//go:build linux && cgo

package importer_test

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/worker"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// messages is a Go participant that produces a message in every step.
type messages struct {
	out  *cosim.Frame
	n    int
	mime string
}

func (m *messages) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "view", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
		MIMEType: m.mime}}
}
func (m *messages) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }
func (m *messages) Bind(_, outputs []int) (in, out *cosim.Frame, err error) {
	m.out = cosim.NewFrame(m.Variables(), outputs)
	return &cosim.Frame{}, m.out, nil
}
func (m *messages) Enter(context.Context, cosim.Setup) error { return nil }
func (m *messages) Exchange(context.Context) error           { return nil }
func (m *messages) Leave(context.Context) error              { return nil }
func (m *messages) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	m.n++
	m.out.SetBlob(0, 0, []byte(message(m.n)))
	return cosim.Advance{Reached: s.End}, nil
}
func (m *messages) Stop(context.Context) error { return nil }
func (m *messages) Close() error               { return nil }

// message returns the n-th message: every third message is empty, and some are large.
func message(n int) string {
	if n%3 == 0 {
		return ""
	}
	return strings.Repeat(string(rune('a'+n%26)), n%11*(n%11)*(n%11)*50)
}

const view = "application/x-open-simulation-interface; version=3.8.0; type=SensorView"

func TestRun_MessagesFromAGoParticipantThroughAChain(t *testing.T) {
	for _, shared := range []bool{false, true} {
		pool := &importer.Pool{}
		e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
		e.Add("source", &messages{mime: view})
		add := func(name string, r testfmu.Recipe) {
			r.Describe = views
			i, err := open(t, r).NewInstance(name, pool, importer.Options{Shared: shared})
			require.NoError(t, err)
			e.Add(name, i)
		}
		add("two", testfmu.Recipe{OSMP: true})
		add("three", testfmu.Recipe{Version: 3})
		add("last", testfmu.Recipe{OSMP: true})
		e.Connect("source.view", "two.OSMPSensorViewIn")
		e.Connect("two.OSMPSensorDataOut", "three.message")
		e.Connect("three.echo", "last.OSMPSensorViewIn")
		r := &run{blobs: map[string][]string{}}
		e.Observe(blobWatch{r, e.Watch("last.OSMPSensorDataOut")})
		result, err := e.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, pool.Close())
		require.Equal(t, []string{"source", "two", "three", "last"}, result.Order)
		require.Empty(t, result.Cuts)
		want := []string{""}
		for n := 1; n <= 10; n++ {
			want = append(want, message(n))
		}
		require.Equal(t, want, r.blobs["last.OSMPSensorDataOut"],
			"no step of delay, the same bytes")
	}
}

func TestConnect_ComparesMIMETypes(t *testing.T) {
	pool := &importer.Pool{}
	defer func() { _ = pool.Close() }()
	i, err := open(t, testfmu.Recipe{OSMP: true}).NewInstance("x", pool, importer.Options{})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.Add("source", &messages{mime: strings.Replace(view, "SensorView", "GroundTruth", 1)})
	e.Add("x", i)
	e.Connect("source.view", "x.OSMPSensorViewIn")
	_, err = e.Run(context.Background())
	require.ErrorIs(t, err, cosim.ErrConnection)
	require.ErrorContains(t, err, "type=GroundTruth")
}

func TestEnter_AnswersTheConfigurationRequest(t *testing.T) {
	// The request of the test FMU is its parameter gain; the request is granted unchanged after the
	// parameters have been set.
	var calls []string
	for _, own := range []float64{0, 55} {
		pool := &importer.Pool{Options: worker.Options{LogCalls: true}}
		o := importer.Options{Start: []importer.StartValue{{Name: "gain", Value: "7"}},
			Log: func(m importer.Message) { calls = append(calls, m.Text) }}
		if own != 0 {
			o.Configuration = map[string][]byte{
				"OSMPSensorViewInConfig": binary.LittleEndian.AppendUint64(nil,
					math.Float64bits(own))}
		}
		i, err := open(t, testfmu.Recipe{OSMP: true}).NewInstance("x", pool, o)
		require.NoError(t, err)
		e := cosim.New(cosim.Spec{Stop: timebase.Second / 10, Step: cosim.Every(0.1)})
		e.Add("x", i)
		r := &run{blobs: map[string][]string{}}
		e.Observe(blobWatch{r, e.Watch("x.OSMPSensorViewInConfigRequest")})
		_, err = e.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, pool.Close())
		want := 7.0
		if own != 0 {
			want = own
		}
		got := r.blobs["x.OSMPSensorViewInConfigRequest"][0]
		require.Equal(t, want, math.Float64frombits(binary.LittleEndian.Uint64([]byte(got))))
	}
	all := strings.Join(calls, "\n")
	require.Less(t, strings.Index(all, "fmi2EnterInitializationMode"), strings.Index(all,
		"fmi2SetInteger"))
	require.Less(t, strings.Index(all, "fmi2SetInteger"), strings.Index(all,
		"fmi2ExitInitializationMode"))
}

// While an FMU steps, other participants may still read its message of the previous step, no matter
// how often the host reads the message in the current step: at an event before it, after an early
// return, or at an event within it.
func TestStep_MessageOfTheStepBeforeStays(t *testing.T) {
	ctx := context.Background()
	f := open(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep event", "DoStep early 0 2"}})
	pool := &importer.Pool{}
	i, err := f.NewInstance("x", pool, importer.Options{EventMode: true, EarlyReturn: true})
	require.NoError(t, err)
	number := func(name string) int {
		return slices.IndexFunc(i.Variables(),
			func(v cosim.Variable) bool { return v.Name == name })
	}
	in, out, err := i.Bind([]int{number("message")}, []int{number("echo")})
	require.NoError(t, err)
	require.NoError(t, i.Enter(ctx, cosim.Setup{Name: "x", Stop: timebase.Second,
		Step: cosim.Every(0.1)}))
	require.NoError(t, i.Leave(ctx))
	before, now := "", timebase.Time(0)
	var held []byte
	for n := 1; n <= 8; n++ {
		in.SetBlob(0, 0, []byte(message(n)))
		for end := timebase.Time(n) * timebase.Second / 10; now < end; {
			a, err := i.Step(ctx, timebase.Span{Start: now, End: end})
			require.NoError(t, err)
			now = a.Reached
			require.True(t, a.Event)
			_, err = i.Event(ctx, now)
			require.NoError(t, err)
		}
		require.Equal(t, before, string(held), "message %d while %d was made", n-1, n)
		held, before = out.Blob(0, 0), message(n)
		require.Equal(t, before, string(held))
	}
	require.NoError(t, i.Stop(ctx))
	require.NoError(t, i.Close())
	require.NoError(t, pool.Close())
}

// An array of requests, even an empty one, is not an OSMP configuration request.
func TestRun_ArraysOfConfigurationRequests(t *testing.T) {
	for _, size := range []string{"0", "2"} {
		f := open(t, testfmu.Recipe{Version: 3,
			Clocks: `<Binary name="OSMPSensorViewInConfigRequest" valueReference="80" ` +
				`causality="calculatedParameter" variability="fixed"><Dimension start="` + size +
				`"/></Binary>
<Binary name="OSMPSensorViewInConfig" valueReference="81" causality="parameter" variability="fixed"><Start value=""/></Binary>
`})
		require.NoError(t, newRun(f, "out").do(t), "size %s", size)
	}
}
