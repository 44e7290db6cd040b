package scenario

import (
	"slices"
	"strings"
)

// criterion is the prefix of the names of conditions that CARLA's ScenarioRunner treats as
// requirements.
const criterion = "criteria_"

// The criteria that have counterparts.
const (
	collisionTest = criterion + "CollisionTest"
	distanceTest  = criterion + "DrivenDistanceTest"
)

// criteria removes requirements from the storyboard's StopTrigger: conditions on parameters that do
// not exist, with names such as criteria_CollisionTest.
func (r *resolver) criteria(root *Element) {
	stop := root.Path("Storyboard", "StopTrigger")
	if stop == nil {
		return
	}
	for _, group := range stop.Children {
		group.Children = slices.DeleteFunc(group.Children, func(c *Element) bool {
			is := r.isCriterion(c)
			if is {
				r.scenario.Criteria = append(r.scenario.Criteria, c)
			}
			return is
		})
	}
	if len(r.scenario.Criteria) > 0 {
		stop.Children = slices.DeleteFunc(stop.Children, func(group *Element) bool {
			return len(group.Children) == 0
		})
	}
}

func (r *resolver) isCriterion(condition *Element) bool {
	p := condition.Path("ByValueCondition", "ParameterCondition")
	if p == nil || !strings.HasPrefix(condition.Value("name"), criterion) {
		return false
	}
	declared := r.global != nil && slices.Contains(r.global.names, p.Value("parameterRef"))
	return !declared
}

// Unjudged states why a criterion cannot be judged.
func Unjudged(criterion *Element) string {
	reason := "gosmp does not judge this criterion, only " + collisionTest + " and " + distanceTest
	if criterion.Value("name") == distanceTest {
		reason = "the value is not a number of meters"
	}
	return criterion.Value("name") + ": " + reason
}

// Requirements returns the criteria as requirements in the language of package play. unknown holds
// the criteria that have no counterpart there.
func (s *Scenario) Requirements() (texts []string, unknown []*Element) {
	for _, c := range s.Criteria {
		value := c.Path("ByValueCondition", "ParameterCondition").Value("value")
		switch _, isNumber := double(value); {
		case c.Value("name") == collisionTest:
			texts = append(texts, "no collision")
		case c.Value("name") == distanceTest && isNumber:
			texts = append(texts, "final traveled >= "+value+" m")
		default:
			unknown = append(unknown, c)
		}
	}
	return texts, unknown
}
