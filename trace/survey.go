package trace

import (
	"errors"
	"io"
)

// Survey completes the information that the index of a file lacks by reading all messages. It reads
// nothing if the index is complete. Damage ends the survey; the error is returned together with the
// information collected so far.
func Survey(s Source) (*Info, error) {
	info := *s.Info()
	if info.Messages >= 0 && info.Counts != nil {
		return &info, nil
	}
	info.Messages, info.Counts, info.Drives = 0, nil, nil
	places := map[*Channel]int{} // in Channels; a stream appends to it
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if m == nil {
			found := s.Info() // by now, a stream has read its metadata
			info.Metadata, info.MCAP = found.Metadata, found.MCAP
			info.Counts = append(info.Counts, make([]int64, len(s.Channels())-len(info.Counts))...)
			return &info, err
		}
		if _, known := places[m.Channel]; !known {
			for _, c := range s.Channels()[len(places):] {
				places[c] = len(places)
			}
		}
		info.take(m, places[m.Channel])
	}
}

// take counts a message of a channel, which is given by its index.
func (i *Info) take(m *Message, channel int) {
	t := m.Time
	for len(i.Drives) <= m.Drive {
		i.Drives = append(i.Drives, Drive{Start: t, End: t})
	}
	d := &i.Drives[m.Drive]
	d.Messages, d.Start, d.End = d.Messages+1, min(d.Start, t), max(d.End, t)
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
