package bridges

import (
	"context"
	"fmt"
	"os"
	"time"

	"gosmp/bridge"
	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/fault"
	"gosmp/internal/pause"
	"gosmp/internal/plaintext"
	"gosmp/internal/similar"
)

type bridgeEcho struct {
	domain
	Topic       string        `arg:"" placeholder:"TOPIC" help:"A ROS 2 topic, such as /odom, or a DDS topic."`
	Definitions []string      `placeholder:"DIR" help:"Folders with .msg or .idl files, such as /opt/ros/jazzy/share; the common messages are built in."`
	Count       int           `short:"n" placeholder:"N" help:"Exit after this number of messages; by default, run until Ctrl-C."`
	Wait        time.Duration `default:"10s" placeholder:"TIME" help:"The time to wait for a publisher and, with --count, for the next message."`
}

// Help returns the text that follows the list of flags.
func (bridgeEcho) Help() string {
	return `Prints one line of JSON for each message: the node, the time of publication, and the ` +
		`fields. Exit code 3: the topic has no publisher, or no message arrived in time.`
}

// Endless implements the interface of sessions.
func (c *bridgeEcho) Endless() (cause, remedy string) {
	if c.Count != 0 {
		return "", ""
	}
	return "bridge echo without --count", "with --count"
}

// line is a printed message.
type line struct {
	Node string         `json:"node"`
	Time string         `json:"time,omitempty"`
	Data map[string]any `json:"data"`
}

// Run prints the messages.
func (c *bridgeEcho) Run() error {
	if c.Count < 0 {
		return cli.Unexpected("--count", c.Count, "at least 1")
	}
	p, err := c.join("gosmp_echo")
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	ctx, stop := cli.UntilEnded()
	defer stop()
	found, others, err := p.FindWriter(ctx, c.Topic, c.Wait)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		hint := similar.Hint(c.Topic, others)
		if hint == "" {
			hint = "gosmp bridge topics lists all topics"
		}
		return cli.ExitWith(fault.New(dds.ErrNoWriter, fault.At("topic "+c.Topic), "no publisher",
			fmt.Sprintf("one within %v", c.Wait)).WithHint(hint), cli.ExitTimeout)
	}
	definitions, message, err := dds.DefinitionOf(found.Type, c.Definitions)
	if err != nil {
		return cli.Invalid("--definitions", err)
	}
	samples := make(chan dds.Sample, 1024)
	_, err = p.NewReader(dds.Topic{Name: found.Topic, Type: found.Type, QoS: dds.QoS{
		Reliable: found.QoS.Reliable, Latched: found.QoS.Durability >= wire.TransientLocal,
		Depth: 1000}}, func(s dds.Sample) {
		select {
		case samples <- s:
		default: // the terminal is slower than the topic
		}
	})
	if err != nil {
		return err
	}
	return c.print(ctx, p, samples, func(b []byte) (map[string]any, error) {
		return definitions.Decode(message, b)
	})
}

// print prints messages until the requested number is reached.
func (c *bridgeEcho) print(ctx context.Context, p *dds.Participant, samples <-chan dds.Sample,
	decode func([]byte) (map[string]any, error)) error {
	for n := 0; c.Count == 0 || n < c.Count; {
		var late <-chan struct{}
		stop := func() {}
		if c.Count > 0 {
			late, stop = pause.Late(c.Wait)
		}
		select {
		case <-ctx.Done():
			stop()
			return nil
		case <-late:
			return cli.ExitWith(fault.New(dds.ErrNoWriter, fault.At("topic "+c.Topic), "no message",
				fmt.Sprintf("one within %v", c.Wait)), cli.ExitTimeout)
		case s := <-samples:
			stop()
			data, err := decode(s.Payload)
			if err != nil {
				plaintext.Printf(os.Stderr, "gosmp: warning: message left out: %v\n", err)
				continue
			}
			n++
			bridge.Finite(data)
			one := line{Node: p.NodeName(s.Writer), Data: data}
			if !s.Made.IsZero() {
				one.Time = s.Made.UTC().Format(time.RFC3339Nano)
			}
			if err := cli.WriteJSON(os.Stdout, one); err != nil {
				return cli.Flushed(err)
			}
		}
	}
	return nil
}
