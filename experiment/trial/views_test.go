package trial_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// TestRun_AnswersRequestsWithTheConfigurationOfViews checks that SensorViews have the sensor id and
// the mounting position of the configuration that their reader received (OSMP), with one input and
// with several.
func TestRun_AnswersRequestsWithTheConfigurationOfViews(t *testing.T) {
	for _, index := range []string{"", "[2]"} {
		for name, reach := range map[string]float64{"view": 0, "mapview": 200} {
			r := newReader(index)
			playTo(t, r, `<g:connection from="ego.`+name+`" to="eye.OSMPSensorViewIn`+index+`"/>`)
			view, agreed := &osi3.SensorView{}, &osi3.SensorViewConfiguration{}
			require.NoError(t, proto.Unmarshal(r.view, view))
			require.NoError(t, proto.Unmarshal(r.config, agreed))
			require.NotNil(t, view.SensorId)
			require.NotNil(t, view.MountingPosition)
			require.True(t, proto.Equal(view.Version, agreed.Version))
			require.True(t, proto.Equal(view.SensorId, agreed.SensorId))
			require.True(t, proto.Equal(view.MountingPosition, agreed.MountingPosition))
			require.Equal(t, reach, agreed.GetRange())
		}
	}
}

// TestS2_SensorsOnAnyVehicle checks S2: the host vehicle of a view is the vehicle with the sensor.
func TestS2_SensorsOnAnyVehicle(t *testing.T) {
	places := map[string]float64{"ego": 20, "lead": 50}
	hosts := map[uint64]string{}
	for _, name := range []string{"ego.view", "lead.view", "lead.mapview"} {
		r := newReader("")
		playTo(t, r, `<g:connection from="`+name+`" to="eye.OSMPSensorViewIn"/>`)
		view := &osi3.SensorView{}
		require.NoError(t, proto.Unmarshal(r.view, view))
		id, vehicle := view.HostVehicleId.GetValue(), strings.Split(name, ".")[0]
		require.Equal(t, id, view.GlobalGroundTruth.HostVehicleId.GetValue(), name)
		hosts[id] = vehicle
		for _, o := range view.GlobalGroundTruth.MovingObject {
			if o.Id.GetValue() == id {
				require.InDelta(t, places[vehicle], o.Base.Position.GetX(), 1, name)
			}
		}
		require.InDelta(t, places[vehicle], view.HostVehicleData.Location.Position.GetX(), 1, name)
	}
	require.Len(t, hosts, 2)
}

// TestRun_LeavesOtherConfigurationsAlone uses a reader that accepts no configuration, one that
// requests none, and one whose configuration the experiment connects.
func TestRun_LeavesOtherConfigurationsAlone(t *testing.T) {
	const wire = `<g:connection from="ego.view" to="eye.OSMPSensorViewIn"/>`
	fixed := newReader("")
	fixed.variables = fixed.variables[:2]
	playTo(t, fixed, wire)
	require.NotEmpty(t, fixed.view)
	require.Nil(t, fixed.config)

	silent := newReader("")
	silent.variables = slices.Delete(silent.variables, 1, 2)
	playTo(t, silent, wire)
	require.NotEmpty(t, silent.view)
	require.Nil(t, silent.config)

	given := newReader("")
	playTo(t, given,
		wire+`<g:connection from="lead.mapviewConfig" to="eye.OSMPSensorViewInConfig"/>`)
	agreed := &osi3.SensorViewConfiguration{}
	require.NoError(t, proto.Unmarshal(given.config, agreed))
	require.Equal(t, 200.0, agreed.GetRange(), "the configuration of the connected view")
}

// A request reaches an FMU that produces SensorViews, as in a system of FMUs.
func TestRun_ConnectsRequestsToFMUs(t *testing.T) {
	eye, source := newReader(""), &asker{}
	source.declare("OSMPSensorViewOut", "SensorView", cosim.Output)
	source.declare("OSMPSensorViewOutConfig", "SensorViewConfiguration", cosim.Parameter)
	play(t, map[string]cosim.Participant{"eye": eye, "source": source},
		`<g:fmu name="source" src="aeb.fmu"/><g:connection from="source.OSMPSensorViewOut" `+
			`to="eye.OSMPSensorViewIn"/>`)
	require.Equal(t, 1, source.connected, "the configuration is connected")
}

// asker counts its connected parameters.
type asker struct {
	reader
	connected int
}

func (a *asker) Leave(context.Context) error {
	for _, p := range a.in.Ports {
		if a.variables[p.Variable].Role == cosim.Parameter {
			a.connected++
		}
	}
	return nil
}

// playTo runs the experiment of testdata with a participant "eye" and the given connections.
func playTo(t *testing.T, p cosim.Participant, connections string) {
	t.Helper()
	play(t, map[string]cosim.Participant{"eye": p}, connections)
}

// play runs the experiment of testdata with a participant "eye", and with other declared
// participants.
func play(t *testing.T, participants map[string]cosim.Participant, declared string) {
	t.Helper()
	o := trial.Options{FMU: func(m experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: m.Name, New: func(trial.Given) (cosim.Participant,
			error) {
			return participants[m.Name], nil
		}}, nil
	}}
	m := files(t, false, "<timestep>", `<g:fmu name="eye" src="aeb.fmu"/>`+declared+`<timestep>`)
	_, err := open(t, m, o).Run(t.Context())
	require.NoError(t, err)
}

// reader requests a configuration. It keeps the configuration it receives and the first SensorView.
type reader struct {
	brake
	config []byte
	view   []byte
}

func newReader(index string) *reader {
	r := &reader{}
	r.declare("OSMPSensorViewIn"+index, "SensorView", cosim.Input)
	r.declare("OSMPSensorViewInConfigRequest"+index, "SensorViewConfiguration", cosim.Calculated)
	r.declare("OSMPSensorViewInConfig"+index, "SensorViewConfiguration", cosim.Parameter)
	return r
}

func (r *reader) declare(name, message string, role cosim.Role) {
	r.variables = append(r.variables, cosim.Variable{Name: name, Kind: cosim.Binary, Role: role,
		Size: 1, MIMEType: osmp.MIMEType(message)})
}

// read returns the input with that role, or nil if it is not connected.
func (r *reader) read(role cosim.Role) []byte {
	for port := range r.in.Ports {
		if r.variables[r.in.Ports[port].Variable].Role == role {
			return slices.Clone(r.in.Blob(port, 0))
		}
	}
	return nil
}

func (r *reader) Leave(context.Context) error {
	r.config = r.read(cosim.Parameter)
	return nil
}

func (r *reader) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if r.view == nil {
		r.view = r.read(cosim.Input)
	}
	return cosim.Advance{Reached: s.End}, nil
}
