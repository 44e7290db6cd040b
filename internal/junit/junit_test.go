package junit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/junit"
)

func TestWrite(t *testing.T) {
	var b strings.Builder
	require.NoError(t,
		junit.Suite{Name: `a "b"`, File: "a.exc", Time: 2.5,
			Properties: []junit.Property{{"seed", "7"}}, Out: "a warning\n", Err: "an error",
			Cases: []junit.Case{{Name: "one", Class: "k", Time: "1.500"},
				{Name: "two", Class: "k",
					Failure: &junit.Failure{Message: "x < 1 \x00", Text: "more"}},
				{Name: "three", Class: "k", Error: &junit.Failure{Message: "did not run"}}}}.Write(
			&b))
	require.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="a &#34;b&#34;" tests="3" failures="1" errors="1" time="2.500" file="a.exc">
  <properties>
    <property name="seed" value="7"></property>
  </properties>
  <testcase name="one" classname="k" time="1.500"></testcase>
  <testcase name="two" classname="k">
    <failure message="x &lt; 1 `+"\uFFFD"+`" type="failure">x &lt; 1 `+"\uFFFD"+`&#xA;more</failure>
  </testcase>
  <testcase name="three" classname="k">
    <error message="did not run" type="error">did not run</error>
  </testcase>
  <system-out>a warning&#xA;</system-out>
  <system-err>an error</system-err>
</testsuite>
`, b.String())
}

// TestWrite_WithoutMore writes a suite without its optional parts: the counts are always present,
// because Jenkins' schema requires them.
func TestWrite_WithoutMore(t *testing.T) {
	var b strings.Builder
	require.NoError(t, junit.Suite{Name: "a"}.Write(&b))
	require.Contains(t, b.String(),
		`<testsuite name="a" tests="0" failures="0" errors="0"></testsuite>`)
}
