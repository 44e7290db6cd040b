package dds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/dds"
)

// hashes are what the type descriptions of ROS 2 Jazzy and Kilted say.
var hashes = map[string]string{
	"std_msgs/String":                "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
	"std_msgs/Byte":                  "41e1a3345f73fe93ede006da826a6ee274af23dd4653976ff249b0f44e3e798f",
	"std_msgs/Char":                  "3ad2d04dd29ba19d04b16659afa3ccaedd691914b02a64e82e252f2fa6a586a9",
	"std_msgs/Empty":                 "20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312",
	"geometry_msgs/Twist":            "9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a",
	"sensor_msgs/Imu":                "7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b",
	"sensor_msgs/PointCloud2":        "9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5",
	"rosgraph_msgs/Clock":            "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564",
	"nav_msgs/Odometry":              "3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0",
	"visualization_msgs/MarkerArray": "86cb8800b6fb05b5eff1abd7a56f62a5641d3ae9a1c29e78e67e704f1d067dcf",
}

func TestTypeHash(t *testing.T) {
	d, err := bridge.NewDefinitions(bridge.ROS2)
	require.NoError(t, err)
	require.NoError(t, d.AddMsg("Byte.msg", "std_msgs/Byte", "byte data\n"))
	require.NoError(t, d.AddMsg("Char.msg", "std_msgs/Char", "char data\n"))
	for name, hash := range hashes {
		m, err := d.Message(name)
		require.NoError(t, err)
		require.Equal(t, "RIHS01_"+hash, dds.TypeHash(d, m), name)
	}
}

func TestNames(t *testing.T) {
	for ros, plain := range map[string]string{"/a/b": "rt/a/b", "/imu": "rt/imu"} {
		require.Equal(t, plain, dds.TopicName(ros))
		back, is := dds.ROSTopic(plain)
		require.True(t, is)
		require.Equal(t, ros, back)
	}
	for ros, plain := range map[string]string{"std_msgs/msg/String": "std_msgs::msg::dds_::String_"} {
		require.Equal(t, plain, dds.TypeName(ros))
		require.Equal(t, plain, dds.TypeName("std_msgs/String"))
		back, is := dds.ROSType(plain)
		require.True(t, is)
		require.Equal(t, ros, back)
	}
	for _, other := range []string{"rq/addRequest", "square", "ros_discovery_info"} {
		_, is := dds.ROSTopic(other)
		require.False(t, is, other)
	}
	_, is := dds.ROSType("ShapeType")
	require.False(t, is)
}
