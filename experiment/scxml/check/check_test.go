package check_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/internal/finding"
)

const golden = "testdata/charts.txtar"

func options(id string) check.Options {
	o := check.Options{Config: ecmascript.Config("testdata")}
	switch {
	case strings.HasPrefix(id, "SX22"):
		o.Events = []string{"e"}
	case strings.HasPrefix(id, "SX24"):
		o.Evaluation = true
	}
	return o
}

func text(t *testing.T, l finding.List) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, l.WriteText(&b))
	return b.String()
}

// TestChart_EachIDAlone tests X36. UPDATE=1 writes the findings into the file, for review.
func TestChart_EachIDAlone(t *testing.T) {
	archive, err := txtar.ParseFile(golden)
	require.NoError(t, err)
	seen := map[string]bool{}
	var found string
	for i, f := range archive.Files {
		name, part := path.Split(f.Name)
		id := strings.TrimSuffix(name, "/")
		switch part {
		case "bad.scxml":
			list := check.Chart(id+".scxml", f.Data, options(id))
			found = text(t, list)
			code, _, _ := strings.Cut(id, "-")
			seen[code] = true
			for _, x := range list {
				require.Equal(t, code, x.ID, "%s alone: %s", id, x)
				require.Positive(t, x.Place.Line)
				require.Positive(t, x.Place.Column)
				require.NotEmpty(t, x.Remedy)
			}
			require.NotEmpty(t, list, id)
		case "want":
			if os.Getenv("UPDATE") != "" {
				archive.Files[i].Data = []byte(found)
			}
			require.Equal(t, string(archive.Files[i].Data), found, id)
		case "good.scxml":
			require.Empty(t, text(t, check.Chart(id+".scxml", f.Data, options(id))),
				"the repaired twin of %s", id)
		}
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, txtar.Format(archive), 0o600))
	}
	for _, id := range strings.Fields(
		"01 02 03 04 05 06 07 08 09 10 11 12 13 14 20 21 22 23 24 25 26 27 28 29 30 31") {
		require.True(t, seen["SX"+id], "no chart shows SX%s", id)
	}
}

// ids lists a chart's findings about events, by id and severity.
func ids(text string, events []string) (list []string) {
	o := check.Options{Config: ecmascript.Config("testdata"), Events: events}
	for _, f := range check.Chart("x", []byte(text), o) {
		list = append(list, f.ID+" "+f.Severity.String()+" "+f.Message)
	}
	return list
}

func document(inside string) string {
	return `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">` +
		inside + `</scxml>`
}

// TestChart_ComputedNamesSwitchEventsOff tests X38: names that may be computed disable SX22 and
// SX23. The check reports this once, and only if they would have found something.
func TestChart_ComputedNamesSwitchEventsOff(t *testing.T) {
	chart := func(data, send string) string {
		return document(data + `<datamodel><data id="n" expr="'x'"/></datamodel>
<state id="a"><transition event="e" target="f">` + send +
			`<raise event="lost"/></transition><transition event="error never" target="f"/>` +
			`</state><final id="f"/>`)
	}
	both := []string{`SX23 warning no transition handles the event "lost" raised here`,
		`SX22 warning the event "never" is never raised, sent or provided`}
	note := func(element string) []string {
		return []string{"SX22 note <" + element +
			"> may compute the name of an event or a target: SX22 and SX23 are not checked"}
	}
	for _, c := range []struct {
		data, send string
		want       []string
	}{
		{"", `<send event="e"/>`, both},
		{"", `<send eventexpr="n"/>`, note("send")},
		{"", `<send event="e" targetexpr="n"/>`, note("send")},
		{"", `<send event="e" targetexpr="n"/><send eventexpr="n"/>`, note("send")},
		{"", `<script>var k = 1</script>`, note("script")},
		{`<script>var k = 1</script>`, "", note("script")},
		{"", `<send event="e" delayexpr="n"/>`, both},
	} {
		require.Equal(t, c.want, ids(chart(c.data, c.send), []string{"e"}), c.data+c.send)
	}
	require.Empty(t,
		ids(
			document(
				`<script>var k = 1</script><state id="a"><transition event="e" target="f"/>`+
					`</state><final id="f"/>`), []string{"e"}), "nothing to say")
}

// TestChart_EventsOfInvokedMachines tests X38 across machines: events that an invoked machine on
// any level sends or may send are not reported as missing, but events that it raises internally
// are.
func TestChart_EventsOfInvokedMachines(t *testing.T) {
	outer := func(inside string) string {
		return document(`<state id="a"><invoke id="i"><content><scxml version="1.0">` + inside +
			`</scxml></content></invoke>
<transition event="from.inner error" target="f"/></state><final id="f"/>`)
	}
	inner := func(action string) string {
		return `<state id="b"><onentry>` + action +
			`</onentry><transition event="error from.inner" target="b"/></state>`
	}
	missing := []string{`SX22 warning the event "from.inner" is never raised, sent or provided`}
	for text, want := range map[string][]string{
		outer(inner(`<send event="from.inner.x" target="#_parent"/>`)):                    nil,
		outer(inner(`<send event="from.inner" target="#_scxml_m"/>`)):                     nil,
		outer(inner(`<send eventexpr="'from.' + 'inner'" target="#_parent"/>`)):           nil,
		outer(`<script>var k = 1</script>` + inner(``)):                                   nil,
		outer(inner(`<raise event="from.inner"/>`)):                                       missing,
		outer(inner(`<send event="from.inner"/>`)):                                        missing,
		outer(inner(`<send event="from.inner" target="#_internal"/>`)):                    missing,
		outer(nested(inner(`<send event="from.inner" target="#_scxml_m"/>`))):             nil,
		outer(nested(inner(`<send eventexpr="'from.inner'" targetexpr="'#_scxml_m'"/>`))): nil,
		outer(nested(inner(`<raise event="from.inner"/>`))):                               missing,
		outer(
			`<state id="b"><invoke srcexpr="_event.data"/><transition event="error" target="b"/>` +
				`</state>`): nil,
	} {
		var got []string
		for _, f := range ids(text, []string{}) {
			if strings.Contains(f, "from.inner") {
				got = append(got, f)
			}
		}
		if len(want) > 0 { // the inner machine waits for it too, unless it raises it itself
			require.Contains(t, got, want[0], text)
		} else {
			require.Empty(t, got, text)
		}
	}
	provided := outer(`<state id="b"><transition event="go" target="b"/></state>`)
	require.Contains(t, ids(provided, nil),
		`SX22 warning the event "go" is never raised, sent or provided`,
		"nobody else can send to it")
	require.NotContains(t, fmt.Sprint(ids(strings.Replace(provided, `id="i"`,
		`id="i" autoforward="true"`, 1), nil)), `"go"`)
	require.NotContains(t, fmt.Sprint(ids(strings.Replace(provided, `target="f"/>`,
		`target="f"><send event="go" target="#_i"/></transition>`, 1), nil)), `"go"`)
	require.Empty(t,
		ids(
			document(
				`<state id="a"><transition event="data.speed sim.timeout" target="f"/></state>`+
					`<final id="f"/>`), []string{"data.*", "sim.timeout"}))
	require.Len(t,
		ids(
			document(
				`<state id="a"><transition event="dat speed" target="f"/></state><final id="f"/>`),
			[]string{"data.*", "sim.timeout"}), 2)
}

func nested(inside string) string {
	return `<state id="n"><invoke id="k"><content><scxml version="1.0">` + inside +
		`</scxml></content></invoke><transition event="error" target="n"/></state>`
}

// TestChart_Services tests X33: a service that the simulator lacks is found before the run.
func TestChart_Services(t *testing.T) {
	text := strings.Replace(document(`<state id="a"><transition event="error" target="f"/>
<transition event="e" target="f"><send xsi:type="ros:ServiceRequest" target="spawn" service_type="x"/>
<send xsi:type="ros:ServiceRequest" target="set_material" service_type="x"/></transition></state><final id="f"/>`), "<scxml ",
		`<scxml xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" `+
			`xmlns:ros="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS" `, 1)
	o := check.Options{Config: ecmascript.Config("testdata")}
	require.Empty(t, check.Chart("x", []byte(text), o))
	o.Services = []string{"spawn", "delete"}
	list := check.Chart("x", []byte(text), o)
	require.Len(t, list, 1)
	require.Equal(t,
		`x:3:45: error: there is no service "set_material" [SX11]; expected spawn or delete`,
		list[0].String())
}
