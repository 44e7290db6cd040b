package bridge_test

import (
	"testing"

	"gosmp/internal/rulebook"
)

// rules lists the requirements on a message bridge and the tests that fail if it violates them:
// functions, or files of command lines. Rules F come from the simulator support documentation;
// rules B concern the bridge without ROS.
var rules = []rulebook.Rule{
	{"F17", "emitted events go down, messages come up as events", []string{"TestSUT_Loopback",
		"TestFlow_Events", "TestLoopback", "bridge.txtar"}},
	{"F18", "only topics; vehicles are sut or traffic", []string{"TestConfig_Refuses",
		"check_bridge.txtar"}},
	{"F19", "the tables of types, with what each system does not have", []string{"TestTypes_Table",
		"TestRecordings"}},
	{"F20", "configuration and definitions make both ends, and a program that runs",
		[]string{"TestGenerate_Example", "TestGenerate_Package",
			"TestLoopback", "TestCodecs", "bridge.txtar"}},
	{"B1", "configurations are refused with line and column", []string{"TestConfig_Refuses",
		"TestConfig_Folders", "TestConfig_ManyKeys", "FuzzConfig"}},
	{"B2", "types by system, nested, arrays and bounds; wchar and maps are refused",
		[]string{"TestTypes_Table", "TestDefinitions_Refuses",
			"TestIDL_LikeMsg", "TestDefinitions_BoundFieldsWithoutSize", "TestAddIDL_LongTypes",
			"FuzzDefinitions"}},
	{"B3", "generated code compiles, runs, and proves itself by a loop-back",
		[]string{"TestGenerate_Example", "TestTable_MakesTheConfiguration",
			"TestLoopback", "TestCodecs", "TestMarshal_Allocates", "bridge.txtar"}},
	{"B4", "CDR in both byte orders, counts checked before memory is taken",
		[]string{"TestEncode_Vectors", "TestEncode_Lengths", "TestEncode_LikeRosbags",
			"TestCodec_RoundTrip", "TestEncode_MessagesWithoutFields", "TestDecode_Refuses",
			"TestEncode_Refuses", "TestRecordings", "FuzzDecode"}},
	{"B4 in ROS 1", "the serialization of ROS 1", []string{"TestEncode_ROS1",
		"TestDecode_ROS1Refuses", "TestDecode_BoundsEmptyMessages", "TestRecordings",
		"TestWebSocket_ROS1", "TestFlow_SensesForROS1"}},
	{"B5", "recordings that readers of ROS decode", []string{"TestMCAP", "TestMCAP_ROS1",
		"TestSchema_SpellsTimesForROS2", "TestRecordings"}},
	{"B6", "the WebSocket protocol of viewers in both its versions",
		[]string{"TestWebSocket_Greeting", "TestWebSocket_Subscription",
			"TestWebSocket_ClientPublishes", "TestWebSocket_Refuses",
			"TestWebSocket_InTheLibraryOfViewers", "FuzzClient"}},
	{"B7", "each transport carries the same", []string{"TestFlow_EachTransportCarriesTheSame",
		"TestTCP_BothWays"}},
	{"DDS", "a participant of DDS domains and graphs of ROS 2, with peers by other people",
		[]string{"TestConfig_DDS", "TestConfig_DDSRefuses", "TestConfig_DDSTypes",
			"TestParticipant_Reliable", "TestParticipant_LossIsRepaired",
			"TestParticipant_LatchedForLateReaders", "TestParticipant_SlowReaderIsLeftBehind",
			"TestParticipant_Mismatches", "TestParticipant_LeavesAndComesBack", "TestTypeHash",
			"TestMessage_Damaged", "TestParticipant_AnswersOnlyWhomItKnows",
			"TestParticipant_BoundsWhatOthersMakeItKeep", "FuzzHandle", "TestCyclone", "TestROS"}},
	{"run: sensor data", "Imu, NavSatFix and objects of any run", []string{"TestFlow_SensesAView",
		"TestFlow_SensesData", "TestFlow_Quaternion", "bridge.txtar"}},
	{"run: variables", "variables are fields, fields are inputs",
		[]string{"TestJoin_FieldsAndVariables", "TestJoin_StampsHeaders",
			"TestJoin_ValuesOutOfRange",
			"TestJoin_Refuses", "bridge.txtar"}},
	{"run: clients",
		"slow and lost clients do not hold up others: drops are counted, with one warning",
		[]string{"TestWebSocket_SlowAndLostClients", "TestTCP_SlowClient",
			"TestTCP_LargeMessages", "TestSUT_BoundedQueue",
			"TestWebSocket_ClientAt1kHzLosesNothing",
			"TestWebSocket_CloseSendsWhatWaits"}},
	{"bad input", "what clients and directors send wrongly is refused with path and byte",
		[]string{"TestDecode_Refuses", "TestDecode_ROS1Refuses",
			"TestWebSocket_Refuses", "TestTCP_Refuses", "TestFlow_SenseRefuses"}},
}

func TestRules_EachHasItsTests(t *testing.T) {
	rulebook.Check(t, rules)
}
