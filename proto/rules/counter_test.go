package rules_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"gosmp/internal/finding"
	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
)

// counted returns the nonzero counts for a message by rule id.
func counted(t require.TestingT, m proto.Message) map[string]int64 {
	c, err := rules.NewCounter(string(m.ProtoReflect().Descriptor().FullName()))
	require.NoError(t, err)
	data, err := proto.Marshal(m)
	require.NoError(t, err)
	broken, err := c.Check(data)
	require.NoError(t, err)
	counts := map[string]int64{}
	for _, k := range broken {
		counts[c.Rules()[k].ID] = c.Counts()[k]
	}
	return counts
}

// described returns the same counts as counted, computed with Check.
func described(m proto.Message) map[string]int64 {
	counts := map[string]int64{}
	for _, f := range rules.Check(m) {
		counts[f.ID]++
	}
	return counts
}

// within returns a message and all messages inside it.
func within(m protoreflect.Message) []protoreflect.Message {
	list := []protoreflect.Message{m}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for k := range v.List().Len() {
				list = append(list, within(v.List().Get(k).Message())...)
			}
		default:
			list = append(list, within(v.Message())...)
		}
		return true
	})
	return list
}

// spoil changes a field of a message.
func spoil(t *rapid.T, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	if fields.Len() == 0 {
		return
	}
	f := fields.Get(rapid.IntRange(0, fields.Len()-1).Draw(t, "field"))
	x := rapid.SampledFrom([]float64{-1e9, -1, 0, 1, 2, 3, 4, 5, 7, 100, 86400, 1e9, 1 << 31,
		math.Inf(1), math.NaN()}).Draw(t, "value")
	value := func() protoreflect.Value {
		switch f.Kind() {
		case protoreflect.DoubleKind:
			return protoreflect.ValueOfFloat64(x)
		case protoreflect.EnumKind:
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(int32(x)))
		case protoreflect.Uint32Kind:
			return protoreflect.ValueOfUint32(uint32(int64(x)))
		case protoreflect.Uint64Kind:
			return protoreflect.ValueOfUint64(uint64(int64(x)))
		case protoreflect.Int32Kind:
			return protoreflect.ValueOfInt32(int32(x))
		case protoreflect.Int64Kind:
			return protoreflect.ValueOfInt64(int64(x))
		case protoreflect.BoolKind:
			return protoreflect.ValueOfBool(x > 0)
		}
		return protoreflect.Value{}
	}
	switch v := value(); {
	case rapid.Bool().Draw(t, "clear"):
		m.Clear(f)
	case f.IsList() && f.Message() != nil:
		m.Mutable(f).List().AppendMutable()
	case f.Message() != nil:
		m.Mutable(f)
	case f.IsList() && v.IsValid():
		m.Mutable(f).List().Append(v)
	case !f.IsList() && v.IsValid():
		m.Set(f, v)
	}
}

// firsts returns the first finding for each rule, and the rules.
func firsts(list finding.List) (first finding.List, ids []string) {
	for _, f := range list {
		if !slices.Contains(ids, f.ID) {
			first, ids = append(first, f), append(ids, f.ID)
		}
	}
	return first, ids
}

// TestCounter_AgreesWithCheck damages random scenes. Counter finds as much as Check, and First the
// first finding for each rule that is broken, whichever rules are wanted.
func TestCounter_AgreesWithCheck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		view := scene.Crowd(rapid.IntRange(1, 4).Draw(t, "objects"), 1, 2)
		var m proto.Message = view
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			m = view.GetGlobalGroundTruth()
		case 1:
			m = &osi3.SensorData{SensorView: []*osi3.SensorView{view, view},
				MovingObject: []*osi3.DetectedMovingObject{{}}}
		case 2:
			m = &osi3.TrafficUpdate{Update: view.GetGlobalGroundTruth().GetMovingObject()}
		}
		for range rapid.IntRange(0, 12).Draw(t, "changes") {
			spoil(t, rapid.SampledFrom(within(m.ProtoReflect())).Draw(t, "message"))
		}
		require.Equal(t, described(m), counted(t, m))
		first, ids := firsts(rules.Check(m))
		require.ElementsMatch(t, first, rules.First(m, ids))
		for k, id := range ids {
			require.Equal(t, first[k:k+1], rules.First(m, []string{id, "none"}))
		}
	})
}

func TestCounter_MergesWhatOccursTwice(t *testing.T) {
	c, err := rules.NewCounter("osi3.SensorView")
	require.NoError(t, err)
	half := func(v *osi3.SensorView) []byte {
		b, err := proto.Marshal(v)
		require.NoError(t, err)
		return b
	}
	position := &osi3.MountingPosition{}
	message := half(&osi3.SensorView{Version: &osi3.InterfaceVersion{VersionMajor: proto.Uint32(3)},
		MountingPosition: position})
	message = append(message,
		half(&osi3.SensorView{Version: &osi3.InterfaceVersion{VersionMinor: proto.Uint32(8),
			VersionPatch: proto.Uint32(0)}})...)
	var whole osi3.SensorView
	require.NoError(t, proto.Unmarshal(message, &whole))
	_, err = c.Check(message)
	require.NoError(t, err)
	sum := int64(0)
	for _, n := range c.Counts() {
		sum += n
	}
	require.Len(t, rules.Check(&whole), int(sum))
}

func TestCounter_RemembersIdsOfEarlierMessages(t *testing.T) {
	c, err := rules.NewCounter("osi3.GroundTruth")
	require.NoError(t, err)
	truth := scene.Motorway(0).GetGlobalGroundTruth()
	check := func() []int {
		b, err := proto.Marshal(truth)
		require.NoError(t, err)
		broken, err := c.Check(b)
		require.NoError(t, err)
		return broken
	}
	require.Empty(t, check())
	truth.MovingObject = nil
	require.Empty(t, check(), "the host vehicle is known from the message before")
	truth.HostVehicleId.Value = proto.Uint64(1 << 40)
	require.Len(t, check(), 1)
}

// TestCounter_ReferencesToWhatIsElsewhere checks that messages without a field for lanes may refer
// to lanes that their receiver knows from a GroundTruth, and that a GroundTruth may not refer to
// lanes that it does not contain.
func TestCounter_ReferencesToWhatIsElsewhere(t *testing.T) {
	car := &osi3.MovingObject{Id: &osi3.Identifier{Value: proto.Uint64(1)},
		MovingObjectClassification: &osi3.MovingObject_MovingObjectClassification{
			LogicalLaneAssignment: []*osi3.LogicalLaneAssignment{{
				AssignedLaneId: &osi3.Identifier{Value: proto.Uint64(9)}}}}}
	broken := func(m proto.Message) bool {
		c, err := rules.NewCounter(string(m.ProtoReflect().Descriptor().FullName()))
		require.NoError(t, err)
		b, err := proto.Marshal(m)
		require.NoError(t, err)
		found, err := c.Check(b)
		require.NoError(t, err)
		counted := slices.ContainsFunc(found, func(k int) bool {
			return strings.Contains(c.Rules()[k].ID, "assigned_lane_id refers_to")
		})
		checked := slices.ContainsFunc(rules.Check(m), func(f finding.Finding) bool {
			return strings.Contains(f.ID, "assigned_lane_id refers_to")
		})
		require.Equal(t, counted, checked)
		return counted
	}
	list := []*osi3.MovingObject{car}
	require.False(t, broken(&osi3.StreamingUpdate{MovingObjectUpdate: list}))
	require.False(t, broken(&osi3.TrafficUpdate{Update: list}))
	require.True(t, broken(&osi3.GroundTruth{MovingObject: list}))
}

func TestCounter_RefusesWhatCannotBeDecoded(t *testing.T) {
	c, err := rules.NewCounter("osi3.SensorView")
	require.NoError(t, err)
	_, err = c.Check([]byte{0x12, 0x7f})
	require.ErrorIs(t, err, rules.ErrMessage)
	_, err = rules.NewCounter("osi3.Nothing")
	require.ErrorIs(t, err, rules.ErrMessage)
}

func TestCounter_AllocatesNothing(t *testing.T) {
	c, err := rules.NewCounter("osi3.SensorView")
	require.NoError(t, err)
	b, err := proto.Marshal(scene.Crowd(10, 0, 0))
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(20, func() { _, _ = c.Check(b) }))
}

// TestCounter_CountsLikeOSIsOwnChecker compares the counts with the counts that qc-osi-trace 0.2.0
// reports for the OSI samples.
func TestCounter_CountsLikeOSIsOwnChecker(t *testing.T) {
	want := map[string]map[string]int64{
		"20230623T142745Z_sv_350_32112_100.osi": {"osirules.groundtruth.version.is_set": 100,
			"osirules.movingobject.vehicle_classification.is_set": 200,
			"osirules.sensorview.host_vehicle_id.is_set":          100},
		"20240618T122540Z_sv_370_244_20_minimal_valid_example.osi": {},
	}
	sums := map[string]int64{"20240221T141700Z_sv_300_2112_10_one_moving_object.osi": 60}
	folder := "../../../shared/data/osi"
	files, _ := filepath.Glob(filepath.Join(folder, "*.osi"))
	if len(files) == 0 {
		t.Skip("the samples of OSI are not here")
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		c, err := rules.NewCounter("osi3.SensorView")
		require.NoError(t, err)
		for len(content) > 0 {
			n := 4 + int(content[0]) + int(content[1])<<8 + int(content[2])<<16
			_, err := c.Check(content[4:n])
			require.NoError(t, err)
			content = content[n:]
		}
		got, sum := map[string]int64{}, int64(0)
		for k, n := range c.Counts() {
			if n > 0 && !c.Rules()[k].Information {
				got[c.Rules()[k].Target] = n
				sum += n
			}
		}
		if exact, known := want[filepath.Base(file)]; known {
			require.Equal(t, exact, got, file)
		} else {
			require.Equal(t, sums[filepath.Base(file)], sum, "%v", got)
			require.Len(t, got, 6)
		}
	}
}

func TestCountries_AreThoseOfISO3166(t *testing.T) {
	for code, good := range map[uint32]bool{276: true, 840: true, 4: true, 894: true, 0: false,
		1: false, 280: false, 999: false, 276 + 1<<16: false} {
		require.Equal(t, good,
			described(
				&osi3.GroundTruth{CountryCode: &code})["OSI GroundTruth.country_code "+
				"is_iso_country_code"] == 0, code)
	}
}

// BenchmarkCounter checks messages with 10 objects.
func BenchmarkCounter(b *testing.B) {
	message, err := proto.Marshal(scene.Crowd(10, 0, 0))
	require.NoError(b, err)
	b.Run("gosmp", func(b *testing.B) {
		c, err := rules.NewCounter("osi3.SensorView")
		require.NoError(b, err)
		for b.Loop() {
			_, err := c.Check(message)
			require.NoError(b, err)
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			var v osi3.SensorView
			require.NoError(b, proto.Unmarshal(message, &v))
			rules.Check(&v)
		}
	})
}
