//go:build linux && cgo

package run_test

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/proto/osi3"
	"gosmp/run"
	"gosmp/scenario/play"
)

const ccrs = "../examples/ccrs/ccrs.xosc"

// tested returns the options for a run of the example with a system under test.
func tested(sut ...string) run.Options {
	o := run.Defaults(ccrs)
	o.Require = []string{"@../examples/ccrs/requirements.txt"}
	for _, text := range sut {
		o.SUT = append(o.SUT, run.Placed(text))
	}
	return o
}

// settings returns settings from alternating names and values.
func settings(texts ...string) (list []trial.Setting) {
	for k := 0; k+1 < len(texts); k += 2 {
		list = append(list, trial.Setting{Name: texts[k], Value: texts[k+1]})
	}
	return list
}

// answer is a driver that brakes with 5 m/s2 from the start, or sends the answers returned by says.
func answer(in io.Reader, out io.Writer, says func(v *osi3.SensorView) []byte) error {
	for {
		var head [4]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return nil //nolint:nilerr // the end of the run
		}
		b := make([]byte, binary.LittleEndian.Uint32(head[:]))
		if _, err := io.ReadFull(in, b); err != nil {
			return err
		}
		v := &osi3.SensorView{}
		if err := proto.Unmarshal(b, v); err != nil {
			return err
		}
		update := says(v)
		if _, err := out.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(update))),
			update...)); err != nil {
			return err
		}
	}
}

// braking returns an update of the host vehicle, 0.01 s after a view.
func braking(v *osi3.SensorView) []byte {
	const h = 0.01
	for _, o := range v.GlobalGroundTruth.GetMovingObject() {
		if o.Id.GetValue() != v.HostVehicleId.GetValue() {
			continue
		}
		at, speed := o.Base.Position, o.Base.Velocity.GetX()
		next := max(0, speed-5*h)
		b, _ := proto.Marshal(&osi3.TrafficUpdate{Update: []*osi3.MovingObject{{Id: o.Id,
			Base: &osi3.BaseMoving{Position: &osi3.Vector3D{
				X: proto.Float64(at.GetX() + (speed+next)/2*h), Y: at.Y},
				Velocity: &osi3.Vector3D{X: &next}}}}})
		return b
	}
	return nil
}

// serve starts a program that answers one run, and returns its address.
func serve(t *testing.T, says func(v *osi3.SensorView) []byte) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		_ = answer(c, c, says) // a run that ends early closes the connection
	}()
	return "tcp:" + l.Addr().String()
}

func TestSUT_AProgramBehindAnAddress(t *testing.T) {
	result, err := run.Run(t.Context(), tested(serve(t, braking)))
	require.NoError(t, err)
	r := result.Scenario
	require.Equal(t, play.Passed, r.Outcome, r.Cause)
	require.Equal(t, "Ego", r.Models[0].Entity)
	require.Equal(t, "tested", r.Models[0].Role)
	// 13.89 m/s, 5 m/s2, and 0.5 s of standstill
	require.InDelta(t, 50/3.6/5+0.5, r.Time, 0.03)

	result, err = run.Run(t.Context(), tested())
	require.NoError(t, err)
	require.Equal(t, play.Failed, result.Scenario.Outcome)
	require.InDelta(t, 50/3.6, result.Scenario.Collisions[0].ImpactSpeed, 1e-6)
}

// The started program is this test itself.
func TestSUT_AProgramThatIsStarted(t *testing.T) {
	if os.Getenv("GOSMP_TEST_PROGRAM") == "1" {
		require.NoError(t, answer(os.Stdin, os.Stdout, braking))
		return
	}
	t.Setenv("GOSMP_TEST_PROGRAM", "1")
	result, err := run.Run(t.Context(), tested("exec:"+os.Args[0]+" -test.run=^"+t.Name()+"$"))
	require.NoError(t, err)
	require.Equal(t, play.Passed, result.Scenario.Outcome, result.Scenario.Cause)
}

func TestSUT_ProgramsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		says func(v *osi3.SensorView) []byte
		want string
	}{
		"no message": {func(*osi3.SensorView) []byte { return []byte{0x0a, 0xff} },
			"not a TrafficUpdate"},
		"elsewhere": {func(v *osi3.SensorView) []byte {
			b, _ := proto.Marshal(&osi3.TrafficUpdate{Update: []*osi3.MovingObject{{
				Id: v.HostVehicleId,
				Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(-9),
					Y: proto.Float64(0)}},
			}}})
			return b
		}, "where the world has placed Ego"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := run.Run(t.Context(), tested(serve(t, c.says)))
			require.ErrorContains(t, err, c.want)
			require.Equal(t, play.Broken, result.Scenario.Outcome)
		})
	}
	o := tested("exec:/no/such/program")
	_, err := run.Run(t.Context(), o)
	require.ErrorIs(t, err, importer.ErrFailed)
	require.ErrorContains(t, err, "the program has failed")
	require.Equal(t, run.Failed, run.ExitCode(err))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	o = tested("tcp:" + l.Addr().String()) // nobody answers there
	o.Timeout = 1
	result, err := run.Run(t.Context(), o)
	require.ErrorIs(t, err, importer.ErrTimeout)
	require.Equal(t, run.TimedOut, result.Scenario.ExitCode)
}

func TestSUT_Refuses(t *testing.T) {
	for want, change := range map[string]func(o *run.Options){
		"no such file":              func(o *run.Options) { o.SUT[0].Value = "absent.fmu" },
		"an entity of the scenario": func(o *run.Options) { o.SUT[0].Variable = "Eggo" },
		"exec:COMMAND, tcp:HOST:PORT or tls:HOST:PORT": func(o *run.Options) {
			o.SUT[0].Value = "exec:"
		},
		"a system under test":       func(o *run.Options) { o.DisableControllers = true },
		"a scenario (OpenSCENARIO)": func(o *run.Options) { o.Files = []string{loopRoad} },
		`found a second "x"`: func(o *run.Options) {
			o.SUT = append(o.SUT, run.Assignment{Variable: "Target", Value: "exec:x"})
		},
	} {
		o := tested("exec:x")
		change(&o)
		_, err := run.Run(t.Context(), o)
		require.ErrorContains(t, err, want)
	}
	o := run.Defaults(ccrs)
	o.StartValues = []run.Assignment{{Variable: "a.b", Value: "1"}}
	_, err := run.Run(t.Context(), o)
	require.ErrorContains(t, err, "--sut, --drive or --on")
}

// Two models for the same motion of an entity are refused, however each of them is given.
func TestSUT_RefusesASecondModel(t *testing.T) {
	driver, brake := pack(t, "examples/driver"), pack(t, "examples/aeb")
	at := func(file string) run.Assignment {
		return run.Assignment{Variable: "Ego", Value: file}
	}
	for name, change := range map[string]func(o *run.Options){
		"two under test": func(o *run.Options) { o.SUT = append(o.SUT, at("other="+driver)) },
		"a driver, too":  func(o *run.Options) { o.Drive = append(o.Drive, at("other="+driver)) },
		"a program":      func(o *run.Options) { o.Drive = append(o.Drive, at("exec:x")) },
		"two brakes": func(o *run.Options) {
			o.SUT = []run.Assignment{at("a=" + brake), at("b=" + brake)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := tested("Ego=" + driver)
			change(&o)
			_, err := run.Run(t.Context(), o)
			require.ErrorContains(t, err, "as a second model that moves Ego")
			require.Equal(t, run.Invalid, run.ExitCode(err))
		})
	}
}

// The emergency brake of the example with a sensor before it: as two FMUs, and as a system.
func TestSUT_EmergencyBrake(t *testing.T) {
	radar, brake := pack(t, "cmd/osmpdummysensor"), pack(t, "examples/aeb")
	o := tested("Ego=brake=" + brake)
	o.On = []run.Assignment{{Variable: "Ego", Value: "radar=" + radar}}
	result, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	first := result.Scenario
	require.Equal(t, play.Passed, first.Outcome, first.Cause)
	require.Len(t, first.Models, 2)

	o.Shared = true
	result, err = run.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first.TraceHash, result.Scenario.TraceHash)

	// Outputs of models are part of the hash, even if they move nothing.
	further := o
	further.StartValues = []run.Assignment{{Variable: "radar.nominalrange", Value: "130"}}
	result, err = run.Run(t.Context(), further)
	require.NoError(t, err)
	require.Equal(t, first.Time, result.Scenario.Time)
	require.NotEqual(t, first.TraceHash, result.Scenario.TraceHash)

	// The same run as a row of a sweep, and a run with a weaker brake.
	row := run.Case(t.Context(), run.CaseOptions{File: ccrs, Set: settings("--sut",
		"Ego=brake="+brake, "--on", "Ego=radar="+radar, "--require", "no collision", "Speed",
		"50")})
	require.Equal(t, string(play.Passed), row.Outcome, row.Cause)
	require.Equal(t, first.TraceHash, row.TraceHash)
	row = run.Case(t.Context(), run.CaseOptions{File: ccrs, Set: settings("--sut", "late="+brake,
		"--on", "Ego=radar="+radar, "--require", "no collision", "--start-value",
		"late.braking.deceleration=20", "--start-value", "late.braking.time=0.3")})
	require.Contains(t, row.Cause, "an entity of the scenario")
	row = run.Case(t.Context(),
		run.CaseOptions{File: ccrs, Set: settings("--sut", "Ego=late="+brake,
			"--on", "Ego=radar="+radar, "--require", "no collision", "--start-value",
			"late.braking.deceleration=20", "--start-value", "late.braking.time=0.3")})
	require.Equal(t, string(play.Failed), row.Outcome, row.Cause)

	dir := t.TempDir()
	for name, file := range map[string]string{"radar.fmu": radar, "brake.fmu": brake} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	ssd := filepath.Join(dir, "aeb.ssd")
	// Connected by the run, by the system, or by connectors that the system itself has.
	for _, description := range []string{assistance(false), assistance(true), declaring("1")} {
		require.NoError(t, os.WriteFile(ssd, []byte(description), 0o600))
		result, err = run.Run(t.Context(), tested(ssd))
		require.NoError(t, err)
		require.Equal(t, first.TraceHash, result.Scenario.TraceHash)
	}
	require.NoError(t, os.WriteFile(ssd, []byte(declaring("0.01")), 0o600))
	result, err = run.Run(t.Context(), tested(ssd))
	require.NoError(t, err)
	require.Equal(t, play.Failed, result.Scenario.Outcome, "the factor of the connection counts")
}

// assistance returns a system of a sensor and a brake, which may contain the entity as a component.
func assistance(entity bool) string {
	component := func(name, source string, connectors ...string) string {
		text := `<ssd:Component name="` + name + `" ` + source + `><ssd:Connectors>`
		for _, c := range connectors {
			kind, name, _ := strings.Cut(c, " ")
			of := "Binary"
			if strings.Contains(name, "rake") {
				of = `Real unit="1"`
			}
			text += `<ssd:Connector name="` + name + `" kind="` + kind + `"><ssc:` + of +
				`/></ssd:Connector>`
		}
		return text + `</ssd:Connectors></ssd:Component>`
	}
	connection := func(from, to string) string {
		a, x, _ := strings.Cut(from, " ")
		b, y, _ := strings.Cut(to, " ")
		return `<ssd:Connection startElement="` + a + `" startConnector="` + x + `" endElement="` +
			b + `" endConnector="` + y + `"/>`
	}
	elements := component("radar", `source="radar.fmu"`, "input OSMPSensorViewIn",
		"output OSMPSensorDataOut") + component("brake", `source="brake.fmu"`,
		"input OSMPSensorDataIn", "output brake.request")
	connections := connection("radar OSMPSensorDataOut", "brake OSMPSensorDataIn")
	if entity {
		elements += component("Ego", "", "output mapview", "input brakeRequest")
		connections += connection("Ego mapview", "radar OSMPSensorViewIn") +
			connection("brake brake.request", "Ego brakeRequest")
	}
	return `<ssd:SystemStructureDescription version="2.0" name="aeb"
xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"><ssd:System name="aeb">
<ssd:Elements>` + elements + `</ssd:Elements><ssd:Connections>` + connections +
		`</ssd:Connections></ssd:System><ssd:Units><ssc:Unit name="1"><ssc:BaseUnit/></ssc:Unit>
</ssd:Units></ssd:SystemStructureDescription>`
}

// declaring returns the system with its own connectors instead of the entity.
func declaring(factor string) string {
	text := assistance(false)
	text = strings.Replace(text, "<ssd:Elements>", `<ssd:Connectors>
<ssd:Connector name="Brake_Request" kind="output"><ssc:Real unit="1"/></ssd:Connector>
<ssd:Connector name="view" kind="input"><ssc:Binary/></ssd:Connector></ssd:Connectors>
<ssd:Elements>`, 1)
	return strings.Replace(text, "</ssd:Connections>", `<ssd:Connection startElement="brake"
startConnector="brake.request" endConnector="Brake_Request"><ssc:LinearTransformation factor="`+factor+`"/></ssd:Connection><ssd:Connection startConnector="view"
endElement="radar" endConnector="OSMPSensorViewIn"/></ssd:Connections>`, 1)
}
