package importer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/rulebook"
)

// rules lists the duties of a host of FMUs, and the tests that fail if it violates them:
// functions, or files of command lines.
var rules = []rulebook.Rule{
	{1, "calls are made in the order of the standard", []string{"TestRun_CallsInTheOrderOfTheStandard", "TestClocks_CallsOfATickAreInTheOrderOfTheStandard"}},
	{2, "only the user's start values are sent, or all if asked", []string{"TestRun_CallsInTheOrderOfTheStandard", "TestRule2_AllStartValuesAreSentOnRequest"}},
	{3, "unusable start values are refused before loading", []string{"TestNewInstance_RefusesStartValues", "codes.txtar"}},
	{4, "structural parameters are set in Configuration Mode and change sizes", []string{"TestRun_StructuralParametersDecideSizes"}},
	{5, "arguments and callbacks live as long as the instance", []string{"TestRun_TextsOfTheInstantiationLiveAsLongAsTheInstance",
		"TestRun_FunctionsForMemoryAreAlwaysGiven"}},
	{6, "resource locations have the form of their version", []string{"TestRun_ResourcesOfBothVersions"}},
	{7, "an FMU that cannot be run is refused before the run", []string{"TestOpen_RefusesByName", "TestOpen_RefusesClocksThatCannotTick"}},
	{8, "steps reach their point; events are handled and recorded before and after", []string{"TestRun_EarlyReturn",
		"TestRun_EventModeHandlesEventsAndRecordsTwoRows", "TestClocks_TriggeredOnesFollowTheirInput"}},
	{9, "event mode and early return are off unless asked for", []string{"TestRule9_EventModeAndEarlyReturnAreOff"}},
	{10, "clocks tick in Event Mode, and what belongs to them is touched only then", []string{"TestClocks_PeriodicOnesTickOnTime",
		"TestClocks_ChangingOnesAreAskedAfterEachTick", "TestClocks_OutputClocksAndCountdowns", "TestClocks_SubclocksTickWithTheirClock",
		"TestOptions_IntervalsOfFixedAndTunableClocks", "TestSetInterval_ChangesATunableClock"}},
	{11, "points are rounded once and never summed", []string{"TestEvery_PointsAreRoundedOnceAndNeverSummed", "TestInterval_IsTheNearest"}},
	{12, "internal steps and units of time are compared; the last step is shortened or left out", []string{
		"TestRun_LastStepIsShortenedOrLeftOut", "TestOpen_WarnsOfAnIndependentVariableThatIsNotInSeconds", "good.txtar"}},
	{13, "each status of each function has its consequence", []string{"TestRun_EveryStatusFromEveryFunction", "TestRun_WarningsGoOn",
		"TestRun_DiscardWithARequestToTerminate", "TestRun_DiscardedStepIsHalved", "TestRun_PendingStepsArePolled"}},
	{14, "all types keep their limits", []string{"TestRun_AllTypesThroughATable", "TestDo_AllTypesOfFMI3KeepTheirLimits"}},
	{15, "names match exactly, near ones are suggested, odd values pass with a warning", []string{"TestNewInstance_RefusesStartValues",
		"TestNewInstance_ConvertsUnitsAndItems"}},
	{16, "units convert by their base units", []string{"TestNewInstance_ConvertsUnitsAndItems", "TestConnect_ConvertsUnits"}},
	{17, "texts of FMUs are expanded, named, escaped", []string{"TestRun_MessagesNameVariables", "FuzzMessage",
		"TestDo_MessagesAreExpandedAndInOrderWithTheCalls"}},
	{18, "dependencies are those of the model description, or all", []string{"TestDepends_FollowsTheModelDescription"}},
	{19, "initialization follows connections, and loops are repeated", []string{"TestRun_CycleIsCutWhereItWasAddedFirstAndSettlesAtTheStart",
		"TestRun_NamesALoopThatDoesNotSettle", "TestRun_ACycleWithoutDirectDependenciesIsNotALoop"}},
	{20, "sequential chains have no delay, parallel ones a step for each link", []string{"TestRun_ChainHasNoDelayWhateverTheOrderOfAdd",
		"TestRun_ParallelChainLagsByAStepForEachLink", "TestRun_ThreadsDoNotChangeTheTrace"}},
	{21, "steps are multiples of the base step; slopes make ramps exact", []string{"TestRun_RefusesStepsThatAreNotMultiples",
		"TestRun_DoesWhatANaiveEngineDoes", "TestExtrapolate_SendsSlopesToFMUsThatInterpolate", "TestRun_DerivativesOfInputsMakeRampsExact"}},
	{22, "a rollback needs states of all, and takes all back", []string{"TestRun_DiscardedStepGoesBackForAll", "TestRun_DiscardedStepIsHalved"}},
	{23, "OSMP inputs are set in one call before each step", []string{"TestRule23_EachStepGetsAddressAndSizeInOneCall"}},
	{24, "OSMP outputs are read after the step, whatever their address", []string{"TestRun_WildAddressOfAMessageIsTheFMUsFault",
		"TestStep_MessageOfTheStepBeforeStays"}},
	{25, "messages are read where they lie, also in another process", []string{"TestArena_ConsumerReadsTheMessageInPlace",
		"TestRun_MessagesFromAGoParticipantThroughAChain"}},
	{26, "configuration requests are granted in Initialization Mode", []string{"TestRule26_RequestsAreGrantedInInitializationMode",
		"TestRule26_GroundTruthInitIsTheSameForAllInstances", "TestPacked_SensorGetsMessagesOfAGoParticipantAndAConfiguration",
		"TestEnter_AnswersTheConfigurationRequest"}},
	{27, "triples and binaries convert, MIME types are compared", []string{"TestRun_MessagesFromAGoParticipantThroughAChain",
		"TestConnect_ComparesMIMETypes", "TestConnect_MessagesFitByMIMEType"}},
	{28, "a worker is who has the marker and the memory", []string{"TestRule28_ProgramsThatAnFMUStartsAreNotWorkers",
		"TestEnter_RefusesWhatIsNotItsHost"}},
	{29, "a step is one round trip", []string{"TestDo_StepSetsStepsAndGetsInOneRoundTrip"}},
	{30, "workers end with their host", []string{"TestStart_WorkerEndsWithAKilledHost"}},
	{31, "a hang ends in each function", []string{"TestRun_HangsEndInEveryFunction", "codes.txtar"}},
	{32, "a death is named by signal, function and time, and signals belong to the FMU", []string{"TestRule32_SignalsBelongToTheFMU", "TestRun_EachMishapInEachFunctionHasAName",
		"TestRun_CrashesHaveANameEverywhere", "TestDo_EndOfAWorkerNamesSignalAndFunction"}},
	{33, "what FMUs print is drained and kept", []string{"TestDo_FloodOfPrintsDoesNotHoldTheFMUUp", "TestDo_LastLinesThatWerePrintedComeWithTheEnd"}},
	{34, "memory is limited for the FMU alone", []string{"TestStart_MemoryLimitEndsTheFMUAndNobodyElse", "codes.txtar"}},
	{35, "folder, environment and libraries are the user's", []string{"TestRule35_FolderEnvironmentAndLibrariesAreTheUsers", "TestLoad_NamesWhatIsMissing"}},
	{36, "all calls are made on the main thread", []string{"TestDo_CallsAreMadeOnTheMainThreadInTheFolderOfTheUser"}},
	{37, "floating-point settings are restored after each call", []string{"TestDo_FloatingPointSettingsAreRestoredAfterEachCall",
		"TestLoad_LeavesDenormalNumbersOn"}},
	{38, "instances of one FMU do not clash, and nothing is left behind", []string{"TestPool_SharedInstancesHaveOneProcessAndOthersTheirOwn",
		"TestStart_ThousandWorkersLeaveNothingBehind", "TestTrees_EachInstanceHasItsOwn"}},
	{39, "the help says what isolation does not guard against", []string{"TestRule39_HelpSaysWhatIsolationIsNot"}},
	{40, "each exit code has a cause", []string{"codes.txtar", "interrupt.txtar"}},
	{41, "what is not given comes from the FMU, and the summary says so", []string{"good.txtar"}},
	{42, "results are CSV with the shortest digits", []string{"TestRun_RecordsEveryPoint", "TestAppend_ShortestDigitsThatReadBackEqual", "good.txtar"}},
	{43, "inputs are interpolated, held, or jump", []string{"TestReadTable_InterpolatesHoldsAndJumps", "good.txtar"}},
	{44, "the log of calls has FMPy's layout", []string{"good.txtar"}},
}

func TestRules_EachHasItsTests(t *testing.T) {
	require.Len(t, rules, 44)
	rulebook.Check(t, rules)
}
