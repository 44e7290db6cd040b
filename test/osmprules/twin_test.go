package osmprules

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu/modeldescription"
	"gosmp/internal/mock"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
	"gosmp/timebase"
)

// The rules about configurations (C) and SensorData (D) for the Binary variables of the FMU for FMI
// 3.0: OSMP 1.6 states them in the same way, with one Binary instead of three Integers.

// twinDescription contains the parts of a modelDescription.xml of FMI 3.0 that OSMP has rules for.
type twinDescription struct {
	Binaries []*struct {
		Name        string `xml:"name,attr"`
		Reference   string `xml:"valueReference,attr"`
		Causality   string `xml:"causality,attr"`
		Variability string `xml:"variability,attr"`
		MIME        string `xml:"mimeType,attr"`
		Starts      []struct {
			Value string `xml:"value,attr"`
		} `xml:"Start"`
		Notes []struct {
			Type  string `xml:"type,attr"`
			Roles []role `xml:"http://xsd.pmsf.net/OSISensorModelPackaging osmp-binary-variable"`
		} `xml:"Annotations>Annotation"`
	} `xml:"ModelVariables>Binary"`
	Outputs []unknown `xml:"ModelStructure>Output"`
	Initial []unknown `xml:"ModelStructure>InitialUnknown"`
	Numbers []struct {
		Name      string `xml:"name,attr"`
		Reference string `xml:"valueReference,attr"`
	} `xml:"ModelVariables>Float64"`
}

type unknown struct {
	Reference    string `xml:"valueReference,attr"`
	Dependencies string `xml:"dependencies,attr"`
}

// twinText returns the model description as the packer would write it.
func twinText(t *testing.T) string {
	d := dummysensor.Definition().Twin()
	d.GUID = "00000000-0000-0000-0000-000000000000"
	var b bytes.Buffer
	require.NoError(t, modeldescription.Render(&b, d))
	return b.String()
}

// packedTwin returns the model description of the packed FMU, if there is one.
func packedTwin(t *testing.T) string {
	name := os.Getenv("GOSMP_FMU3")
	if name == "" {
		name = strings.TrimSuffix(packed(t), ".fmu") + "-fmi3.fmu"
	}
	z, err := zip.OpenReader(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no packed FMU to test: %v; make one with `make fmu`, or name one in GOSMP_FMU3",
			err)
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	text, err := fs.ReadFile(z, "modelDescription.xml")
	require.NoError(t, err)
	return string(text)
}

// twinHolds does the same as holds for FMI 3.0.
func twinHolds(t *testing.T, check func(*twinDescription) error, spoils ...spoil) {
	t.Helper()
	checked := func(t *testing.T, text string) error {
		d := &twinDescription{}
		require.NoError(t, xml.Unmarshal([]byte(text), d))
		return check(d)
	}
	text := twinText(t)
	t.Run("rendered", func(t *testing.T) { require.NoError(t, checked(t, text)) })
	t.Run("packed", func(t *testing.T) { require.NoError(t, checked(t, packedTwin(t))) })
	for k, s := range spoils {
		t.Run(fmt.Sprintf("spoiled %d", k+1), func(t *testing.T) {
			require.Contains(t, text, s.old)
			require.Error(t, checked(t, strings.ReplaceAll(text, s.old, s.new)), s.new)
		})
	}
}

// binary checks a variable of that name: its MIME type, causality and variability, its OSMP
// annotation, and that it is initially empty.
func (d *twinDescription) binary(name, message, causality string, variabilities ...string) error {
	for _, v := range d.Binaries {
		if v.Name != name {
			continue
		}
		_, parameters, err := mime.ParseMediaType(v.MIME)
		if err != nil || parameters["type"] != message {
			return fmt.Errorf("MIME type %q, expected type=%s", v.MIME, message)
		}
		if v.Causality != causality || !slices.Contains(variabilities, v.Variability) {
			return fmt.Errorf("%s %s, expected %s %s", v.Variability, v.Causality, variabilities,
				causality)
		}
		if len(v.Notes) != 1 || v.Notes[0].Type != "net.pmsf.osmp" || len(v.Notes[0].Roles) != 1 ||
			v.Notes[0].Roles[0] != (role{name, "full", v.MIME}) {
			return fmt.Errorf("annotations %v", v.Notes)
		}
		if forbidden := causality == "calculatedParameter"; forbidden != (len(v.Starts) == 0) ||
			!forbidden && v.Starts[0].Value != "" {
			return fmt.Errorf("starts %v", v.Starts)
		}
		return nil
	}
	return fmt.Errorf("no Binary %s", name)
}

func (d *twinDescription) reference(name string) string {
	for _, v := range d.Binaries {
		if v.Name == name {
			return v.Reference
		}
	}
	return ""
}

func TestC1_C3_C4_TwinHasAConfigurationPair(t *testing.T) {
	twinHolds(t, func(d *twinDescription) error {
		return errors.Join(d.binary(config, "SensorViewConfiguration", "parameter", "fixed"),
			d.binary(requested, "SensorViewConfiguration", "calculatedParameter", "fixed"))
	}, spoil{`<Binary name="OSMPSensorViewInConfig"`, `<Binary name="OSMPSensorViewConfig"`},
		spoil{"type=SensorViewConfiguration", "type=SensorView"},
		spoil{`causality="calculatedParameter"`, `causality="output"`},
		spoil{`role="full"`, `role="base.lo"`}, spoil{`<Start value=""/>`, ""},
		spoil{`<Start value=""/>`, `<Start value="00"/>`})
}

func TestC2_TwinsRequestIsAnInitialUnknown(t *testing.T) {
	twinHolds(t, func(d *twinDescription) error {
		at := slices.IndexFunc(d.Initial, func(u unknown) bool {
			return u.Reference == d.reference(requested)
		})
		if at < 0 {
			return errors.New("it is not")
		}
		for _, v := range d.Numbers {
			if v.Name == "nominalrange" &&
				!slices.Contains(strings.Fields(d.Initial[at].Dependencies),
					v.Reference) {
				return errors.New("it does not depend on nominalrange")
			}
		}
		return nil
	}, spoil{`<InitialUnknown valueReference="3"`, `<InitialUnknown valueReference="300"`},
		spoil{`name="nominalrange" valueReference="7"`, `name="nominalrange" valueReference="700"`})
}

func TestD1_D2_D3_D4_TwinHasOneSensorData(t *testing.T) {
	twinHolds(t, func(d *twinDescription) error {
		listed := slices.ContainsFunc(d.Outputs, func(u unknown) bool {
			return u.Reference == d.reference(dataOut)
		})
		if !listed {
			return errors.New("not in ModelStructure")
		}
		return d.binary(dataOut, "SensorData", "output", "discrete")
	}, spoil{`name="OSMPSensorDataOut"`, `name="OSMPSensorDataOut[1]"`},
		spoil{"type=SensorData;", "type=SensorView;"}, spoil{`role="full"`, `role="size"`},
		spoil{`<Output valueReference="2"`, `<Output valueReference="200"`})
}

// twinRig returns an FMI 3.0 instance in Initialization Mode.
func twinRig(t *testing.T, scenario string) *rig {
	t.Helper()
	r := &rig{t: t, memory: mock.NewMemory(), log: &mock.Log{}}
	r.host = modeltest.Host{Memory: r.memory, Deliver: r.log.Deliver}.Instantiate(t,
		dummysensor.Definition().Twin())
	r.Instance = r.host.Instance()
	require.Equal(t, fmi.OK, r.EnterInitializationMode())
	r.host.Set("replay.scenarioFile", write(t, scenario))
	return r
}

func TestC5_C6_C10_TwinsRequestFollowsParameters(t *testing.T) {
	r := twinRig(t, sixSensors)
	for _, nominal := range []float64{135, 50} {
		r.host.Set("nominalrange", nominal)
		require.InDelta(t, 1.1*nominal, requestedConfiguration(r).GetRange(), 1e-9,
			"times objects.rangeFactor")
		require.Equal(t, r.received(requested), r.received(requested),
			"each Get gives the same bytes")
	}
}

func TestC7_C8_C9_TwinTakesAConfigurationOrNone(t *testing.T) {
	own, err := proto.Marshal(&osi3.SensorViewConfiguration{Version: osi3.Version(),
		MountingPosition: mounting(4)})
	require.NoError(t, err)
	for _, set := range []bool{false, true} {
		for _, read := range []bool{false, true} {
			r := twinRig(t, sixSensors)
			if read {
				require.NotEmpty(t, r.received(requested))
			}
			if set {
				r.host.Write(config, own)
			}
			require.Equal(t, fmi.OK, r.ExitInitializationMode(), r.log.Lines)
			r.step()
			require.Equal(t, set, bytes.Equal(own, r.received(requested)))
			require.Equal(t, set, r.message().MountingPosition.Position.GetX() == 4)
		}
	}
}

func TestD5_D6_TwinGivesASensorDataInEachStepWithData(t *testing.T) {
	r := twinRig(t, sixSensors)
	r.host.Set("replay.startDelay", 0.05)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	for k := range 10 {
		r.step()
		require.Equal(t, k >= 2, r.host.Get("valid"))
		require.Equal(t, k >= 2, len(r.received(dataOut)) > 0)
		if k >= 2 {
			m := r.message()
			require.Equal(t, r.now, m.Timestamp.GetSeconds()*1e9+int64(m.Timestamp.GetNanos()))
		}
	}
}

// FMI 3.0 lets the next call overwrite the result of fmi3GetBinary; here it stays valid until the
// second step after it, as in FMI 2.0.
func TestD7_TwinsMessageStaysUntilTheSecondStepAfter(t *testing.T) {
	r := twinRig(t, sixSensors)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	refs := []fmi.ValueReference{2} // the SensorData
	var kept, copied []byte
	for k := range 60 {
		r.host.Write(viewIn, view(t, 37*k))
		r.step()
		require.Equal(t, copied, kept, "after the next step "+strconv.Itoa(k))
		got := make([][]byte, 1)
		require.Equal(t, fmi.OK, r.GetBinary(refs, got))
		kept, copied = got[0], bytes.Clone(got[0])
	}
}

// listener copies its input in every step.
type listener struct {
	in  *model.Input
	got [][]byte
}

func (*listener) Setup(model.Environment) error { return nil }

func (c *listener) Step(timebase.Span) error {
	c.got = append(c.got, bytes.Clone(c.in.Bytes()))
	return nil
}

func TestD8_TwinInAChainWithAConsumerThatIsOneStepLate(t *testing.T) {
	source := twinRig(t, sixSensors)
	require.Equal(t, fmi.OK, source.ExitInitializationMode())
	c := &listener{}
	d := model.Definition{Identifier: "Listener", New: func(d *model.Declaration) model.Model {
		c.in = d.Input(osmp.SensorDataIn)
		return c
	}}
	sink := modeltest.Host{}.Instantiate(t, d.FMU().Twin())
	sink.Start()
	var sent [][]byte
	var last []byte
	for k := range 100 {
		source.host.Write(viewIn, view(t, 53*k))
		source.step()
		sink.Write(dataIn, last)
		require.Equal(t, fmi.OK, sink.TryStep(cycle/1e9))
		last = source.received(dataOut)
		sent = append(sent, last)
	}
	require.Empty(t, c.got[0])
	require.Equal(t, sent[:len(sent)-1], c.got[1:])
}
