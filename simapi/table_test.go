package simapi_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/internal/fault"
	"gosmp/simapi"
)

// describe lists every number of the schema: enums first, then messages with their fields.
func describe(file protoreflect.FileDescriptor) string {
	var b strings.Builder
	for k := range file.Enums().Len() {
		e := file.Enums().Get(k)
		for n := range e.Values().Len() {
			fmt.Fprintf(&b, "%s %s = %d\n", e.Name(), e.Values().Get(n).Name(),
				e.Values().Get(n).Number())
		}
	}
	for k := range file.Messages().Len() {
		m := file.Messages().Get(k)
		for n := range m.Fields().Len() {
			f := m.Fields().Get(n)
			kind := f.Kind().String()
			switch {
			case f.Message() != nil:
				kind = string(f.Message().Name())
			case f.Enum() != nil:
				kind = string(f.Enum().Name())
			}
			fmt.Fprintf(&b, "%s.%s = %d %s %s presence %t\n", m.Name(), f.Name(), f.Number(),
				f.Cardinality(), kind, f.HasPresence())
		}
	}
	return b.String()
}

// TestSchema_NumbersNeverChange checks that old programs can communicate with new ones: numbers and
// types never change. Additions to the schema are added to the file.
func TestSchema_NumbersNeverChange(t *testing.T) {
	want, err := os.ReadFile("testdata/schema.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), describe(simapi.File_simapi_proto))
}

func TestCode_IsTheKindOfAnError(t *testing.T) {
	err := fmt.Errorf("call: %w", &fault.Error{Place: fault.At("create_actor"),
		Kind: simapi.Code_UNKNOWN_ACTOR, Found: `"x"`})
	require.ErrorIs(t, err, simapi.Code_UNKNOWN_ACTOR)
	require.Equal(t, simapi.Code_UNKNOWN_ACTOR, simapi.CodeOf(err))
	require.EqualError(t, err, `call: create_actor: unknown actor: found "x"`)
	require.Equal(t, simapi.Code_INTERNAL, simapi.CodeOf(errors.New("broken")))
	require.Equal(t, simapi.Code_OK, simapi.CodeOf(nil))
}

// TestMethod_LegalCalls compares the table with the specification, stated independently: the next
// state for each call in C, I, L, S, R and P.
func TestMethod_LegalCalls(t *testing.T) {
	anytime := "--LSRP"
	set := "--L-R-"
	want := map[simapi.Method]string{
		simapi.Method_INIT: "I-----", simapi.Method_LAUNCH_SIMULATOR: "-L----",
		simapi.Method_TERMINATE_SIMULATOR: "--I-I-",
		simapi.Method_START_SIMULATION:    "--S---", simapi.Method_WAIT_START_SIMULATION: "---R--",
		simapi.Method_END_SIMULATION: "---LL-", simapi.Method_STEP: "----R-",
		simapi.Method_START_STEP: "----P-", simapi.Method_WAIT_STEP: "-----R",
		simapi.Method_SIM_COMMAND: anytime, simapi.Method_SEND_MESSAGES: anytime,
		simapi.Method_GET_MESSAGES: anytime,
	}
	letters := "-CILSRP"
	for _, m := range simapi.Methods() {
		var got strings.Builder
		for s := simapi.Connected; s <= simapi.Stepping; s++ {
			after, legal := m.After(s)
			require.Equal(t, legal, after != simapi.Nowhere)
			got.WriteByte(letters[after])
		}
		if want[m] == "" {
			want[m] = set
		}
		require.Equal(t, want[m], got.String(), m.Word())
	}
	require.Len(t, simapi.Methods(), 27)
	_, legal := simapi.Method(77).After(simapi.Running)
	require.False(t, legal)
}
