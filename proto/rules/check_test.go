package rules_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gosmp/internal/finding"
	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
)

// ids returns the rules that m breaks.
func ids(m proto.Message) (list []string) {
	for _, f := range rules.Check(m) {
		list = append(list, f.ID)
	}
	return list
}

func TestCheck_ScenesObeyTheRules(t *testing.T) {
	require.Empty(t, rules.Check(scene.Motorway(0)))
	require.Empty(t, rules.Check(scene.Crowd(30, 3, 4)))
}

// TestCheck_FindsWhatIsWrong breaks one rule of each kind.
func TestCheck_FindsWhatIsWrong(t *testing.T) {
	for want, spoil := range map[string]func(v *osi3.SensorView){
		"OSI SensorView.sensor_id is_set": func(v *osi3.SensorView) { v.SensorId = nil },
		"OSI GroundTruth.version is_set": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.Version = nil
		},
		"OSI Timestamp.nanos is_less_than_or_equal_to": func(v *osi3.SensorView) {
			v.Timestamp.Nanos = proto.Uint32(1e9)
		},
		"OSI Dimension3d.length is_greater_than_or_equal_to": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.MovingObject[3].Base.Dimension.Length = proto.Float64(-1)
		},
		"OSI MovingObject.id is_globally_unique": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.MovingObject[3].Id = v.GlobalGroundTruth.MovingObject[4].Id
		},
		"OSI StationaryObject.id is_globally_unique": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.StationaryObject[1].Id = v.GlobalGroundTruth.StationaryObject[0].Id
		},
		"OSI SensorView.host_vehicle_id refers_to": func(v *osi3.SensorView) {
			v.HostVehicleId.Value = proto.Uint64(1 << 40)
		},
		"OSI MovingObject.vehicle_classification is_set": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.MovingObject[3].VehicleClassification = nil
		},
		"OSI MovingObject.pedestrian_attributes is_set": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.MovingObject[3].Type = osi3.MovingObject_TYPE_PEDESTRIAN.Enum()
		},
		"OSI EnvironmentalConditions.TimeOfDay.seconds_since_midnight is_less_than": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.EnvironmentalConditions = &osi3.EnvironmentalConditions{
				TimeOfDay: &osi3.EnvironmentalConditions_TimeOfDay{
					SecondsSinceMidnight: proto.Uint32(86400)},
			}
		},
	} {
		view := proto.CloneOf(scene.Motorway(0))
		spoil(view)
		require.Equal(t, []string{want}, ids(view))
	}
}

// TestCheck_ConditionsInPairsCountTogether: a road marking requires a code only if its type is 2, 3
// or 4.
func TestCheck_ConditionsInPairsCountTogether(t *testing.T) {
	for number, needed := range map[osi3.RoadMarking_Classification_Type]bool{1: false, 2: true,
		4: true, 5: false} {
		m := &osi3.RoadMarking_Classification{Type: &number}
		require.Equal(t, needed, len(rules.Check(m)) > 1, "type %d: %v", number, ids(m))
	}
}

func TestCheck_NamesPlaceAndRemedy(t *testing.T) {
	view := scene.Motorway(0)
	view.GlobalGroundTruth.MovingObject[3].VehicleAttributes = nil
	list := rules.Check(view)
	require.Len(t, list, 1)
	require.Equal(t,
		"SensorView.global_ground_truth.moving_object[3].vehicle_attributes: error: found "+
			"nothing, expected the field to "+
			`be set (rule "is_set if type is_equal_to 2") [OSI MovingObject.vehicle_attributes `+
			`is_set]; correct the source of the message`,
		list[0].String())
	require.Equal(t, finding.Error, list[0].Severity)
}

// TestCheck_EveryRuleHasItsField visits every message of OSI: a rule about a field that does not
// exist panics.
func TestCheck_EveryRuleHasItsField(t *testing.T) {
	require.Greater(t, rules.Count(), 190)
	messages := 0
	protoregistry.GlobalTypes.RangeMessages(func(m protoreflect.MessageType) bool {
		if m.Descriptor().ParentFile().Package() == "osi3" {
			messages++
			require.NotPanics(t, func() { rules.Check(m.New().Interface()) },
				m.Descriptor().FullName())
		}
		return true
	})
	require.Greater(t, messages, 150)
}

// TestFirst_FindsTheSameAsCheck: the first finding of each wanted rule, and no other.
func TestFirst_FindsTheSameAsCheck(t *testing.T) {
	view := proto.CloneOf(scene.Motorway(0))
	for k, o := range view.GlobalGroundTruth.MovingObject {
		o.Base.Dimension.Length = proto.Float64(float64(-k))
		o.VehicleAttributes = nil
		o.Id = view.GlobalGroundTruth.MovingObject[0].Id
	}
	view.HostVehicleId.Value = proto.Uint64(1 << 40)
	first := map[string]finding.Finding{}
	for _, f := range rules.Check(view) {
		if _, known := first[f.ID]; !known {
			first[f.ID] = f
		}
	}
	require.Len(t, first, 4)
	for id, f := range first {
		require.Equal(t, finding.List{f}, rules.First(view, []string{id}))
		require.Len(t, rules.First(view, []string{id, "OSI Timestamp.nanos is_set"}), 1)
	}
	require.Len(t, rules.First(view, slices.Collect(maps.Keys(first))), 4)
	require.Empty(t, rules.First(view, nil))
}

// TestFirst_ManyObjectsCostLittle: what the caller wants to know is found in the first object.
func TestFirst_ManyObjectsCostLittle(t *testing.T) {
	const objects = 20_000
	m := &osi3.GroundTruth{}
	for range objects {
		m.MovingObject = append(m.MovingObject, &osi3.MovingObject{})
	}
	allocated := testing.AllocsPerRun(1, func() {
		require.Len(t, rules.First(m, []string{"OSI MovingObject.id is_set"}), 1)
	})
	require.Less(t, allocated, objects/10.)
}
