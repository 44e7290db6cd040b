package mocksim_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rulebook lists the rules for the simulator, its maps and the simulator support API, each with the
// tests that fail if it is broken: functions, scripts of command lines, or Python tests.
var rulebook = []struct {
	rule  string
	says  string
	tests []string
}{
	{"F1", "states have six degrees of freedom in global coordinates", []string{"TestSchema_NumbersNeverChange", "TestEstimator_GivenSpeeds"}},
	{"F2", "all states are queried in every step", []string{"TestServer_Scenario", "TestServer_StatesOfTheSimulator"}},
	{"F3", "only x and y are mandatory", []string{"TestEstimator_ExactOnCirclesAndLines", "TestEstimator_UniformFromTheSecondSample", "TestServer_Diagnoses"}},
	{"F4", "an actor is on the point of each step", []string{"TestTrajectory_PointPerStep"}},
	{"F5", "pedals and steering move an actor", []string{"TestControls_Circle"}},
	{"F6", "the simulator drives to a destination; unknown keys are reported", []string{"TestController_ReachesItsTarget", "TestSupport_OneScenarioBothWays"}},
	{"F7", "one destination in a simulation", []string{"TestServer_OncePerSimulation"}},
	{"F8", "the system under test may override controls", []string{"TestServer_Override"}},
	{"F9", "calls block until they are answered", []string{"TestServe_Busy"}},
	{"F10", "start_simulation returns, wait_start_simulation waits", []string{"TestServer_TwoParties"}},
	{"F11", "start_step returns, wait_step waits", []string{"TestServer_TwoParties"}},
	{"F12", "a step of the director is whole steps of the simulator", []string{"TestServer_StepRatio"}},
	{"F13", "trajectories have the rate of the simulator", []string{"TestResample", "TestTrajectory_Points"}},
	{"F14", "the director sees its own rate", []string{"TestServer_Scenario"}},
	{"F15", "the order within a step", []string{"TestServer_Scenario", "TestServer_StatesOfTheSimulator"}},
	{"F16", "properties pass at init, start and end", []string{"TestServer_Scenario"}},
	{"F21", "maps are OpenDRIVE, others are refused", []string{"TestRead_AllMaps", "TestRead_RefusesWhatHasNoMeaning"}},
	{"F22", "x east, y north, yaw counter-clockwise, positive curvature left", []string{"TestStation_MeetsVectors", "TestMeasure_MeetsFiguresInACircle"}},
	{"F23", "the mock simulator and another one give the same log", []string{"TestServer_Scenario", "TestSupport_OneScenarioBothWays"}},
	{"M1", "kinds and sizes", []string{"TestM1_SizesOfKinds"}},
	{"M2", "the foot of the box is on the ground", []string{"TestM2_FootOnASlope", "TestMovingObject_IsTheActor"}},
	{"M3", "motion of points of a body", []string{"TestM3_RearAxleAgainstDifferences", "TestM3_MotionOnAHill"}},
	{"M4", "x and y are required", []string{"TestServer_Diagnoses", "TestErrors"}},
	{"M5", "speeds by parabolas", []string{"TestM5_GivenHeights", "TestSamples_Parabola", "TestEstimator_Parabola"}},
	{"M6", "yaw by the direction of motion", []string{"TestEstimator_Direction"}},
	{"M7", "height and tilt by the road; jumps", []string{"TestM7_HeightAndTiltFromTheRoad", "TestM7_TeleportIsAnEvent", "TestEstimator_Ground", "TestEstimator_Jump"}},
	{"M8", "counts of points", []string{"TestTrajectory_PointPerStep", "TestTrajectory_CountsOfPoints", "TestTrajectory_Points"}},
	{"M9", "newer trajectories, past points, holes, ends", []string{"TestTrajectory_ReplacedDroppedAndLate", "TestM9_Hole", "TestTrajectory_Newer"}},
	{"M10", "pedals and limits of the steering", []string{"TestPedals_FullThrottle", "TestPedals_NothingRollsAgainstItsGear", "TestM10_SteeringIsCut"}},
	{"M11", "the kinematic bicycle is exact", []string{"TestBicycle_MeetsFiguresAtAnyStep"}},
	{"M12", "tyres that slip", []string{"TestSlip_SteadyYawRates"}},
	{"M13", "rails and steering keep to the lane", []string{"TestRails_KeepToTheMiddleOfTheLane", "TestM13_SteeringOnCurves"}},
	{"M14", "the intelligent driver model", []string{"TestIDM_MeetsFigures", "TestIDM_StopsBeforeAnObstacle"}},
	{"M15", "lane changes", []string{"TestSidestep_DurationAndLateralAcceleration", "TestController_OvertakesWhereItPays", "TestM15_FollowerForbidsAChange"}},
	{"M16", "results do not depend on order and threads", []string{"TestDeterminism_OrderAndWorkers"}},
	{"M17", "chance comes from the seed", []string{"TestPopulate_FillsTheMapBySeed", "TestNoise_IsSeeded"}},
	{"M18", "collisions", []string{"TestOverlap_MeetsPolygonAreas", "TestCollision_IsTimed", "TestCollision_NothingSlipsThrough", "TestM18_FreezeStopsBoth"}},
	{"M19", "required fields, no unknown values", []string{"TestSensorView_ObeysTheRulesOnAllMaps"}},
	{"M20", "moving objects", []string{"TestMovingObject_IsTheActor", "TestAssignment_SharesOfTheWidth", "TestRange_RefersToNothingElse"}},
	{"M21", "numbers are never used again", []string{"TestM21_Numbers", "TestM21_SameMapSameNumbers"}},
	{"M22", "static content is encoded once", []string{"TestStatic_InitAndDynamicAreEvery", "TestSensorView_OfAHundredActorsIsSmall"}},
	{"M23", "lines are within the tolerance", []string{"TestLines_AreWithinTheTolerance"}},
	{"M24", "reference lines and logical lanes", []string{"TestReferenceLine_SRisesAndIsNotShorterThanTheWay", "TestM24_BoundariesShareEndPoints"}},
	{"M25", "lanes and junctions", []string{"TestCrossing_HasItsWaysLightsAndSigns"}},
	{"M26", "road marks", []string{"TestM26_RoadMarks"}},
	{"M27", "signs face their traffic", []string{"TestM27_Signs", "TestCrossing_HasItsWaysLightsAndSigns"}},
	{"M28", "what inertial sensors measure", []string{"TestRows_MeetFiguresAtRest", "TestMeasure_MeetsFiguresInACircle"}},
	{"M29", "air", []string{"TestM29_Air"}},
	{"M30", "a recording meets the truth", []string{"TestDrive_ReplayedMeetsTheTruth", "test_simulated_drive_meets_the_truth"}},
	{"A1", "numbers of the schema never change", []string{"TestSchema_NumbersNeverChange"}},
	{"A2", "in process and over TCP are the same; broken frames", []string{"TestServer_Scenario", "TestServe_BrokenConnections", "TestServe_Busy", "FuzzFrameReader"}},
	{"A3", "waits are bounded and name who is late", []string{"TestServer_TwoParties", "TestServer_PartyLost", "TestServer_LateSimulator"}},
	{"A4", "ratio of steps", []string{"TestServer_StepRatio", "TestServer_Parties"}},
	{"A5", "order of calls", []string{"TestServer_AllCallsInAllStates", "TestMethod_LegalCalls"}},
	{"A6", "codes", []string{"TestCode_IsTheKindOfAnError", "TestServer_Diagnoses", "TestServe_Handshake", "TestServer_SimulatorFails"}},
	{"N1 to N28", "what integrators get wrong is found by its id", []string{"TestRun_FindsEachMistake", "TestRun_PassesAGoodSimulator", "TestSim_Messages"}},
	{"G1", "costs of the parts", []string{"BenchmarkStation", "BenchmarkStep"}},
	{"G2", "costs of a step, a message and a call", []string{"BenchmarkStep", "BenchmarkSensorView", "BenchmarkCall", "BenchmarkStepWithStates",
		"TestStep_OfManyActorsAllocatesNothing", "TestSensorView_AHundredMovingActorsAllocateNothing", "TestStepWithStates_Allocates"}},
	{"X1", "versions", []string{"TestX1_Versions", "TestRead_AllMaps", "FuzzRead"}},
	{"X2", "namespaces and declarations", []string{"TestRead_DeclarationAfterACommentAndNamespaces", "TestRead_AllMaps"}},
	{"X3", "large maps", []string{"BenchmarkRead", "TestRead_PeakOfALargeMap"}},
	{"X4", "the offset of the header", []string{"TestHeader_WorldOfTheOffsetMap", "TestX4_OffsetThatTurns"}},
	{"X5", "latitude and longitude", []string{"TestTransverseMercator_MeetsPROJ", "TestHeader_Projection"}},
	{"X6", "ends of geometries", []string{"TestStation_Clips"}},
	{"X7", "lines", []string{"TestStation_MeetsVectors"}},
	{"X8", "arcs", []string{"TestStation_MeetsVectors", "TestX8_ArcsWithoutCurvature"}},
	{"X9", "spirals", []string{"TestSpiral_EndPoints"}},
	{"X10", "poly3", []string{"TestPoly3_MeetsQuadrature"}},
	{"X11", "paramPoly3", []string{"TestStation_MeetsVectors"}},
	{"X12", "the fast form", []string{"TestX12_FastFormOnAllMaps", "TestChart_EqualsExactForm"}},
	{"X13", "tiny geometries", []string{"TestX13_TinyGeometries"}},
	{"X14", "profiles", []string{"TestStation_MeetsVectors"}},
	{"X15", "superelevation", []string{"TestStation_MeetsVectors", "TestStation_AttitudeOfVehicles"}},
	{"X16", "vehicles on the road", []string{"TestStation_AttitudeOfVehicles"}},
	{"X17", "shapes", []string{"TestSurface_Shape"}},
	{"X18", "crossfall", []string{"TestSurface_Crossfall"}},
	{"X19", "heights and levels of lanes", []string{"TestLane_HeightAndLevel"}},
	{"X20", "curvature beside the line", []string{"TestStation_AttitudeOfVehicles"}},
	{"X21", "sections", []string{"TestSectionAt_FindsEachOfTown07", "TestSection_SingleSideCarriesTheOtherOn"}},
	{"X22", "borders", []string{"TestLanes_BordersMeetOthersFigures"}},
	{"X23", "driving directions", []string{"TestLane_Directions", "TestNetwork_JointsMeetOthersFigures"}},
	{"X24", "types of lanes", []string{"TestX24_LanesForCars", "TestX24_TypesInOSI"}},
	{"X25", "speed limits", []string{"TestLane_SpeedLimits"}},
	{"X26", "road marks", []string{"TestX26_RoadMarks", "TestM26_RoadMarks"}},
	{"X27", "links", []string{"TestNetwork_JointsMeetOthersFigures"}},
	{"X28", "joints", []string{"TestNetwork_JointsMeetOthersFigures"}},
	{"X29", "junctions", []string{"TestX29_DirectJunction"}},
	{"X30", "continuity by lane centres", []string{"TestCheck_MapsInUseHaveNoErrors", "TestCheck_LabelledMaps"}},
	{"X31", "routes", []string{"TestRoute_MeetsOthersFigures", "TestRoute_ChangesLanesWhereMarksAllow"}},
	{"X32", "ways along lanes", []string{"TestLane_AdvanceAlongACurve", "TestRails_WayOnACurve"}},
	{"X33", "from places to road coordinates", []string{"TestLocate_FindsVectorsAgain", "TestLocate_OffTheRoad", "TestLocate_HeightDecidesWhereRoadsCross"}},
	{"X34", "signals", []string{"TestSignal_FacesTheTrafficItIsFor", "TestSignalsAndObjects_AreCounted"}},
	{"X35", "objects", []string{"TestSignalsAndObjects_AreCounted", "TestX35_ObjectPose"}},
	{"doctor", "what is wrong with a map", []string{"TestCheck_EachRuleAlone", "TestCheck_LabelledMaps", "TestCheck_MapsInUseHaveNoErrors", "check_map.txtar"}},
	{"bad maps", "gaps, missing links, negative widths, NaN, cycles, 10 MB of one element", []string{"TestCheck_EachRuleAlone",
		"TestRead_RefusesWhatHasNoMeaning", "TestRead_LinksInCycles", "TestRead_TenMegabytesOfOneElement", "FuzzRead"}},
	{"bad calls", "unknown actors, trajectories in the past, throttle of 2", []string{"TestErrors", "TestServer_Diagnoses", "TestTrajectory_ReplacedDroppedAndLate"}},
	{"bad clients", "one that vanishes in wait_step, two at once, half a frame, a frame of 2 GB", []string{"TestServer_PartyLost",
		"TestServer_DirectorLost", "TestServe_BrokenConnections", "TestServe_Busy", "TestServe_Handshake", "TestFrameReader_MemoryFollowsTheBytes"}},
	{"bad states", "whatever is restored goes on", []string{"FuzzRestore", "TestRestore_RefusesImpossibleNumbers", "TestRestore_RefusesWhatIsDamaged"}},
}

// testsIn collects the names of the tests in some folders.
func testsIn(t *testing.T, folders ...string) map[string]bool {
	there := map[string]bool{}
	function := regexp.MustCompile(`(?m)^(?:func|def) ((?:Test|Fuzz|Benchmark|test_)\w+)\(`)
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name := entry.Name()
			if strings.HasSuffix(name, ".txtar") {
				there[name] = true
			}
			inPython := strings.HasPrefix(name, "test_") && strings.HasSuffix(name, ".py")
			if !inPython && !strings.HasSuffix(name, "_test.go") {
				return nil
			}
			content, err := os.ReadFile(path)
			for _, found := range function.FindAllStringSubmatch(string(content), -1) {
				there[found[1]] = true
			}
			return err
		}))
	}
	return there
}

func TestRulebook_EachRuleHasItsTests(t *testing.T) {
	there := testsIn(t, ".", "../simapi", "../frames", "../cmd/gosmp", "../test/fmpy")
	seen := map[string]bool{}
	for _, r := range rulebook {
		require.False(t, seen[r.rule], r.rule)
		seen[r.rule] = true
		require.NotEmpty(t, r.tests, r.says)
		for _, name := range r.tests {
			require.True(t, there[name], "%s, %s: there is no test %s", r.rule, r.says, name)
		}
	}
}
