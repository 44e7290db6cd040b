package bridges

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosmp/bridge/dds"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/pause"
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

// Run lists the topics.
func (c *bridgeTopics) Run() error {
	p, err := c.join("gosmp_topics")
	if err != nil {
		return err
	}
	ctx, stop := cli.UntilEnded()
	defer stop()
	pause.For(c.Wait, ctx.Done())
	list := dds.Topics(p.Endpoints(), c.All)
	if err := p.Close(); err != nil {
		return err
	}
	if c.JSON {
		return cli.Flushed(cli.WriteIndentedJSON(os.Stdout, list))
	}
	return c.write(os.Stdout, list, p.Counts().Peers)
}

// write writes the table.
func (c *bridgeTopics) write(out io.Writer, list []dds.TopicListing, participants int) error {
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
