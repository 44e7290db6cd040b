package rulebook

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck_FindsTestsOfTheWholeRepository(t *testing.T) {
	Check(t, []Rule{
		{1, "tests in Go", []string{"TestCheck_FindsTestsOfTheWholeRepository",
			"TestImportsKeepToTheLayers"}},
		{"2", "tests in Python", []string{"test_wrong_guid_is_refused"}},
		{3, "command lines", []string{"check_system.txtar"}},
		{4, "others", []string{"N1"}},
	}, "N1")
}

func TestProblems(t *testing.T) {
	there := func(test string) bool { return test == "TestA" }
	require.Empty(t, problems([]Rule{{1, "good", []string{"TestA"}}, {"1", "another",
		[]string{"TestA"}}}, there))
	require.Equal(t, []string{"rule 2, renamed: there is no test TestB", "rule 3, empty: no tests",
		"rule 2, twice: a second one with this name"},
		problems([]Rule{{2, "renamed", []string{"TestA", "TestB"}}, {3, "empty", nil},
			{2, "twice", []string{"TestA"}}}, there))
}
