package ssp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

func TestLoops_AreThoseOfTheSteps(t *testing.T) {
	link := func(from, to string, initial bool) *ssp.Connection {
		return &ssp.Connection{From: ssp.Port{Component: from}, To: ssp.Port{Component: to},
			Initial: initial}
	}
	s := &ssp.System{Components: []*ssp.Component{{Name: "a"}, {Name: "b"}, {Name: "c"},
		{Name: "d"}}, Connections: []*ssp.Connection{
		link("b", "a", false), link("a", "b", true), link("a", "a", true), link("c", "d", false),
		link("d", "c", false), link("b", "b", false),
	}}
	require.Equal(t, [][]string{{"b"}, {"c", "d"}}, s.Loops())
}
