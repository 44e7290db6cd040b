package ssp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/rulebook"
)

// rules maps the SSP rules for systems, whose numbers appear in the tests, to the tests that fail
// if a rule is violated.
var rules = []rulebook.Rule{
	{1, "a package is a plain zip file", []string{"TestCheck_EachRuleAlone", "FuzzPackage"}},
	{2, "other descriptions in the root are variants",
		[]string{"TestRead_APackageRunsAsItsFolderDoes"}},
	{3, "where files belong", []string{"TestCheck_EachRuleAlone"}},
	{4, "a folder is read as its package is", []string{"TestLoad_FolderAndPackage",
		"TestRead_APackageRunsAsItsFolderDoes"}},
	{5, "root elements, versions", []string{"TestCheck_EachRuleAlone"}},
	{6, "prefixes make no difference", []string{"TestLoad_PrefixesMakeNoDifference"}},
	{7, "namespaces of annotations and types", []string{"TestCheck_EachRuleAlone"}},
	{8, "order and number of elements", []string{"TestCheck_EachRuleAlone",
		"TestCheck_AgreesWithTheSchemas"}},
	{9, "units and enumerations are those of one file", []string{"TestCheck_EachRuleAlone"}},
	{10, "any names", []string{"TestRead_AnyNameRunsAndTextsReachTheFMU"}},
	{11, "connectors are variables of the FMU", []string{"TestCheck_EachRuleAlone"}},
	{12, "sources are relative URIs", []string{"TestSource_Table",
		"TestLoad_PackagesInACircleAreRefused"}},
	{13, "kinds decide on the direction", []string{"TestConnection_AllPairsOfKinds",
		"TestLoad_ConnectionsWrittenBackwards", "TestLoad_SignalDictionary",
		"TestLoad_DirectionsOfUnspecifiedKinds"}},
	{14, "one inflow", []string{"TestCheck_EachRuleAlone"}},
	{15, "nested systems are flat", []string{"TestLoad_NestedSystemsConvertInTurn",
		"TestLoad_ElementsThroughBoundaries",
		"TestRead_APackageInAPackageRunsAsTheFlatSystem"}},
	{16, "units first, then the transformation", []string{"TestLoad_NestedSystemsConvertInTurn",
		"TestWrite_ReadsBack"}},
	{17, "types fit", []string{"TestConnection_AllPairsOfTypes"}},
	{18, "bindings and mappings by name", []string{"TestBinding_DotsInNames",
		"TestBinding_SourceInsideTheComponent", "TestCheck_EachRuleAlone"}},
	{19, "precedence of bindings", []string{"TestLoad_PrecedenceOfBindings",
		"TestLoad_PackageInPackage"}},
	{20, "parameter connections win, and the user over all",
		[]string{"TestRule20_ParameterConnectionsBeatBindings",
			"TestRule20_ConnectionsFromSystemsBeatBindings",
			"TestRule20_WhichConnectionsAreInitial",
			"TestRule20_TheFMUDecidesOnUnspecifiedKinds",
			"TestRule20_StructuralParametersAreSetInConfigurationMode"}},
	{21, "values of all types", []string{"TestCheck_EachRuleAlone",
		"TestLoad_StartValuesOfArraysAtBoundaries", "TestRead_AnyNameRunsAndTextsReachTheFMU"}},
	{22, "where the step size comes from", []string{"TestStep_Origins"}},
	{23, "unknown annotations, missing stop times", []string{"TestStep_Origins", "TestStop_Origins",
		"TestCheck_EachRuleAlone"}},
	{24, "messages as three Integers or one Binary",
		[]string{"TestSystem_FileCommandLineAndPlainHostGiveTheSameBytes",
			"TestRead_APackageInAPackageRunsAsTheFlatSystem"}},
	{25, "messages between FMI 2.0 and 3.0", []string{"systems.txtar",
		"TestLoad_BinariesOfFMI3GoToMessages"}},
	{26, "a package as a model, requests of configurations", []string{"TestLoad_PackageInPackage",
		"TestNegotiate_ConnectsTheRequestToAProducerThatTakesIt"}},
	{27, "findings and exit codes", []string{"check_system.txtar", "TestCheck_EachWordingAlone"}},
	{28, "what tools cannot read", []string{"TestCheck_ForTools"}},
	{29, "public systems", []string{"TestPublicSystems"}},
}

func TestRules_EachHasItsTests(t *testing.T) {
	require.Len(t, rules, 29)
	rulebook.Check(t, rules)
}
