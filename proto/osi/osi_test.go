package osi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/proto/osi"
	"gosmp/proto/osi3"
)

func TestVersionIsThatOfTheMessages(t *testing.T) {
	v := osi3.Version()
	require.EqualValues(t, osi.Major, v.GetVersionMajor())
	require.EqualValues(t, osi.Minor, v.GetVersionMinor())
	require.EqualValues(t, osi.Patch, v.GetVersionPatch())
	require.Equal(t, osi.Version, fmt.Sprintf("%d.%d.%d", osi.Major, osi.Minor, osi.Patch))
}
