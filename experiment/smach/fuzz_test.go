package smach_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/experiment/smach"
)

// FuzzTranslate translates any text: the result can be loaded.
func FuzzTranslate(f *testing.F) {
	f.Add([]byte(script))
	f.Add(
		[]byte("sm = StateMachine(outcomes=['a'])\nwith sm:\n  StateMachine.add('s', " +
			"W(), {'b': 'a'})\n"))
	f.Add([]byte("sm = StateMachine(outcomes=[(((((1)))))]) # '''\n\"\"\"\n\\\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		made, err := smach.Translate("fuzz.exd", text)
		if err != nil {
			require.ErrorContains(t, err, "fuzz.exd")
			return
		}
		_, err = scxml.Parse("fuzz.scxml", made.Chart, ecmascript.Config(t.TempDir()))
		require.NoError(t, err, string(made.Chart))
	})
}
