package scxml_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
)

// TestSystem_EndsWithItsContext ends the context while machines start: in a script without an end,
// in a cycle of transitions, and while machines invoke others, whose time would add up to hours.
func TestSystem_EndsWithItsContext(t *testing.T) {
	cause := errors.New("somebody is waiting")
	for name, body := range map[string]string{
		"script": `<state id="s"><onentry><log expr="1"/><script>for (;;);</script></onentry>
			</state>`,
		"cycle": `<state id="s"><onentry><log expr="1"/></onentry><transition target="s"/></state>`,
		"others": `<state id="s"><invoke><content><scxml xmlns="http://www.w3.org/2005/07/scxml"
			version="1.0" datamodel="ecmascript"><state><onentry><log expr="1"/>
			<script>for (;;);</script></onentry></state></scxml></content></invoke></state>`,
		"many others": `<parallel id="s">` + strings.Repeat(`<state><invoke><content>
			<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">
			<state><onentry><log expr="1"/><script>for (;;);</script></onentry></state></scxml>
			</content></invoke></state>`, 500) + `</parallel>`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, end := context.WithCancelCause(t.Context())
			r := scxml.NewSystem(scxml.Options{Limits: scxml.Limits{Microsteps: 1 << 40, PerSecond: 1 << 40,
				Total: 1 << 40}, Observe: func(r scxml.Record) {
				if r.Kind == scxml.Logged {
					end(cause)
				}
			}})
			r.EndWith(ctx)
			m, err := r.Add("m", chart(t, body))
			require.NoError(t, err)
			require.ErrorIs(t, errors.Join(m.Start(), r.Settle()), cause)
			require.Equal(t, cause, r.Ended())
			for _, m := range r.Machines() {
				require.False(t, m.Running(), m.ID())
			}
		})
	}
}
