package mcap_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

// canonical formats a record of the suite as "Type name=value ...", with fields sorted by name.
func canonical(t *testing.T, r suiteRecord) string {
	var b strings.Builder
	b.WriteString(r.Type)
	for _, pair := range r.Fields {
		var name string
		require.NoError(t, json.Unmarshal(pair[0], &name))
		var value any
		require.NoError(t, json.Unmarshal(pair[1], &value))
		if list, is := value.([]any); is {
			value = fmt.Sprint(list)
		}
		if m, is := value.(map[string]any); is {
			value = shownMap(m)
		}
		fmt.Fprintf(&b, " %s=%v", name, value)
	}
	return b.String()
}

func shownMap[K ~string | ~uint16, V any](m map[K]V) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%v:%v", key, m[key]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// shown formats a record in the same way as canonical.
func shown(record any) string {
	switch r := record.(type) {
	case *mcap.Header:
		return fmt.Sprintf("Header library=%s profile=%s", r.Library, r.Profile)
	case *mcap.Footer:
		return fmt.Sprintf("Footer summary_crc=%d summary_offset_start=%d summary_start=%d",
			r.SummaryCRC, r.SummaryOffsetStart, r.SummaryStart)
	case *mcap.Schema:
		return fmt.Sprintf("Schema data=%v encoding=%s id=%d name=%s", r.Data, r.Encoding, r.ID,
			r.Name)
	case *mcap.Channel:
		return fmt.Sprintf("Channel id=%d message_encoding=%s metadata=%s schema_id=%d topic=%s",
			r.ID, r.MessageEncoding, shownMap(r.Metadata), r.SchemaID, r.Topic)
	case *mcap.Message:
		return fmt.Sprintf("Message channel_id=%d data=%v log_time=%d publish_time=%d sequence=%d",
			r.ChannelID, r.Data, r.LogTime, r.PublishTime, r.Sequence)
	case *mcap.Attachment:
		return fmt.Sprintf("Attachment create_time=%d data=%v log_time=%d media_type=%s name=%s",
			r.CreateTime, r.Data, r.LogTime, r.MediaType, r.Name)
	case *mcap.Metadata:
		return fmt.Sprintf("Metadata metadata=%s name=%s", shownMap(r.Values), r.Name)
	case *mcap.MetadataIndex:
		return fmt.Sprintf("MetadataIndex length=%d name=%s offset=%d", r.Length, r.Name, r.Offset)
	case *mcap.AttachmentIndex:
		return fmt.Sprintf(
			"AttachmentIndex create_time=%d data_size=%d length=%d log_time=%d media_type=%s "+
				"name=%s offset=%d",
			r.CreateTime, r.DataSize, r.Length, r.LogTime, r.MediaType, r.Name, r.Offset)
	case *mcap.Statistics:
		return fmt.Sprintf(
			"Statistics attachment_count=%d channel_count=%d channel_message_counts=%s "+
				"chunk_count=%d message_count=%d "+
				"message_end_time=%d message_start_time=%d metadata_count=%d schema_count=%d",
			r.AttachmentCount, r.ChannelCount,
			shownMap(r.ChannelMessageCounts), r.ChunkCount, r.MessageCount, r.MessageEnd,
			r.MessageStart, r.MetadataCount, r.SchemaCount)
	case *mcap.ChunkIndex:
		return fmt.Sprintf(
			"ChunkIndex chunk_length=%d chunk_start_offset=%d compressed_size=%d compression=%s "+
				"message_end_time=%d "+
				"message_index_length=%d message_index_offsets=%s message_start_time=%d "+
				"uncompressed_size=%d", r.ChunkLength, r.ChunkStart,
			r.CompressedSize, r.Compression, r.End, r.MessageIndexLength,
			shownMap(r.MessageIndexOffsets), r.Start, r.UncompressedSize)
	case *mcap.SummaryOffset:
		return fmt.Sprintf("SummaryOffset group_length=%d group_opcode=%d group_start=%d", r.Length,
			r.Group, r.Start)
	case *mcap.DataEnd:
		return fmt.Sprintf("DataEnd data_section_crc=%d", r.CRC)
	}
	return fmt.Sprintf("%T", record)
}
