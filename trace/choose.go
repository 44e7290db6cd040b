package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

// ErrAmbiguous reports a short name that several channels have.
var ErrAmbiguous = errors.New("ambiguous name")

// Resolve replaces names that are the last part of a topic, such as SensorOut for sensor.SensorOut
// or points for /lidar/points, by the topic. A name that is a topic or a type of one of the
// channels stays, as does a name that no channel has. It fails if several topics end in a name.
func Resolve(names []string, channels []*Channel) ([]string, error) {
	list := slices.Clone(names)
	for k, name := range list {
		exact := Selection{Topics: []string{name}}
		if name == "" || slices.ContainsFunc(channels, exact.Wants) {
			continue
		}
		var found []string
		for _, c := range channels {
			ends := strings.HasSuffix(c.Topic, "."+name) || strings.HasSuffix(c.Topic, "/"+name)
			if ends && !slices.Contains(found, c.Topic) {
				found = append(found, c.Topic)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			list[k] = found[0]
		default:
			return nil, fault.New(ErrAmbiguous, fault.Place{}, fmt.Sprintf("%q", name),
				"one of "+strings.Join(found, ", "))
		}
	}
	return list, nil
}

// ResolveIn resolves names with the channels of a trace, which it opens if necessary.
func ResolveIn(open func() (Source, error), names []string) ([]string, error) {
	isType := func(name string) bool { return strings.HasPrefix(FullType(name), packagePrefix) }
	if !slices.ContainsFunc(names, func(name string) bool { return !isType(name) }) {
		return names, nil
	}
	s, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // it was only read
	return Resolve(names, channelsFor(s, names))
}

// channelsFor returns the channels of a source. If the source finds them only by reading, it is
// read until each name is the topic or type of a channel, or else to its end.
func channelsFor(s Source, names []string) []*Channel {
	wanted := Selection{Topics: names}
	if s.Info().Messages < 0 {
		known := -1
		for err := error(nil); err == nil; _, err = s.Next() {
			if n := len(s.Channels()); n != known {
				if known = n; len(wanted.Missing(s.Channels())) == 0 {
					break
				}
			}
		}
	}
	return s.Channels()
}
