package connect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/osmp"
	"gosmp/osmp/connect"
)

func variable(name, message string, role cosim.Role) cosim.Variable {
	return cosim.Variable{Name: name, Kind: cosim.Binary, Role: role, Size: 1,
		MIMEType: osmp.MIMEType(message)}
}

func configuration(name string, role cosim.Role) cosim.Variable {
	return variable(name, "SensorViewConfiguration", role)
}

func TestMessageOf(t *testing.T) {
	v := variable("a", "SensorView", cosim.Input)
	require.Equal(t, "SensorView", connect.MessageOf(v))
	v.Kind = cosim.String
	require.Empty(t, connect.MessageOf(v))
	require.Empty(t,
		connect.MessageOf(cosim.Variable{Kind: cosim.Binary,
			MIMEType: "application/x; type=SensorView"}))
	require.Empty(t, connect.MessageOf(cosim.Variable{Kind: cosim.Binary}))
}

func TestConfigurations(t *testing.T) {
	view := variable("out", "SensorView", cosim.Output)
	reader := connect.Part{Name: "eye", Variables: []cosim.Variable{
		variable("OSMPSensorViewIn[2]", "SensorView", cosim.Input),
		configuration("OSMPSensorViewInConfigRequest[2]", cosim.Calculated),
		configuration("OSMPSensorViewInConfig[2]", cosim.Parameter),
	}}
	request := cosim.Connection{From: "eye.OSMPSensorViewInConfigRequest[2]", To: "source.wanted"}
	answer := cosim.Connection{From: "source.given", To: "eye.OSMPSensorViewInConfig[2]"}
	made := cosim.Connection{From: "source.out", To: "eye.OSMPSensorViewIn[2]"}
	wanted, given := configuration("wanted", cosim.Parameter), configuration("given",
		cosim.Calculated)
	own := configuration("OSMPSensorViewInConfig", cosim.Parameter)
	for name, c := range map[string]struct {
		producer []cosim.Variable
		reader   []cosim.Variable
		before   []cosim.Connection
		want     []cosim.Connection
	}{
		"takes and gives": {producer: []cosim.Variable{view, wanted, given},
			want: []cosim.Connection{request, answer}},
		"as inputs and outputs": {producer: []cosim.Variable{view, configuration("wanted",
			cosim.Input), configuration("given", cosim.Output)}, want: []cosim.Connection{request,
			answer}},
		"only takes": {producer: []cosim.Variable{view, wanted},
			want: []cosim.Connection{request}},
		"neither": {producer: []cosim.Variable{view}},
		"one for each of several": {producer: []cosim.Variable{view, configuration("outConfig",
			cosim.Calculated), given}, want: []cosim.Connection{{From: "source.outConfig",
			To: answer.To}}},
		"which of several is open": {producer: []cosim.Variable{view, given,
			configuration("other", cosim.Calculated)}},
		"that of its own view": {producer: []cosim.Variable{view, own, wanted},
			want: []cosim.Connection{request}},
		"connected otherwise": {producer: []cosim.Variable{view, wanted, given},
			before: []cosim.Connection{{From: "c.x", To: answer.To}},
			want:   []cosim.Connection{request}},
		"a reader without a request": {producer: []cosim.Variable{view, wanted, given},
			reader: reader.Variables[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			r := reader
			if c.reader != nil {
				r.Variables = c.reader
			}
			parts := []connect.Part{r, {Name: "source", Variables: c.producer}}
			require.Equal(t, c.want, connect.Configurations(parts, append(c.before, made)))
		})
	}
	require.Empty(t, connect.Configurations([]connect.Part{reader}, []cosim.Connection{made}),
		"the producer is unknown")
}

// If two inputs of one reader, or two readers, share a producer, the request of the first one
// counts.
func TestConfigurations_OfTwoReaders(t *testing.T) {
	source := connect.Part{Name: "source", Variables: []cosim.Variable{variable("out", "SensorView",
		cosim.Output),
		configuration("wanted", cosim.Parameter), configuration("given", cosim.Calculated)}}
	eye := func(name string) connect.Part {
		return connect.Part{Name: name, Variables: []cosim.Variable{variable("OSMPSensorViewIn",
			"SensorView", cosim.Input),
			configuration("OSMPSensorViewInConfigRequest", cosim.Calculated),
			configuration("OSMPSensorViewInConfig", cosim.Parameter)}}
	}
	require.Equal(t, []cosim.Connection{
		{From: "left.OSMPSensorViewInConfigRequest", To: "source.wanted"},
		{From: "source.given", To: "left.OSMPSensorViewInConfig"},
		{From: "source.given", To: "right.OSMPSensorViewInConfig"},
	}, connect.Configurations([]connect.Part{source, eye("left"), eye("right")}, []cosim.Connection{
		{From: "source.out", To: "left.OSMPSensorViewIn"}, {From: "source.out",
			To: "right.OSMPSensorViewIn"},
	}))
}
