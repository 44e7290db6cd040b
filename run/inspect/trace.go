package inspect

import (
	"gosmp/run/kind"
	"gosmp/trace"
)

// Trace is the content of a trace. Counts and times are those of all messages.
type Trace struct {
	FormatVersion int               `json:"formatVersion"`
	File          string            `json:"file"`
	Kind          string            `json:"kind"`
	Size          int64             `json:"size"`
	Format        trace.Format      `json:"format"`
	Indexed       bool              `json:"indexed"`
	Messages      int64             `json:"messages"`
	Start         float64           `json:"start"` // s
	End           float64           `json:"end"`
	Channels      []Channel         `json:"channels"`
	Metadata      map[string]string `json:"metadata"`
	Library       string            `json:"library"`
	Chunks        int               `json:"chunks"`
	Compression   []string          `json:"compression"`
	Attachments   []string          `json:"attachments"`
	Drives        []Drive           `json:"drives"`
	Damage        string            `json:"damage"`

	// Info is the survey on which the other fields are based.
	Info *trace.Info `json:"-"`
}

// Channel is a channel of a trace.
type Channel struct {
	Topic           string `json:"topic"`
	Type            string `json:"type"`
	Encoding        string `json:"encoding"`
	OSIVersion      string `json:"osiVersion"`
	ProtobufVersion string `json:"protobufVersion"`
	Description     string `json:"description"`
	Messages        int64  `json:"messages"`
}

// Drive is a part of the trace between two restarts of its clock.
type Drive struct {
	Messages int64   `json:"messages"`
	Start    float64 `json:"start"` // s
	End      float64 `json:"end"`
}

// ReadTrace returns the content of a trace, from its index or, without an index, from all of its
// messages. A trace that is damaged is described up to the damage.
func ReadTrace(name string, o trace.Options) (*Trace, error) {
	o.Restarts = trace.FollowRestarts
	s, err := trace.Open(name, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // opened read-only
	return OfTrace(s)
}

// OfTrace returns the content of an open trace, which it reads to its end if it has no index.
func OfTrace(s trace.Source) (*Trace, error) {
	info, err := trace.Survey(s)
	if err != nil && !trace.IsDamage(err) {
		return nil, err
	}
	d := &Trace{FormatVersion: 1, File: info.Name, Kind: kind.Trace, Size: info.Size,
		Format: info.Format, Indexed: info.Indexed, Messages: info.Messages,
		Start: info.Start.Seconds(), End: info.End.Seconds(), Channels: []Channel{},
		Drives: []Drive{}, Metadata: info.Metadata, Library: info.MCAP.Library,
		Chunks: info.MCAP.Chunks, Compression: append([]string{}, info.MCAP.Compression...),
		Attachments: append([]string{},
			info.MCAP.Attachments...), Info: info}
	if err != nil {
		d.Damage = err.Error()
	}
	for _, x := range info.Drives {
		d.Drives = append(d.Drives, Drive{x.Messages, x.Start.Seconds(), x.End.Seconds()})
	}
	for k, c := range s.Channels() {
		d.Channels = append(d.Channels, Channel{c.Topic, c.Type, c.Encoding, c.OSIVersion,
			c.ProtobufVersion, c.Description, info.Counts[k]})
	}
	return d, nil
}
