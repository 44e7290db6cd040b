package trace

import (
	"errors"
	"io"
	"slices"

	"gosmp/timebase"
)

// Survey completes what the index of a file does not say, by reading all messages. With an index
// nothing is read. A damage ends it; the error is returned with what stands before.
func Survey(s Source) (*Info, error) {
	info := *s.Info()
	if info.Messages >= 0 && info.Counts != nil {
		return &info, nil
	}
	info.Messages, info.Counts = 0, nil
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if m == nil {
			found := s.Info() // a stream has met its metadata by now
			info.Metadata, info.MCAP = found.Metadata, found.MCAP
			info.Counts = append(info.Counts, make([]int64, len(s.Channels())-len(info.Counts))...)
			return &info, err
		}
		info.take(m.Time, slices.Index(s.Channels(), m.Channel))
	}
}

// take counts a message of a channel.
func (i *Info) take(t timebase.Time, channel int) {
	if i.Messages == 0 {
		i.Start, i.End = t, t
	}
	i.Messages++
	i.Start, i.End = min(i.Start, t), max(i.End, t)
	for len(i.Counts) <= channel {
		i.Counts = append(i.Counts, 0)
	}
	i.Counts[channel]++
}
