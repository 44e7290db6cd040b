package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
)

func TestRead_BasesHaveNoFindings(t *testing.T) {
	for _, v := range []fmi.Version{fmi.FMI1, fmi.FMI2, fmi.FMI3} {
		require.Empty(t, texts(base(t, v).check(t)), v)
	}
}
