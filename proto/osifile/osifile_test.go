package osifile_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gosmp/proto/osi3"
	"gosmp/proto/osifile"
	"gosmp/timebase"
)

func TestParseName(t *testing.T) {
	for name, want := range map[string]string{
		"20230623T142745Z_sv_350_32112_100.osi":                            "",
		"20240618T122540Z_sv_370_244_20_minimal_valid_example.osi":         "",
		"20210818T150542Z_multi_380_13612_1523_highway.mcap":               "",
		"20210818T150542Z_sd_380_13612_0_lidar.OSMPSensorDataOut.part.osi": "",
		"20210818T150542Z_sd_380_13612_0.part.osi":                         "",
		"recording.osi":                           "expected <time>_<type>",
		"2021_sv_380_1_2.osi":                     `found time "2021"`,
		"20210818T150542Z_xx_380_1_2.osi":         `found type "xx"`,
		"20210818T150542Z_SensorView_380_1_2.osi": `found type "SensorView"`,
		"20210818T150542Z_sv_3.8_1_2.osi":         `found version "3.8"`,
		"20210818T150542Z_sv_380_1_-2.osi":        `found "-2" frames`,
	} {
		n, err := osifile.ParseName("folder/" + name)
		if want != "" {
			require.ErrorIs(t, err, osifile.ErrName, name)
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, name, n.String())
	}
	n, err := osifile.ParseName("20240618T122540Z_sv_370_244_20_minimal_valid_example.osi")
	require.NoError(t, err)
	require.Equal(t, "SensorView", n.Type.Message)
	require.Equal(t, "minimal_valid_example", n.Custom)
	require.Equal(t, 20, n.Frames)
	require.Equal(t, "380", osifile.Digits("3.8.0"))
}

func TestName_FileThatIsStillBeingWritten(t *testing.T) {
	n, err := osifile.ParseName("20210818T150542Z_sd_380_13612_0_lidar.part.osi")
	require.NoError(t, err)
	require.True(t, n.Part)
	require.Equal(t, "lidar", n.Custom)
	n.Part, n.Frames = false, 7
	require.Equal(t, "20210818T150542Z_sd_380_13612_7_lidar.osi", n.String())
}

// T8: the constant matches the release of the Go module.
func TestProtobufVersion_IsThatOfTheModule(t *testing.T) {
	content, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	require.Contains(t, string(content), "google.golang.org/protobuf v"+osifile.ProtobufVersion+
		"\n")
}

// The table contains the fields of the generated messages.
func TestTypes_HaveTheTimestampOfTheSchema(t *testing.T) {
	for _, c := range osifile.Types {
		if c.Message == "" {
			continue
		}
		m, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("osi3." +
			c.Message))
		require.NoError(t, err, c.Message)
		want := 0
		if f := m.Descriptor().Fields().ByName("timestamp"); f != nil {
			want = int(f.Number())
		}
		require.EqualValues(t, want, c.Timestamp, c.Message)
	}
}

func TestStamp(t *testing.T) {
	view, _ := osifile.TypeOf("sv")
	message, err := proto.Marshal(&osi3.SensorView{
		Version: osi3.Version(), Timestamp: &osi3.Timestamp{Seconds: proto.Int64(-3),
			Nanos: proto.Uint32(999_999_999)}})
	require.NoError(t, err)
	at, ok := osifile.Stamp(message, view.Timestamp)
	require.True(t, ok)
	require.Equal(t, -3*timebase.Second+999_999_999, at)
	for name, bytes := range map[string][]byte{
		"none": {}, "not a message": {0x12}, "a stamp that is cut": {0x12, 1, 0x08},
		"beyond the range of time": append([]byte{0x12, 10, 0x08},
			0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
	} {
		_, ok = osifile.Stamp(bytes, view.Timestamp)
		require.False(t, ok, name)
	}
	_, ok = osifile.Stamp(message, 0)
	require.False(t, ok, "a type without time stamps")
}

func TestCheckSize(t *testing.T) {
	require.NoError(t, osifile.CheckSize(1))
	require.NoError(t, osifile.CheckSize(osifile.MaxMessage))
	require.ErrorIs(t, osifile.CheckSize(0), osifile.ErrMessage)
	require.ErrorIs(t, osifile.CheckSize(osifile.MaxMessage+1), osifile.ErrMessage)
}

func TestTypeOfName(t *testing.T) {
	for name, want := range map[string]string{
		"20230623T142745Z_sv_350_32112_100.osi":    "SensorView",
		"20230623T142745Z_sv_350_32112_0.part.osi": "SensorView",
		"20230623T142745Z_multi_350_32112_100.osi": "",
		"ground_truth.osi":                         "GroundTruth",
		"GroundTruth.osi":                          "GroundTruth",
		"my-sensorview-trace 7.osi":                "SensorView",
		"SensorViewConfiguration_1.osi":            "SensorViewConfiguration",
		"traffic_command_update.osi":               "TrafficCommandUpdate",
		"SensorView_and_SensorData.osi":            "",
		"sv_312_50_1523.osi":                       "SensorView",
		"20210101T000000_GT_312_50.osi":            "GroundTruth",
		"drive_to_work_gt.osi":                     "",
		"recording.osi":                            "",
		"multi.osi":                                "",
		"":                                         "",
	} {
		got, ok := osifile.TypeOfName("folder.gt/" + name)
		require.Equal(t, want, got.Message, name)
		require.Equal(t, want != "", ok, name)
	}
}
