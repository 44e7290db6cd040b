//go:build linux && cgo

package system_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// producer is a participant that sends one message and one speed.
type producer struct {
	out *cosim.Frame
}

func (*producer) Variables() []cosim.Variable {
	return []cosim.Variable{
		{Name: "view", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: "application/x-open-simulation-interface; type=SensorView; version=3.8.0"},
		{Name: "speed", Kind: cosim.Float64, Role: cosim.Output, Size: 1, Unit: "km/h"}}
}
func (*producer) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }
func (p *producer) Bind(_, outputs []int) (in, out *cosim.Frame, err error) {
	p.out = cosim.NewFrame(p.Variables(), outputs)
	return cosim.NewFrame(p.Variables(), nil), p.out, nil
}
func (p *producer) Enter(context.Context, cosim.Setup) error {
	for k, port := range p.out.Ports {
		if port.Kind == cosim.Binary {
			p.out.SetBlob(k, 0, []byte("seen"))
		} else {
			p.out.SetFloat(k, 0, 36)
		}
	}
	return nil
}
func (*producer) Exchange(context.Context) error { return nil }
func (*producer) Leave(context.Context) error    { return nil }
func (*producer) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	return cosim.Advance{Reached: s.End}, nil
}
func (*producer) Stop(context.Context) error { return nil }
func (*producer) Close() error               { return nil }

var errPicture = errors.New("a picture")

// opener creates producers for files that end in .view.
func opener(file string) (*system.Part, error) {
	switch {
	case strings.HasSuffix(file, ".view"):
		return &system.Part{Other: &producer{}, Units: []fmi.Unit{{Name: "km/h", M: 1, S: -1,
			Factor: 1 / 3.6}}}, nil
	case strings.HasSuffix(file, ".png"):
		return nil, errPicture
	}
	return nil, nil
}

func TestOpen_TakesOtherParticipants(t *testing.T) {
	reader := build(t, testfmu.Recipe{OSMP: true, Describe: func(xml string) string {
		xml = strings.Replace(xml, "<UnitDefinitions>",
			`<UnitDefinitions><Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit>`, 1)
		return strings.Replace(xml, `<Real start="1"/>`, `<Real start="1" unit="m/s"/>`, 1)
	}})
	s, err := system.Open([]string{"some.view", "b=" + reader}, opener)
	require.NoError(t, err)
	require.NoError(t, s.Connect([]string{"some.speed=b.in"}))
	require.Equal(t, []cosim.Conversion{cosim.Linear(1/3.6, 0)}, s.Connections[0].Conversions)
	s.ConnectViews()
	require.Equal(t, cosim.Connection{From: "some.view", To: "b.OSMPSensorViewIn"},
		s.Connections[1])
	s.Negotiate()

	pool := &importer.Pool{}
	e, err := s.Engine(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.5)}, pool,
		func(p *system.Part) importer.Options {
			require.NotNil(t, p.FMU, "a part that is not an FMU has no options")
			return importer.Options{}
		})
	require.NoError(t, err)
	r := &rows{signals: []*cosim.Signal{e.Watch("b.out"), e.Watch("b.OSMPSensorDataOut")}}
	e.Observe(r)
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	require.NoError(t, pool.Close())
	require.Len(t, r.lines, 3)
	require.Contains(t, r.lines[2], "7365656e", "the message has come through")

	_, err = system.Open([]string{"some.png"}, opener)
	require.ErrorIs(t, err, errPicture)
}

func TestSystem_LeavesInputsThatAreConnectedOrAmbiguous(t *testing.T) {
	reader := build(t, testfmu.Recipe{OSMP: true})
	for _, c := range []struct {
		connect, except []string
		want            int
		warning         string
	}{
		{want: 0, warning: "b.OSMPSensorViewIn is not connected, but could be to a.view or " +
			"c.view, for instance with --connect a.view=b.OSMPSensorViewIn"},
		{connect: []string{"c.view=b.OSMPSensorViewIn"}, want: 1},
		{except: []string{"b.OSMPSensorViewIn"}, want: 0},
	} {
		s, err := system.Open([]string{"a=x.view", "b=" + reader, "c=x.view"}, opener)
		require.NoError(t, err)
		require.NoError(t, s.Connect(c.connect))
		s.ConnectViews(c.except...)
		s.WarnOfFree(c.except...)
		require.Len(t, s.Connections, c.want)
		require.Contains(t, strings.Join(s.Warnings, "\n"), c.warning)
		require.Equal(t, c.warning == "", len(s.Warnings) == 0)
	}
}
