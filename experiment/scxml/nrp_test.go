package scxml_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
)

// channels implements the channels of an experiment in memory.
type channels struct {
	readers   map[string]func(scxml.Value) error
	published []string
	answer    scxml.Value
	failure   error
}

func (c *channels) Subscribe(topic, class string, deliver func(scxml.Value) error) (func(), error) {
	if c.readers == nil {
		c.readers = map[string]func(scxml.Value) error{}
	}
	c.readers[topic+" "+class] = deliver
	return func() { delete(c.readers, topic+" "+class) }, c.failure
}

func (c *channels) Publish(topic, kind string, v scxml.Value) error {
	c.published = append(c.published, topic+" "+kind+" "+v.Text())
	return c.failure
}

func (c *channels) Call(service, kind string, v scxml.Value) (scxml.Value, error) {
	c.published = append(c.published, "call "+service+" "+kind+" "+v.Text())
	return c.answer, c.failure
}

// screens is the machine of NRP's tutorial: it colors a screen once the robot has turned, and
// another one three seconds later.
const screens = `<?xml version="1.0"?>
<n:scxml xmlns:n="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/scxml" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:ros="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS" version="1.0" datamodel="ecmascript">
  <n:registerEvent xsi:type="ros:MessageOnROSTopic" event="clock" topic="/clock" data_class="rosgraph_msgs/Clock"/>
  <n:state id="waiting">
    <n:registerEvent xsi:type="ros:MessageOnROSTopic" event="yaw" topic="/robot/yaw" data_class="std_msgs/Float64"/>
    <n:transition event="yaw" cond="_event.data.data &gt; 1.5" target="left"/>
  </n:state>
  <n:state id="left">
    <n:onentry>
      <n:send xsi:type="ros:Message" target="/screen/left" data_type="std_msgs/String"><n:param name="data" expr="'red'"/></n:send>
      <n:send event="next" delay="3s"/>
    </n:onentry>
    <n:transition event="next" target="right"/>
  </n:state>
  <n:state id="right">
    <n:onentry><n:send xsi:type="ros:ServiceRequest" id="call" event="coloured" target="/set_material" service_type="gazebo_ros/SetMaterial"><n:param name="colour" expr="'blue'"/></n:send></n:onentry>
    <n:transition event="coloured" cond="_event.data.ok" target="FINISHED"/>
    <n:transition event="error.communication" cond="_event.sendid == 'call'" target="ERROR"/>
  </n:state>
  <n:final id="FINISHED"/><n:final id="ERROR"/>
</n:scxml>`

func TestChannels_RunTheMachineOfTheTutorial(t *testing.T) {
	for failing, want := range map[bool]string{false: "FINISHED", true: "ERROR"} {
		c := &channels{}
		c.answer, _ = scxml.JSON(`{"ok": true}`)
		r := newRig(scxml.Options{Channels: c})
		m, err := r.Add("screens", parse(t, screens))
		require.NoError(t, err)
		require.NoError(t, m.Start())
		require.Len(t, c.readers, 2)
		for _, yaw := range []string{`{"data": 0.3}`, `{"data": 1.6}`} {
			require.Equal(t, []string{"waiting"}, m.Configuration())
			v, _ := scxml.JSON(yaw)
			require.NoError(t, c.readers["/robot/yaw std_msgs/Float64"](v))
			require.NoError(t, r.Settle())
		}
		require.Equal(t, []string{"left"}, m.Configuration())
		require.Len(t, c.readers, 1, "the reader goes with its state, that of the machine stays")
		saved, err := r.AppendState(nil)
		require.NoError(t, err)

		c2 := &channels{answer: c.answer}
		r2 := newRig(scxml.Options{Channels: c2})
		m2, err := r2.Add("screens", parse(t, screens))
		require.NoError(t, err)
		require.NoError(t, r2.RestoreState(saved))
		require.Len(t, c2.readers, 1, "a restored machine reads again")
		if failing {
			c2.failure = errors.New("no simulator")
		}
		require.NoError(t, r2.Advance(3*timebase.Second))
		final, _ := m2.Outcome()
		require.Equal(t, want, final)
		require.Equal(t, []string{`/screen/left std_msgs/String {"data":"red"}`}, c.published)
		require.Equal(t, []string{`call /set_material gazebo_ros/SetMaterial {"colour":"blue"}`},
			c2.published)
		require.Empty(t, c2.readers, "the end of the machine ends its readers")
	}
}

func TestNRP_ReadsItsNamespaceLikeTheW3Cs(t *testing.T) {
	text := strings.ReplaceAll(nullRing(), `datamodel="null"`, "")
	a := parse(t, strings.Replace(text, scxml.Namespace, scxml.NamespaceNRP, 1))
	require.Equal(t, "null", a.Language.Name(), "which is the default there")
	b := parse(t, text)
	require.Equal(t, "ecmascript", b.Language.Name())
	require.Len(t, b.States, len(a.States))

	_, err := scxml.Parse("x", []byte(strings.Replace(screens, "ros:Message\"", "ros:Letter\"", 1)),
		ecmascript.Config("."))
	require.ErrorContains(t, err,
		`x:11:25: error: <send> cannot have the xsi:type "ros:Letter" [SX11]`)

	r := newRig(scxml.Options{})
	m, err := r.Add("m", parse(t, screens))
	require.NoError(t, err)
	require.NoError(t, m.Start())
	require.Contains(t, strings.Join(r.log, "\n"), `there are no channels to read \"/clock\" from`)
}
