package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/rulebook"
)

// rules lists the requirements of the formats, the viewers and the users of traces, and the
// tests of each: functions, or files of command lines.
var rules = []rulebook.Rule{
	{1, ".osi is length and message, again and again", []string{"TestReader_RoundTripAndEveryCut", "TestReader_TracesOfOtherProjects"}},
	{2, "cuts and wrong lengths are named, what stands before is used", []string{"TestReader_NamesWhereAFileIsCut",
		"TestCutFiles_GiveWhatPrecedesTheCut", "trace.txtar"}},
	{3, "messages of length 0 are read with a warning and never written", []string{"TestReader_CountsEmptyMessages",
		"TestWriter_RefusesEmptyMessagesAndReportsAFullDisk", "TestFile_FindsEachFault", "trace.txtar"}},
	{4, "the type comes from the name or the user", []string{"TestOpen_TakesTheTypeFromTheUserThenFromTheName",
		"TestOpen_NamesWhatItCannotRead", "TestWhatCannotBePlayedIsReported"}},
	{5, ".txth is written, and refused as input", []string{"TestText_EachLineIsAMessage", "good.txtar"}},
	{6, "names that do not follow the recommendation are noted", []string{"TestParseName", "TestFile_ComparesTheNameOfSeveralChannels"}},
	{7, "type, version and frames of a name are compared with the content", []string{"TestFile_ComparesTheName",
		"TestFile_ComparesTheNameOfSeveralChannels"}},
	{8, "the release of protobuf is that of the module", []string{"TestProtobufVersion_IsThatOfTheModule"}},
	{9, "a file that is being written ends in .part", []string{"TestName_FileThatIsStillBeingWritten",
		"TestRecorder_OneFileForEachVariableWithMessages", "good.txtar"}},
	{10, "MCAP is indexed, with all messages in chunks", []string{"TestMCAP_MeetsTheRequirementsOfOSI", "TestFile_MCAPWithoutWhatOSIRequires"}},
	{11, "one metadata record with the mandatory keys", []string{"TestMCAP_MeetsTheRequirementsOfOSI", "TestFile_MCAPWithoutWhatOSIRequires",
		"TestFile_MetadataThatOSIDoesNotAllow"}},
	{12, "a schema for each type and release, with all imports", []string{"TestMCAP_SchemasOncePerTypeAndRelease", "TestMCAP_MeetsTheRequirementsOfOSI"}},
	{13, "topics occur once and name the variable", []string{"TestRecorder_RecordsEveryMessageOnce", "TestFile_MCAPWithoutWhatOSIRequires"}},
	{14, "publish times are the stamps of the messages", []string{"TestMCAP_MeetsTheRequirementsOfOSI", "TestFile_FindsEachFault"}},
	{15, "OSI channels hold top-level messages only", []string{"TestSinks_RefuseWhatTheyCannotHold", "TestChannelOf_FollowsTheMIMEType"}},
	{16, "schema names are those that the viewer takes", []string{"TestMCAP_MeetsTheRequirementsOfOSI", "TestFile_SchemasThatViewersDoNotTake"}},
	{17, "what the viewer takes for granted in a GroundTruth is checked", []string{"TestFile_FindsEachFault", "TestFile_NamesTheHostVehicle",
		"TestFile_NamesWhatViewersMissInAGroundTruth"}},
	{18, "what the viewer needs for a SensorData is checked", []string{"TestFile_NamesWhatViewersMissOfASensorData"}},
	{19, "channels without a schema are reported", []string{"TestFile_MCAPWithoutWhatOSIRequires", "TestFile_SchemasThatViewersDoNotTake"}},
	{20, "files have an end, an index, and chunks of 4 MiB", []string{"TestWriter_OfficialLibraryReadsIt", "TestMCAP_ChunksOf4MiB",
		"TestFile_LargeChunks"}},
	{21, "records come in their order", []string{"TestConformance_WriterGivesTheBytes", "TestWriter_RefusesWhatCannotBeRead",
		"TestFile_ChannelsThatComeTooLateOrTwice"}},
	{22, "indexes lead to each message", []string{"TestFile_RoundTrip", "TestConformance_FileReadsByIndex",
		"TestVerify_FindsEachWrongByteOfAnIndex"}},
	{23, "checksums are written and compared", []string{"TestConformance_WriterGivesTheBytes", "TestFile_FindsEachWrongByte",
		"TestReaders_CompareTheChecksumsOfAttachments"}},
	{24, "unknown records and longer ones are skipped", []string{"TestConformance_ScannerReadsTheRecords",
		"TestReaders_SkipPrivateRecordsAndRefuseOpcode0"}},
	{25, "sizes are checked before memory is taken", []string{"TestReaders_TakeNoMemoryForImpossibleSizes",
		"TestReaders_RefuseChunksThatAreLongerThanTheySay", "FuzzReaders", "FuzzOpenAt"}},
	{26, "the bytes are those of the 416 cases", []string{"TestConformance_WriterGivesTheBytes"}},
	{27, "the 416 cases read back", []string{"TestConformance_ScannerReadsTheRecords", "TestConformance_FileReadsByIndex"}},
	{28, "the library of the format's authors and ours read each other", []string{"TestWriter_OfficialLibraryReadsIt",
		"TestReader_ReadsTheOfficialLibrarysFiles"}},
	{29, "what has been flushed survives", []string{"TestKilledRecorder_KeepsWhatWasFlushed", "TestSinks_HandOverWholeMessagesAndChunks"}},
	{30, "chunks are flushed by size and time", []string{"TestKilledRecorder_KeepsWhatWasFlushed", "TestMCAP_ChunksOf4MiB"}},
	{31, "cut files are read up to the last whole chunk, and it is said", []string{"TestCutFiles_GiveWhatPrecedesTheCut", "trace.txtar"}},
	{32, "recovery goes on behind damage", []string{"TestRecover_EveryCut", "TestRecover_EveryByte",
		"TestRecover_CountsMessagesWithoutAChannel", "TestRecover_ReportsThatARecordInAChunkIsDamaged"}},
	{33, "a repaired file is read again, and is never the input", []string{"trace.txtar", "TestRepairedFiles_AreReadAgain",
		"TestRepairedFiles_KeepTheOutputWhenTheyCannotBeReadAgain"}},
	{34, "recorders that are killed lose less than a second", []string{"TestKilledRecorder_KeepsWhatWasFlushed",
		"TestKilledFiles_AreInspectedCheckedAndRepaired"}},
	{35, "each rule of OSI has its field", []string{"TestCheck_EveryRuleHasItsField"}},
	{36, "the golden counts", []string{"TestFile_GoldenCounts", "TestCounter_CountsLikeOSIsOwnChecker"}},
	{37, "ids carry forward, pairs count together", []string{"TestFile_RulesAboutEmptyListsAreNotes",
		"TestCounter_RemembersIdsOfEarlierMessages", "TestCheck_ConditionsInPairsCountTogether"}},
	{38, "each rule is reported once, with its count and first place", []string{"TestFile_DescribesTheFirstBreakOfARule", "trace.txtar"}},
	{39, "the newest message that is due is shown, whatever the step", []string{"TestPlayer_ShowsTheNewestThatIsDue",
		"TestStepsOfAnySizeShowTheSameMessageAtTheSameTime"}},
	{40, "times are relative or absolute, and have an offset", []string{"TestPlayer_OffsetAndRelativeTime", "TestAbsoluteTimeAndOffset",
		"TestTwoChannelsEachAtItsTime"}},
	{41, "streams hold, events happen", []string{"TestPlayer_EventsHappenOnce", "TestEventsHappenOnceAndTheEndIsReported"}},
	{42, "loops move all stamps together", []string{"TestPlayer_LoopMovesAllTimesTogether", "TestPlayer_LoopMovesWhatIsInASensorData",
		"TestPlayer_RefusesToLoopWithoutLengthOrFile",
		"TestLoopKeepsTheDistancesOfChannels"}},
	{43, "channels go by topic or type, memory is flat", []string{"TestOneOfTwoChannelsOfATypeIsChosenByItsTopic", "TestPlayer_TimesThatGoBack",
		"TestWhatCannotBePlayedIsReported", "TestFile_RoundTrip",
		"TestPlayer_MemoryDoesNotGrowWithTheFile"}},
	{44, "JSON Lines and CSV have the keys of the MCAP command", []string{"TestEveryFormat_ReadsBackByContentFromFileAndPipe",
		"TestJSONLines_HaveTheKeysOfTheMCAPCommand", "TestCSV_HasTheColumnsOfTheFirstMessage", "trace.txtar"}},
	{45, "objects are omega-prime's table", []string{"TestObjects_AreOmegaPrimesTable", "trace.txtar"}},
	{46, "metrics follow their formulas", []string{"TestMeasure_Following", "TestMeasure_CrossingCars"}},
}

func TestRules_EachHasItsTests(t *testing.T) {
	require.Len(t, rules, 46)
	rulebook.Check(t, rules)
}
