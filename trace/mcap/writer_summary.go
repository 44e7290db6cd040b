package mcap

import (
	"hash/crc32"

	"gosmp/internal/fault"
)

// Close writes the open chunk, the summary and the end of the file. All later calls fail.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	for _, c := range w.channels.list { // including those without messages
		w.declare(c)
	}
	for _, s := range w.schemas.list {
		if !s.written {
			s.written = true
			w.inData(OpSchema, s.body)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := w.send(); err != nil { // declared without chunks
		return err
	}
	w.record(OpDataEnd, (&DataEnd{w.crc}).appendTo)
	if err := w.send(); err != nil {
		return err
	}
	w.writeSummary()
	if err := w.send(); err != nil {
		return err
	}
	w.err = fault.New(ErrUsage, fault.Place{}, "a call after Close", "no more calls")
	return nil
}

// writeSummary appends the summary, its offsets and the footer.
func (w *Writer) writeSummary() {
	s := &w.summary
	s.statistics.SchemaCount, s.statistics.ChannelCount = uint16(len(w.schemas.list)),
		uint32(len(w.channels.list))
	groups := w.groups()
	if len(w.out) == 0 {
		groups = nil
	}
	var footer Footer
	if len(w.out) > 0 {
		footer.SummaryStart = uint64(w.offset)
	}
	if w.has(SummaryOffsets) && len(groups) > 0 {
		footer.SummaryOffsetStart = uint64(w.offset) + uint64(len(w.out))
		for _, g := range groups {
			w.record(OpSummaryOffset, g.appendTo)
		}
	}
	start := len(w.out)
	w.record(OpFooter, footer.appendTo)
	footer.SummaryCRC = crc32.ChecksumIEEE(w.out[:len(w.out)-4])
	w.out = w.out[:start]
	w.record(OpFooter, footer.appendTo)
	w.out = append(w.out, Magic...)
}

// groups appends the records of the summary and returns where each kind is.
func (w *Writer) groups() (list []*SummaryOffset) {
	group := func(op Opcode, part Parts, bodies []func([]byte) []byte) {
		if !w.has(part) || len(bodies) == 0 {
			return
		}
		g := &SummaryOffset{Group: op}
		for k, body := range bodies {
			offset, length := w.record(op, body)
			if k == 0 {
				g.Start = offset
			}
			g.Length += length
		}
		list = append(list, g)
	}
	group(OpSchema, RepeatedSchemas, bodiesOf(w.schemas.list, (*entry).append))
	group(OpChannel, RepeatedChannels, bodiesOf(w.channels.list, (*entry).append))
	group(OpStatistics, StatisticsRecord, []func([]byte) []byte{w.summary.statistics.appendTo})
	group(OpMetadataIndex, MetadataIndexes, bodiesOf(w.summary.metadata, (*MetadataIndex).appendTo))
	group(OpAttachmentIndex, AttachmentIndexes, bodiesOf(w.summary.attachments,
		(*AttachmentIndex).appendTo))
	group(OpChunkIndex, ChunkIndexes, bodiesOf(w.summary.chunks, (*ChunkIndex).appendTo))
	return list
}

func bodiesOf[T any](list []T, appendTo func(T, []byte) []byte) (bodies []func([]byte) []byte) {
	for _, item := range list {
		bodies = append(bodies, func(b []byte) []byte { return appendTo(item, b) })
	}
	return bodies
}
