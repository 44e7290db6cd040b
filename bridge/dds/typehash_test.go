package dds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/dds"
)

// hashes lists the hashes in the type descriptions of ROS 2 Jazzy and Kilted.
var hashes = map[string]string{
	"builtin_interfaces/Duration":       "e8d009f659816f758b75334ee1a9ca5b5c0b859843261f14c7f937349599d93b",
	"builtin_interfaces/Time":           "b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197",
	"geometry_msgs/Accel":               "dc448243ded9b1fcbcca24aba0c22f013dae06c354ba2d849571c0a2a3f57ca0",
	"geometry_msgs/AccelWithCovariance": "230d51bd53bc36f260574e73b42941cefe44684753480b6fc330c032c5db5997",
	"geometry_msgs/Point":               "6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881",
	"geometry_msgs/Point32":             "2fc4db7cae16a4582c79a56b66173a8d48d52c7dc520ddc55a0d4bcf2a4bfdbc",
	"geometry_msgs/Polygon":             "3782f9f0bf044964d692d6c017d705e37611afb1f0bf6a9dee248a7dda0f784a",
	"geometry_msgs/Pose":                "d501954e9476cea2996984e812054b68026ae0bfae789d9a10b23daf35cc90fa",
	"geometry_msgs/PoseStamped":         "10f3786d7d40fd2b54367835614bff85d4ad3b5dab62bf8bca0cc232d73b4cd8",
	"geometry_msgs/PoseWithCovariance":  "9a7c0fd234b7f45c6098745ecccd773ca1085670e64107135397aee31c02e1bb",
	"geometry_msgs/Quaternion":          "8a765f66778c8ff7c8ab94afcc590a2ed5325a1d9a076ffff38fbce36f458684",
	"geometry_msgs/Transform":           "beb83fbe698636351461f6f35d1abb20010c43d55374d81bd041f1ba2581fddc",
	"geometry_msgs/TransformStamped":    "0a241f87d04668d94099cbb5ba11691d5ad32c2f29682e4eb5653424bd275206",
	"geometry_msgs/Twist":               "9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a",
	"geometry_msgs/TwistStamped":        "5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64",
	"geometry_msgs/TwistWithCovariance": "49f574f033f095d8b6cd1beaca5ca7925e296e84af1716d16c89d38b059c8c18",
	"geometry_msgs/Vector3":             "cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d",
	"nav_msgs/Odometry":                 "3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0",
	"rosgraph_msgs/Clock":               "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564",
	"sensor_msgs/CompressedImage":       "15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a",
	"sensor_msgs/Imu":                   "7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b",
	"sensor_msgs/LaserScan":             "64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828",
	"sensor_msgs/NavSatFix":             "62223ab3fe210a15976021da7afddc9e200dc9ec75231c1b6a557fc598a65404",
	"sensor_msgs/NavSatStatus":          "d1ed3befa628e09571bd273b888ba1c1fd187c9a5e0006b385d7e5e9095a3204",
	"sensor_msgs/PointCloud2":           "9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5",
	"sensor_msgs/PointField":            "5c6a4750728c2bcfbbf7037225b20b02d4429634732146b742dee1726637ef01",
	"std_msgs/Bool":                     "feb91e995ff9ebd09c0cb3d2aed18b11077585839fb5db80193b62d74528f6c9",
	"std_msgs/Byte":                     "41e1a3345f73fe93ede006da826a6ee274af23dd4653976ff249b0f44e3e798f",
	"std_msgs/Char":                     "3ad2d04dd29ba19d04b16659afa3ccaedd691914b02a64e82e252f2fa6a586a9",
	"std_msgs/ColorRGBA":                "77a7a5b9ae477306097665106e0413ba74440245b1f3d0c6d6405fe5c7813fe8",
	"std_msgs/Empty":                    "20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312",
	"std_msgs/Float32":                  "7170d3d8f841f7be3172ce5f4f59f3a4d7f63b0447e8b33327601ad64d83d6e2",
	"std_msgs/Float64":                  "705ba9c3d1a09df43737eb67095534de36fd426c0587779bda2bc51fe790182a",
	"std_msgs/Header":                   "f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01",
	"std_msgs/Int32":                    "b6578ded3c58c626cfe8d1a6fb6e04f706f97e9f03d2727c9ff4e74b1cef0deb",
	"std_msgs/Int64":                    "8cd1048c2f186b6bd9a92472dc1ce51723c0833a221e2b7aecfff111774f4b49",
	"std_msgs/String":                   "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
	"std_msgs/UInt16":                   "08a406e4b022bc22e907f985d6a9e9dd1d4fbecae573549cf49350113e7757b1",
	"std_msgs/UInt32":                   "a5c874829b752bc5fa190024b0ad76f578cc278271e855c7d02a818b3516fb4a",
	"std_msgs/UInt64":                   "fbdc52018fc13755dce18024d1a671c856aa8b4aaf63adfb095b608f98e8c943",
	"unique_identifier_msgs/UUID":       "1b8e8aca958cbea28fe6ef60bf6c19b683c97a9ef60bb34752067d0f2f7ab437",
	"visualization_msgs/Marker":         "45b13ccf791f225962bf74e746f9644518855d783a6f42ba0cc14fde2b4f3ce0",
	"visualization_msgs/MarkerArray":    "86cb8800b6fb05b5eff1abd7a56f62a5641d3ae9a1c29e78e67e704f1d067dcf",
	"visualization_msgs/MeshFile":       "7710ece15a148fb7c9b546364cfb215bb06098087bd6394fe5b73a493508f8c4",
	"visualization_msgs/UVCoordinate":   "f27f7ed21fe360c6066944f856b801a0c0d1e94e815b6886444b42d90b196a26",
}

// built lists the hashes of built-in messages that the packages of rclpy lack, computed by rosbags
// 0.11 from the public definitions: autoware_msgs 1.12.0, vision_msgs 4.1.1, ackermann_msgs (branch
// ros2).
var built = map[string]string{
	"ackermann_msgs/AckermannDrive":                      "acf287a224a947dd1b0b87d6d76cdb73f497b0237b8fc73be2173b2ebbb82c99",
	"ackermann_msgs/AckermannDriveStamped":               "48ca7612a08d3bb72744fd98b71b7cf2ea24c6ad50fa4e1aa0bbad963c90d8cf",
	"autoware_control_msgs/Control":                      "7818be59aa790ebb777db06e55a2c15e3756de4cc35c80b1e8271afc5bab2e9d",
	"autoware_control_msgs/Lateral":                      "94d39634041a92db4e460dae93def564fbeb89142e9c64f9c2ed540a182935a1",
	"autoware_control_msgs/Longitudinal":                 "4ac4a6b5085ee6bb12067b763568abbf68ec3f2baf64b49e1da360aa6413edc1",
	"autoware_perception_msgs/DetectedObject":            "395e8cae03c45c86ddb3263f9db58f5a1364bdabdcec56c24c817a372f7d566f",
	"autoware_perception_msgs/DetectedObjectKinematics":  "a01b4e06aa855e7a501b1af1e7c6a9eddb70e728e8f1195372ff5801cae1c9eb",
	"autoware_perception_msgs/DetectedObjects":           "2facd6b15786cbd1f720cdd23d22e6d60d2e7e83b8dff8fd401330e24edb187b",
	"autoware_perception_msgs/ObjectClassification":      "38131fef2df46486c20c12c238faf778328309f4c3e9daa6ffd621732e48dd19",
	"autoware_perception_msgs/PredictedObject":           "07a517a2ed3cfcc961768dbbe769091566e8415177c3e3526a83fb392bcd3717",
	"autoware_perception_msgs/PredictedObjectKinematics": "a7c128b84bbb8de1f927c8475930a99681b67832fe947aa5cb1ac6c5b3e6a80b",
	"autoware_perception_msgs/PredictedObjects":          "b63151309c3323bb6e3f09c54b3358aa53a8e66937a1cde15c5d5ede1ef80a08",
	"autoware_perception_msgs/PredictedPath":             "d7e3250f12551fcc92777897e1ae11d71f355f770b993189eb2053f10531ccd2",
	"autoware_perception_msgs/Shape":                     "1a32ac3073c17e4822d39b7f4c263eb1c4a2bacbf707d6db96e77e867063562b",
	"autoware_perception_msgs/TrafficLightElement":       "825dec7c3da93f4cb3653006dbeef30f7d1ca92f1d1091e01e79d7d6b84086e9",
	"autoware_perception_msgs/TrafficLightGroup":         "39af6118b864b40141456dd74caefe615739b465e136ef0b806d0b50329347cb",
	"autoware_perception_msgs/TrafficLightGroupArray":    "6f6bf892681a43836041dabdac5e95dc3125f1f785d7455c77d09a8b4645fc90",
	"autoware_vehicle_msgs/ControlModeReport":            "968feaa6441be3c3b161f2eb65972a4b15394d0a7ddc4664318551280d1ff222",
	"autoware_vehicle_msgs/GearReport":                   "4d14bc3f186c1a6af6a732bb5ebd540cdd742a56770012f4c3cb9e762de8f391",
	"autoware_vehicle_msgs/HazardLightsReport":           "01ce3b4293a5c2799fd7483b2d62a790e26fe8f2b5d60e48149163475685f28a",
	"autoware_vehicle_msgs/SteeringReport":               "aa3acc9ca95ebc4daf9dec0ecf87911ad9c196392857c3026bfead589db65a94",
	"autoware_vehicle_msgs/TurnIndicatorsReport":         "c05a54cd244f1c9d683613b11c87a5b3ef816eed7a5f207368301221731a0964",
	"autoware_vehicle_msgs/VelocityReport":               "9052adda949c32f4a98500abc1fb5bd23f2560e321eebdfbb25318d6108d4ce4",
	"tf2_msgs/TFMessage":                                 "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
	"unique_identifier_msgs/UUID":                        "1b8e8aca958cbea28fe6ef60bf6c19b683c97a9ef60bb34752067d0f2f7ab437",
	"vision_msgs/BoundingBox3D":                          "bbb73a65c163d7f9bb29009c7bde9f7faa576bd2d23299c4511d19230dab4698",
	"vision_msgs/Detection3D":                            "ddd703be132ab0b69d33121f1bb034132bfbb3b0ac5f9fb1516005ba1c8a265b",
	"vision_msgs/Detection3DArray":                       "793f5eab9595ac1c0da07873cc859db42eae51f0ee76056db8562515d830e018",
	"vision_msgs/ObjectHypothesis":                       "51da43cec11c01957a64d1e05a24acd18aae7745ec30b74348ad5f6d634f7f90",
	"vision_msgs/ObjectHypothesisWithPose":               "41c12344c0396c48b81df12467c192d99b2a0eb1463c5c37194e4223251c80bc",
}

// If one of our definitions lacked a field, it would have a different hash, and nodes would drop
// its messages.
func TestTypeHash_OfAllOthersThatAreBuiltIn(t *testing.T) {
	d, err := bridge.NewDefinitions(bridge.ROS2)
	require.NoError(t, err)
	for name, hash := range built {
		m, err := d.Message(name)
		require.NoError(t, err)
		require.Equal(t, "RIHS01_"+hash, dds.TypeHash(d, m), name)
	}
	for _, name := range bridge.Made() {
		_, ofROS := hashes[name]
		_, other := built[name]
		require.True(t, ofROS || other, name)
	}
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
	for ros, plain := range map[string]string{
		"std_msgs/msg/String": "std_msgs::msg::dds_::String_"} {
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
