package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/simapi"
)

func TestTablesAreUpToDate(t *testing.T) {
	got, err := os.ReadFile("../../../python/gosmp/_simapi_schema.py")
	require.NoError(t, err)
	require.Equal(t, tables(simapi.File_simapi_proto), string(got), "run go generate ./simapi")
}

// TestServicesAreTheMethods checks that each call of the services is a method, and vice versa.
func TestServicesAreTheMethods(t *testing.T) {
	names := map[string]bool{"hello": true}
	services := simapi.File_simapi_proto.Services()
	for k := range services.Len() {
		for n := range services.Get(k).Methods().Len() {
			names[snake(string(services.Get(k).Methods().Get(n).Name()))] = true
		}
	}
	for _, m := range simapi.Methods() {
		require.True(t, names[m.Word()], m.Word())
	}
	require.Len(t, names, len(simapi.Methods())+1)
}
