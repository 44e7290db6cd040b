package bridges

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosmp/bridge/dds"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/quantity"
)

type bridgeTopics struct {
	domain
	Wait time.Duration `default:"2s" placeholder:"TIME" help:"How long to listen for participants, such as 5s."`
	All  bool          `help:"Also list the topics of services and of the graph itself."`
	JSON bool          `help:"Print a JSON list of topics with their endpoints."`
}

// Help returns the text that follows the list of flags.
func (bridgeTopics) Help() string {
	return `Joins the domain briefly and lists the topics announced by other participants. ROS ` +
		`does not have to be installed.`
}

// topic is a topic with its type, publishers and subscribers.
type topic struct {
	Topic       string     `json:"topic"`
	Type        string     `json:"type"`
	Publishers  []endpoint `json:"publishers"`
	Subscribers []endpoint `json:"subscribers"`
}

type endpoint struct {
	Node string `json:"node"`
	QoS  string `json:"qos"`
	Hash string `json:"typeHash,omitempty"`
}

// Run lists the topics.
func (c *bridgeTopics) Run() error {
	p, err := c.join("gosmp_topics")
	if err != nil {
		return err
	}
	ctx, stop := cli.UntilEnded()
	defer stop()
	pause(ctx, c.Wait)
	list := gather(p.Endpoints(), c.All)
	if err := p.Close(); err != nil {
		return err
	}
	if c.JSON {
		return cli.Flushed(cli.WriteIndentedJSON(os.Stdout, list))
	}
	return c.write(os.Stdout, list, p.Counts().Peers)
}

// gather groups endpoints by topic and type.
func gather(endpoints []dds.Listing, all bool) []topic {
	list := []topic{}
	for _, e := range endpoints {
		name, ros := dds.ROSTopic(e.Topic)
		hidden := !ros && slices.ContainsFunc([]string{"rq/", "rr/", "rs/", "ros_discovery_info"},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if hidden && !all {
			continue
		}
		kind, _ := dds.ROSType(e.Type)
		n := len(list)
		if n == 0 || list[n-1].Topic != name || list[n-1].Type != kind {
			list = append(list, topic{name, kind, []endpoint{}, []endpoint{}})
			n++
		}
		one := endpoint{e.Node, e.Describes(), e.Hash}
		if t := &list[n-1]; e.Writes {
			t.Publishers = append(t.Publishers, one)
		} else {
			t.Subscribers = append(t.Subscribers, one)
		}
	}
	return list
}

// write writes the table.
func (c *bridgeTopics) write(out io.Writer, list []topic, participants int) error {
	if len(list) == 0 {
		fmt.Fprintf(out, "no topics of other participants within %v: %s in the domain\n", c.Wait,
			quantity.Of(participants, "other participant"))
		return nil
	}
	rows := [][]string{{"TOPIC", "TYPE", "PUBLISHERS", "SUBSCRIBERS", "QOS", "NODES"}}
	for _, t := range list {
		of := t.Publishers
		if len(of) == 0 {
			of = t.Subscribers
		}
		var nodes, qos []string
		for _, e := range of {
			nodes = append(nodes, e.Node)
			qos = append(qos, e.QoS)
		}
		slices.Sort(qos)
		rows = append(rows, []string{t.Topic, t.Type, strconv.Itoa(len(t.Publishers)),
			strconv.Itoa(len(t.Subscribers)), strings.Join(slices.Compact(qos), "; "),
			strings.Join(nodes, ", ")})
	}
	cli.WriteTable(out, rows, 0)
	return nil
}

// errNoTopic is the error for a topic without a publisher.
var errNoTopic = errors.New("no such topic")

// find waits for a publisher of a topic.
func find(ctx context.Context, p *dds.Participant, name string, wait time.Duration) (
	found dds.Listing, others []string, err error) {
	const look = 50 * time.Millisecond
	for end := time.Now().Add(wait); ; {
		others = nil
		for _, e := range p.Endpoints() {
			ros, _ := dds.ROSTopic(e.Topic)
			if e.Writes && (e.Topic == name || ros == "/"+strings.TrimPrefix(name, "/")) {
				return e, nil, nil
			}
			if e.Writes {
				others = append(others, ros)
			}
		}
		if time.Now().After(end) || !pause(ctx, look) {
			return found, others, errNoTopic
		}
	}
}
