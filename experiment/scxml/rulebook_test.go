package scxml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/rulebook"
)

// rules maps the rules X1 to X38, whose numbers appear in the code, to the tests that fail if
// they are broken. TestSuite plays the W3C's own tests of sections 3 to 6.
var rules = []rulebook.Rule{
	{1, "both namespaces load equally", []string{"TestNRP_ReadsItsNamespaceLikeTheW3Cs",
		"TestParse_Encodings"}},
	{2, "ids are unique, absent ones are made", []string{"TestSuite", "TestChart_EachIDAlone"}},
	{3, "early and late data; an invoker's values win at the top", []string{"TestSuite",
		"TestInvoke_ValuesWinForTopLevelDataOnly"}},
	{4, "the main loop", []string{"TestSuite",
		"TestProperty_ConfigurationsStayLegalAndOrdersMirror"}},
	{5, "selection of transitions and their conflicts", []string{"TestSuite",
		"TestProperty_ConfigurationsStayLegalAndOrdersMirror"}},
	{6, "the domain of a transition", []string{"TestSuite", "TestHistory_FromInsideItsState"}},
	{7, "a microstep: histories, exit, contents, entry", []string{"TestSuite",
		"TestProperty_HistoryBringsBackWhatWasLeft"}},
	{8, "entry", []string{"TestSuite", "TestProperty_ConfigurationsStayLegalAndOrdersMirror"}},
	{9, "done events and the end", []string{"TestSuite",
		"TestMachine_OutcomeIsTheFinalStateWithItsData"}},
	{10, "event descriptors", []string{"TestSuite", "TestEvent_MalformedDescriptorsMatchNothing"}},
	{11, "an error ends its block only", []string{"TestSuite", "TestError_SaysWhere"}},
	{12, "a machine that runs in circles is ended", []string{"TestMachine_EndsWhenItRunsInCircles",
		"TestMachine_EndsWhenAProcessorAnswersAtOnce"}},
	{13, "if and foreach", []string{"TestSuite"}},
	{14, "targets of send, and what is wrong with them", []string{"TestSuite",
		"TestProcessors_TakeEventsForTheOutside"}},
	{15, "fields of events", []string{"TestSuite", "TestEvent_CarriesDataFromOutside"}},
	{16, "invoke, finalize, autoforward, cancel", []string{"TestSuite",
		"TestInvoke_EmptyFinalizeWritesBack", "TestInvoke_Cancelled"}},
	{17, "system variables are read-only", []string{"TestModel_ReadOnly",
		"TestModel_ReadOnlyInScripts"}},
	{18, "texts of data are JSON, XML or strings", []string{"TestSuite",
		"TestData_SeveralElementsAreAText"}},
	{19, "the null data model", []string{"TestSuite"}},
	{20, "durations", []string{"TestDuration"}},
	{21, "virtual time, in the order of sending",
		[]string{"TestAdvance_HandlesTimersAtTheirExactTime",
			"TestAdvance_HandlesEqualTimesInTheOrderOfSending", "TestTimers_RingAtTheirTime"}},
	{22, "sends without delay, cancel, the end of a session", []string{"TestSuite",
		"TestCancel_EmptyId"}},
	{23, "saved states", []string{"TestState_RestoredMachinesGiveTheSameRest",
		"TestState_EveryFeatureInAnotherProcess", "TestState_RefusesWhatJSONCannotHold"}},
	{24, "the same log, byte for byte", []string{"TestSystem_SameLogForAnyNumberOfWorkers"}},
	{25, "expressions, locations, one compilation for each text", []string{"TestSuite",
		"TestParse_CompilesEachTextOnce"}},
	{26, "time and randomness of the machine",
		[]string{"TestModel_RandomAndDateComeFromTheMachine"}},
	{27, "limits of scripts", []string{"TestModel_StopsWhatDoesNotEnd",
		"TestMachine_BoundsTheScriptsOfAnInstant"}},
	{28, "errors say where", []string{"TestError_SaysWhere"}},
	{29, "how the suite is run", []string{"TestSuite"}},
	{30, "deviations by name", []string{"TestSuite"}},
	{31, "every file of the suite is classified", []string{"TestSuite_EveryFileIsClassified"}},
	{32, "what is claimed about the W3C's tests", []string{"TestSuite_Claim",
		"TestSuite_WebServersAreRefused", "TestSuite_TableIsInTheDocs"}},
	{33, "channels, messages and services", []string{"TestChannels_RunTheMachineOfTheTutorial",
		"TestChart_Services", "TestOpen_RefusesUnknownServices"}},
	{34, "idioms of SMACH", []string{"TestChannels_RunTheMachineOfTheTutorial"}},
	{35, "own events, _x, outcomes", []string{"TestLife_Table", "TestOwnEvents",
		"TestMachine_OutcomeIsTheFinalStateWithItsData"}},
	{36, "each check has a chart that shows it alone", []string{"TestChart_EachIDAlone"}},
	{37, "what the checks find in the suite", []string{"TestChart_Suite"}},
	{38, "computed names switch checks of events off",
		[]string{"TestChart_ComputedNamesSwitchEventsOff", "TestChart_EventsOfInvokedMachines"}},
}

func TestRules_EachHasItsTests(t *testing.T) {
	require.Len(t, rules, 38)
	rulebook.Check(t, rules)
}
