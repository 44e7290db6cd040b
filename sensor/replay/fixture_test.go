package replay_test

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/proto/osi3"
	"gosmp/sensor/replay"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

const ms = timebase.Millisecond

// tester is the common interface of tests and property tests.
type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// write writes rows to a scenario file.
func write(t tester, rows ...string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "gosmp-replay-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	name := filepath.Join(folder, "scenario.csv")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(rows, "\n")+"\n"), 0o600))
	return name
}

// replayed is a scenario that is played and sampled on one node.
type replayed struct {
	*replay.Sampler
	node   *activity.Node
	source *replay.Source
	player *simsensor.Player
}

// open starts playing a file, publishes the rows of the start time, and closes the file at the end
// of the test.
func open(t tester, name string, opt simsensor.Options) *replayed {
	t.Helper()
	player, err := simsensor.Open(name, opt)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, player.Close()) })
	n := activity.NewNode(activity.NodeSpec{})
	r := &replayed{node: n, player: player, source: replay.NewSource(n.Module("scenario"), ""),
		Sampler: replay.NewSampler(n.Module("test"))}
	r.source.Play(player)
	require.NoError(t, n.Err())
	require.NoError(t, r.Advance(opt.Start))
	return r
}

// Advance publishes and takes the rows up to until.
func (r *replayed) Advance(until timebase.Time) (err error) {
	for more := true; more && err == nil; {
		more, err = r.source.Publish(until)
		r.Take(until)
	}
	return err
}

// AppendState saves channels, sampler and player.
func (r *replayed) AppendState(b []byte) []byte {
	state, err := r.node.AppendState(nil)
	if err != nil {
		panic(err)
	}
	return r.player.AppendState(r.Sampler.AppendState(append(binary.LittleEndian.AppendUint32(b,
		uint32(len(state))), state...)))
}

// RestoreState restores all three.
func (r *replayed) RestoreState(b []byte) error {
	if len(b) < 4 || len(b)-4 < int(binary.LittleEndian.Uint32(b)) {
		return io.ErrUnexpectedEOF
	}
	size := int(binary.LittleEndian.Uint32(b))
	if err := r.node.RestoreState(b[4 : 4+size]); err != nil {
		return err
	}
	rest, err := r.Sampler.RestoreState(b[4+size:])
	if err != nil {
		return err
	}
	return r.player.RestoreState(rest)
}

// played returns a replay that has played all of the rows.
func played(t tester, rows ...string) *replayed {
	t.Helper()
	r := open(t, write(t, append(rows, "0")...), simsensor.Options{})
	require.NoError(t, r.Advance(timebase.EndOfTime))
	return r
}

// messages are an estimate written to every message that has a place for it.
type messages struct {
	data  *osi3.SensorData      // host_vehicle_location, host_vehicle_location_rmse, system_time
	host  *osi3.HostVehicleData // vehicle_localization, vehicle_motion
	truth *osi3.GroundTruth     // environmental_conditions
}

// encoded writes the estimate under the conditions stated by its methods, and decodes it with the
// generated types. It also requires that the bytes are canonical.
func encoded(t tester, est *replay.Estimate) messages {
	t.Helper()
	var data, host, truth []byte
	if est.HasBaseMoving() {
		data = est.AppendBaseMoving(data, 3)
	}
	if est.HasRMSE() {
		data = est.AppendRMSE(data, 4)
	}
	if est.HasUTC {
		data = est.AppendUTC(data, 29)
	}
	if est.HasFix {
		host = est.AppendLocalization(host, 8)
	}
	if est.HasMotion() {
		host = est.AppendMotion(host, 13)
	}
	if est.HasEnvironment() {
		truth = est.AppendEnvironment(truth, 12)
	}
	m := messages{&osi3.SensorData{}, &osi3.HostVehicleData{}, &osi3.GroundTruth{}}
	canonical(t, data, m.data)
	canonical(t, host, m.host)
	canonical(t, truth, m.truth)
	return m
}

// canonical decodes b and requires that marshalling the result gives the same bytes, without any
// field that OSI does not define.
func canonical(t tester, b []byte, m proto.Message) {
	t.Helper()
	require.NoError(t, proto.Unmarshal(b, m))
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	require.NoError(t, err)
	require.Equal(t, string(b), string(again))
	require.NotContains(t, leaves(m), unknownFields)
}

const unknownFields = "unknown fields"

// leaves lists every scalar that is set, by the path of field names. An empty message is listed as
// nil.
func leaves(m proto.Message) map[string]any {
	found := map[string]any{}
	collect(found, "", m.ProtoReflect())
	return found
}

func collect(found map[string]any, place string, m protoreflect.Message) {
	empty := true
	if len(m.GetUnknown()) > 0 {
		found[unknownFields] = place
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		empty = false
		at := strings.TrimPrefix(place+"."+string(f.Name()), ".")
		if f.Message() != nil && !f.IsList() {
			collect(found, at, v.Message())
		} else {
			found[at] = v.Interface()
		}
		return true
	})
	if empty && place != "" {
		found[place] = nil
	}
}

// same requires the same leaves, with a tolerance for the rounding errors of a few operations.
func same(t tester, want, found map[string]any) {
	t.Helper()
	for place := range found {
		require.Contains(t, want, place, "set, although it is not known: %v", found[place])
	}
	for place, value := range want {
		require.Contains(t, found, place, "not set")
		if number, ok := value.(float64); ok {
			require.InDelta(t, number, found[place], 1e-9, place)
			continue
		}
		require.Equal(t, value, found[place], place)
	}
}
