package junit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/junit"
)

func TestWrite(t *testing.T) {
	var b strings.Builder
	require.NoError(t, junit.Suite{Name: `a "b"`, Cases: []junit.Case{{Name: "one", Class: "k", Time: "1.500"},
		{Name: "two", Class: "k", Failure: &junit.Failure{Message: "x < 1 \x00", Text: "more"}}}}.Write(&b))
	require.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="a &#34;b&#34;" tests="2" failures="1">
  <testcase name="one" classname="k" time="1.500"></testcase>
  <testcase name="two" classname="k">
    <failure message="x &lt; 1 `+"\uFFFD"+`">more</failure>
  </testcase>
</testsuite>
`, b.String())
}
