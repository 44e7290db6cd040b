package dds

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gosmp/bridge"
	"gosmp/internal/pause"
)

// TopicListing is a topic with its type, publishers and subscribers. Topics and types of ROS 2 have
// their names in ROS 2.
type TopicListing struct {
	Topic       string            `json:"topic"`
	Type        string            `json:"type"`
	Publishers  []EndpointListing `json:"publishers"`
	Subscribers []EndpointListing `json:"subscribers"`
}

// EndpointListing is a publisher or a subscriber of a topic.
type EndpointListing struct {
	Node string `json:"node"`
	QoS  string `json:"qos"` // as [Listing.Describes] returns it
	Hash string `json:"typeHash,omitempty"`
}

// Topics groups the endpoints that [Participant.Endpoints] returned by topic and type. It omits
// topics of services and of the graph itself, unless all is set.
func Topics(endpoints []Listing, all bool) []TopicListing {
	list := []TopicListing{}
	for _, e := range endpoints {
		name, ros := ROSTopic(e.Topic)
		hidden := !ros && slices.ContainsFunc([]string{"rq/", "rr/", "rs/", "ros_discovery_info"},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if hidden && !all {
			continue
		}
		kind, _ := ROSType(e.Type)
		n := len(list)
		if n == 0 || list[n-1].Topic != name || list[n-1].Type != kind {
			list = append(list, TopicListing{name, kind, []EndpointListing{},
				[]EndpointListing{}})
			n++
		}
		one := EndpointListing{e.Node, e.Describes(), e.Hash}
		if t := &list[n-1]; e.Writes {
			t.Publishers = append(t.Publishers, one)
		} else {
			t.Subscribers = append(t.Subscribers, one)
		}
	}
	return list
}

// ErrNoWriter reports that a topic has no publisher.
var ErrNoWriter = errors.New("no such topic")

// FindWriter waits for a publisher of a topic, given by its name in ROS 2 or in DDS. If there is
// none in time, it returns [ErrNoWriter] and the names of the topics that have publishers; if the
// context ends first, it returns the context's error.
func (p *Participant) FindWriter(ctx context.Context, name string, wait time.Duration) (
	found Listing, others []string, err error) {
	const look = 50 * time.Millisecond
	late, stop := pause.Late(wait)
	defer stop()
	t := time.NewTicker(look)
	defer t.Stop()
	for over := false; ; {
		others = nil
		for _, e := range p.Endpoints() {
			ros, _ := ROSTopic(e.Topic)
			if e.Writes && (e.Topic == name || ros == "/"+strings.TrimPrefix(name, "/")) {
				return e, nil, nil
			}
			if e.Writes {
				others = append(others, ros)
			}
		}
		if over {
			return found, others, ErrNoWriter
		}
		select {
		case <-ctx.Done():
			return found, others, ctx.Err()
		case <-late:
			over = true // after another look
		case <-t.C:
		}
	}
}

// DefinitionOf returns the definition of a type given by its name in DDS. Definitions that are not
// built in are read from folders with .msg or .idl files.
func DefinitionOf(name string, folders []string) (*bridge.Definitions, *bridge.Message, error) {
	ros, is := ROSType(name)
	system := bridge.ROS2
	if !is {
		system = bridge.DDS
	}
	d, err := bridge.NewDefinitions(system)
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range folders {
		if err := d.AddFolder(dir); err != nil {
			return nil, nil, err
		}
	}
	m, err := d.Message(ros)
	return d, m, err
}
