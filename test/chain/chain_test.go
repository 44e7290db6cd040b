// Package chain_test runs FMUs in a chain in a host written in C, chain.c: an environment
// simulation, fog, two sensors and a fusion, in one process, connected by plain integers. The
// messages of both call orders must be the same except for the delay, must stay unchanged for as
// long as OSMP guarantees, and must agree with the true state of the world.
package chain_test

import (
	"archive/zip"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/chost"
	"gosmp/internal/packed"
	"gosmp/proto/osi3"
)

// steps is the number of steps of a run, of 20 ms each.
const steps = 500

// The parts of the chain, numbered as in chain.c.
const (
	source = iota
	fog
	front
	left
	fusion
	parts
)

var names = [parts]string{"source", "fog", "front", "left", "fusion"}

// recording holds the messages of one run: one per part and step, which is empty if there is none.
type recording [parts][][]byte

// bench contains the paths of the host and of the unpacked FMUs.
type bench struct {
	folder string
	fmus   []string // source, fog, sensor, fusion
}

var shared = sync.OnceValues(func() (b bench, err error) {
	if b.folder, err = os.MkdirTemp("", "gosmp-test-chain-"); err != nil {
		return b, err
	}
	for _, program := range []string{"examples/source", "examples/fog", "cmd/osmpdummysensor",
		"examples/fusion"} {
		folder := filepath.Join(b.folder, filepath.Base(program))
		if err := unpacked(program, folder); err != nil {
			return b, err
		}
		b.fmus = append(b.fmus, folder)
	}
	return b, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if b, _ := shared(); b.folder != "" {
		if err := os.RemoveAll(b.folder); err != nil {
			code = 1
		}
	}
	os.Exit(code)
}

func run(words ...string) error {
	if text, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", words, err, text)
	}
	return nil
}

// unpacked builds the FMU of a program and unpacks it, with a list of its variables for the host.
func unpacked(program, folder string) error {
	file, err := packed.FMU(filepath.Dir(folder), program)
	if err != nil {
		return err
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	if err := os.CopyFS(folder, z); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	list, err := variables(filepath.Join(folder, "modelDescription.xml"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "variables.txt"), []byte(list), 0o600)
}

// variables returns the list that the host reads.
func variables(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var d struct {
		GUID         string `xml:"guid,attr"`
		CoSimulation struct {
			ModelIdentifier string `xml:"modelIdentifier,attr"`
		}
		Variables []struct {
			Name      string                       `xml:"name,attr"`
			Reference string                       `xml:"valueReference,attr"`
			Parts     []struct{ XMLName xml.Name } `xml:",any"`
		} `xml:"ModelVariables>ScalarVariable"`
	}
	if err := xml.Unmarshal(text, &d); err != nil {
		return "", err
	}
	list := fmt.Sprintln(d.CoSimulation.ModelIdentifier, d.GUID)
	for _, v := range d.Variables {
		list += fmt.Sprintln(v.Parts[0].XMLName.Local, v.Reference, v.Name)
	}
	return list, nil
}

// play runs the chain and returns the host's output and the recording.
func play(t *testing.T, order string, noise int) (text string, r recording, err error) {
	t.Helper()
	b, err := shared()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "record")
	out, err := exec.Command(chost.Compile(t, b.folder, "chain.c"),
		append([]string{order, fmt.Sprint(noise), fmt.Sprint(steps), path},
			b.fmus...)...).CombinedOutput()
	f, openErr := os.Open(path)
	require.NoError(t, openErr, string(out))
	defer func() { require.NoError(t, f.Close()) }()
	for {
		var head [5]byte
		if _, err := io.ReadFull(f, head[:]); err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		message := make([]byte, binary.LittleEndian.Uint32(head[1:]))
		_, err := io.ReadFull(f, message)
		require.NoError(t, err)
		r[head[0]] = append(r[head[0]], message)
	}
	return string(out), r, err
}

// well returns the recording of a run without errors.
func well(t *testing.T, order string, noise, messages int) recording {
	t.Helper()
	text, r, err := play(t, order, noise)
	require.NoError(t, err, text)
	line := fmt.Sprintf("chain: %d steps, %d messages, all intact\n", steps, messages)
	require.Equal(t, line, text, "and no line of a logger")
	for n, list := range r {
		require.Len(t, list, steps, names[n])
	}
	return r
}

var forward = func() func(t *testing.T) recording {
	var r recording
	return func(t *testing.T) recording {
		if r[source] == nil {
			r = well(t, "forward", 1, parts*steps)
		}
		return r
	}
}()

func decode[M any, P interface {
	*M
	proto.Message
}](t *testing.T, message []byte) P {
	t.Helper()
	require.NotEmpty(t, message)
	m := P(new(M))
	require.NoError(t, proto.Unmarshal(message, m))
	return m
}

func view(t *testing.T, message []byte) *osi3.SensorView {
	return decode[osi3.SensorView](t, message)
}

func data(t *testing.T, message []byte) *osi3.SensorData {
	return decode[osi3.SensorData](t, message)
}

// nanoseconds returns a timestamp in nanoseconds.
func nanoseconds(s *osi3.Timestamp) int64 { return s.GetSeconds()*1e9 + int64(s.GetNanos()) }

const h = int64(20e6) // size of a step, in nanoseconds

func TestHostNoticesAMessageThatHasChanged(t *testing.T) {
	text, _, err := play(t, "late", 1)
	require.Error(t, err)
	require.Contains(t, text, "source: a message has changed before the second step after it")
}

func TestForwardEveryPartSeesTheSameStep(t *testing.T) {
	r := forward(t)
	for k := range steps {
		at := int64(k+1) * h
		require.Equal(t, at, nanoseconds(view(t, r[source][k]).GetTimestamp()))
		require.Equal(t, at, nanoseconds(view(t, r[fog][k]).GetTimestamp()))
		for _, n := range []int{front, left, fusion} {
			d := data(t, r[n][k])
			require.Equal(t, at, nanoseconds(d.GetTimestamp()))
			require.Equal(t, at, nanoseconds(d.GetLastMeasurementTime()))
			require.Equal(t, at, nanoseconds(d.GetMovingObjectHeader().GetMeasurementTime()))
		}
		for _, m := range data(t, r[fusion][k]).GetMovingObject() {
			require.Equal(t, osi3.DetectedItemHeader_MEASUREMENT_STATE_MEASURED,
				m.GetHeader().GetMeasurementState())
		}
	}
}

func TestBackwardEveryLinkIsOneStepLate(t *testing.T) {
	const toFog, toSensor, toFusion = 1, 2, 3 // number of links from the source
	f, b := well(t, "forward", 0, parts*steps), well(t, "backward", 0,
		parts*steps-toFog-2*toSensor-toFusion)
	for k := range steps {
		require.Equal(t, f[source][k], b[source][k])
		late(t, f[fog], b[fog], k, toFog, func(was, is []byte) { require.Equal(t, was, is) })
		for _, n := range []int{front, left} {
			late(t, f[n], b[n], k, toSensor, func(was, is []byte) {
				before, now := data(t, was), data(t, is)
				require.Equal(t, nanoseconds(before.GetTimestamp())+toSensor*h,
					nanoseconds(now.GetTimestamp()))
				before.Timestamp = now.Timestamp
				before.MovingObjectHeader.CycleCounter = now.MovingObjectHeader.CycleCounter
				before.StationaryObjectHeader.CycleCounter = now.StationaryObjectHeader.CycleCounter
				require.True(t, proto.Equal(before, now),
					"%s, step %d: all but the time stamp is the same", names[n], k)
			})
		}
		late(t, f[fusion], b[fusion], k, toFusion,
			func(was, is []byte) { predicted(t, data(t, was), data(t, is), toFusion*h) })
	}
}

// late compares a part's message of step k in backward order with its message in forward order,
// delay steps earlier. In the steps before that the part has no message.
func late(t *testing.T, forward, backward [][]byte, k, delay int, compare func(was, is []byte)) {
	t.Helper()
	if k < delay {
		require.Empty(t, backward[k], "step %d", k)
		return
	}
	compare(forward[k-delay], backward[k])
}

// predicted asserts that the second message is the first one, shifted by the given number of
// nanoseconds.
func predicted(t *testing.T, was, is *osi3.SensorData, by int64) {
	t.Helper()
	require.Equal(t, nanoseconds(was.GetTimestamp())+by, nanoseconds(is.GetTimestamp()))
	require.Equal(t, nanoseconds(was.GetLastMeasurementTime()),
		nanoseconds(is.GetLastMeasurementTime()))
	require.Len(t, is.GetMovingObject(), len(was.GetMovingObject()))
	seconds := float64(by) / 1e9
	for k, m := range is.GetMovingObject() {
		before := was.GetMovingObject()[k]
		require.Equal(t, osi3.DetectedItemHeader_MEASUREMENT_STATE_PREDICTED,
			m.GetHeader().GetMeasurementState())
		before.Header.MeasurementState = m.Header.MeasurementState
		require.True(t, proto.Equal(before.GetHeader(), m.GetHeader()),
			"tracking id, age, probability, origin:\n%v\n%v",
			before.GetHeader(), m.GetHeader())
		p, v, q := before.GetBase().GetPosition(), before.GetBase().GetVelocity(),
			m.GetBase().GetPosition()
		require.InDelta(t, p.GetX()+v.GetX()*seconds, q.GetX(), 1e-9)
		require.InDelta(t, p.GetY()+v.GetY()*seconds, q.GetY(), 1e-9)
		require.InDelta(t, p.GetZ()+v.GetZ()*seconds, q.GetZ(), 1e-9)
		require.Greater(t, m.GetBaseRmse().GetPosition().GetX(),
			before.GetBaseRmse().GetPosition().GetX())
		require.InDelta(t, v.GetX(), m.GetBase().GetVelocity().GetX(), 1e-9)
	}
	require.Len(t, is.GetStationaryObject(), len(was.GetStationaryObject()))
	for k, s := range is.GetStationaryObject() {
		before := was.GetStationaryObject()[k]
		require.Equal(t, before.GetHeader().GetTrackingId().GetValue(),
			s.GetHeader().GetTrackingId().GetValue())
		require.InDelta(t, before.GetBase().GetPosition().GetX(), s.GetBase().GetPosition().GetX(),
			1e-9)
	}
}

// TestFog_IsAsItsExampleExpects does the same as make test in examples/fog.
func TestFog_IsAsItsExampleExpects(t *testing.T) {
	b, err := shared()
	require.NoError(t, err)
	fog, err := packed.FMU(b.folder, "examples/fog")
	require.NoError(t, err)
	data := filepath.Join("..", "..", "examples", "fog", "testdata")
	test := []string{"go", "run", "../../cmd/gosmp", "test", "fog=" + fog,
		"--trace", filepath.Join(data, "drive.jsonl"),
		"--expect", filepath.Join(data, "golden.jsonl"), "--expect", filepath.Join(data,
			"fog.yaml"), "--start-value"}
	require.NoError(t, run(append(test, "visibility=100")...))
	require.ErrorContains(t, run(append(test, "visibility=50")...), "expected one, found none")
}
