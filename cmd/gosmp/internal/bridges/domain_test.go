package bridges

import (
	"bytes"
	"encoding/json"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/cdr"
	"gosmp/bridge/dds"
	"gosmp/cmd/gosmp/internal/cli"
)

var domains atomic.Int32

// own returns a domain that no other test on this machine is likely to use.
func own() domain {
	n := 1 + (os.Getpid()+11*int(domains.Add(1)))%95
	return domain{Domain: &n, Address: "127.0.0.1"}
}

// captured runs a command and returns its standard output.
func captured(t *testing.T, run func() error) (text string, err error) {
	t.Helper()
	r, w, pipe := os.Pipe()
	require.NoError(t, pipe)
	before := os.Stdout
	os.Stdout = w
	all := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		all <- string(b)
	}()
	err = run()
	os.Stdout = before
	require.NoError(t, w.Close())
	return <-all, err
}

// publisher returns a ROS 2 node with a latched topic, on which it has published messages.
func publisher(t *testing.T, d domain, topic, kind string, messages ...[]byte) *dds.Participant {
	t.Helper()
	p, err := dds.Join(dds.Settings{Domain: *d.Domain, Address: netip.MustParseAddr(d.Address),
		Node: "talker"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	w, err := p.NewWriter(dds.Topic{Name: dds.TopicName(topic), Type: dds.TypeName(kind),
		QoS: dds.QoS{Reliable: true, Latched: true, Depth: 10}, UserData: "typehash=RIHS01_1234;"})
	require.NoError(t, err)
	for _, m := range messages {
		w.Write(append(cdr.Begin(nil, cdr.Little), m...), time.Unix(1_700_000_000, 5))
	}
	return p
}

func said(text string) []byte {
	return cdr.AppendString(cdr.Begin(nil, cdr.Little), text, cdr.Little)[4:]
}

// listed lists the topics repeatedly until the list contains a text.
func listed(t *testing.T, c bridgeTopics, text string) (list string) {
	t.Helper()
	c.Wait = 100 * time.Millisecond
	require.Eventually(t, func() bool {
		var err error
		list, err = captured(t, c.Run)
		return err == nil && strings.Contains(list, text)
	}, time.Minute, time.Millisecond, text)
	return list
}

func TestTopics_ListsWhatOthersHave(t *testing.T) {
	d := own()
	p := publisher(t, d, "/greeting", "std_msgs/String")
	_, err := p.NewReader(dds.Topic{Name: "plain", Type: "own::Type", QoS: dds.SensorData},
		func(dds.Sample) {})
	require.NoError(t, err)
	listed(t, bridgeTopics{domain: d}, "/talker")
	list := listed(t, bridgeTopics{domain: d}, "plain")
	require.Regexp(t, `^ *TOPIC +TYPE +PUBLISHERS +SUBSCRIBERS +QOS +NODES\n`, list)
	require.Regexp(t, `\n +/greeting +std_msgs/msg/String +1 +0 +reliable, transient local +`, list)
	require.Regexp(t, `\n +plain +own::Type +0 +1 +best effort, volatile +`, list)
	require.NotContains(t, list, "ros_discovery_info")
	require.Contains(t, listed(t, bridgeTopics{domain: d, All: true}, "ros_discovery_info"),
		"/greeting")

	var topics []dds.TopicListing
	text := listed(t, bridgeTopics{domain: d, JSON: true}, "/talker")
	require.NoError(t, json.Unmarshal([]byte(text), &topics))
	require.Equal(t, "/greeting", topics[len(topics)-1].Topic)
	require.Len(t, topics[len(topics)-1].Publishers, 1)
	require.Empty(t, topics[len(topics)-1].Subscribers)
	require.Equal(t, "RIHS01_1234", topics[len(topics)-1].Publishers[0].Hash)
}

func TestTopics_OfAnEmptyDomain(t *testing.T) {
	list, err := captured(t, bridgeTopics{domain: own(), Wait: time.Millisecond}.run)
	require.NoError(t, err)
	require.Equal(t, "no topics of other participants within 1ms: 0 other participants in the domain\n", list)
	list, err = captured(t, bridgeTopics{domain: own(), Wait: time.Millisecond, JSON: true}.run)
	require.NoError(t, err)
	require.Equal(t, "[]\n", list)
}

// run calls Run on a value instead of a pointer.
func (c bridgeTopics) run() error { return c.Run() }

func echo(t *testing.T, c bridgeEcho) (lines []line, err error) {
	t.Helper()
	text, err := captured(t, c.Run)
	for d := json.NewDecoder(bytes.NewBufferString(text)); d.More(); {
		var one line
		require.NoError(t, d.Decode(&one))
		lines = append(lines, one)
	}
	return lines, err
}

func TestEcho_PrintsMessages(t *testing.T) {
	d := own()
	publisher(t, d, "/greeting", "std_msgs/String", said("one"), []byte{9, 0, 0, 0, 'x'},
		said("two"))
	for _, name := range []string{"/greeting", "greeting", "rt/greeting"} {
		lines, err := echo(t, bridgeEcho{domain: d, Topic: name, Count: 2, Wait: time.Minute})
		require.NoError(t, err)
		require.Len(t, lines, 2, "the damaged message is left out")
		require.Equal(t, map[string]any{"data": "one"}, lines[0].Data)
		require.Equal(t, map[string]any{"data": "two"}, lines[1].Data)
		require.Equal(t, "2023-11-14T22:13:20.000000005Z", lines[0].Time)
		require.NotEmpty(t, lines[0].Node)
	}
}

func TestEcho_FindsDefinitionsInFolders(t *testing.T) {
	d := own()
	publisher(t, d, "/thing", "own_msgs/Thing", []byte{7, 0, 0, 0})
	folder := filepath.Join(t.TempDir(), "own_msgs", "msg")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Thing.msg"), []byte("int32 x\n"), 0o600))
	c := bridgeEcho{domain: d, Topic: "/thing", Count: 1, Wait: time.Minute}
	_, err := echo(t, c)
	require.ErrorContains(t, err, "own_msgs/Thing")
	require.Equal(t, 2, cli.ExitCode(err))
	c.Definitions = []string{filepath.Dir(filepath.Dir(folder))}
	lines, err := echo(t, c)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"x": 7.0}, lines[0].Data)
}

func TestEcho_SaysWhyThereIsNothing(t *testing.T) {
	d := own()
	publisher(t, d, "/greeting", "std_msgs/String")
	listed(t, bridgeTopics{domain: d}, "/greeting")
	_, err := echo(t, bridgeEcho{domain: d, Topic: "/greting", Wait: 2 * time.Second})
	require.ErrorContains(t, err, "found no publisher, expected one within 2s; "+
		`did you mean "/greeting"?`)
	require.Equal(t, 3, cli.ExitCode(err))
	_, err = echo(t, bridgeEcho{domain: d, Topic: "/greeting", Count: 1, Wait: 2 * time.Second})
	require.ErrorContains(t, err, "found no message, expected one within 2s")
	require.Equal(t, 3, cli.ExitCode(err))
	_, err = echo(t, bridgeEcho{domain: d, Topic: "/greeting", Count: -1})
	require.ErrorContains(t, err, "--count: found -1, expected at least 1")
	d.Address = "somewhere"
	_, err = echo(t, bridgeEcho{domain: d, Topic: "/greeting"})
	require.ErrorContains(t, err, `--address: found "somewhere"`)
	n := 233
	_, err = echo(t,
		bridgeEcho{domain: domain{Domain: &n, Address: "127.0.0.1"}, Topic: "/greeting"})
	require.ErrorContains(t, err, "expected 0 to 232")
	require.Equal(t, 2, cli.ExitCode(err))
}
