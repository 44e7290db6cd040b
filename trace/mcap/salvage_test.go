package mcap_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/trace/mcap"
)

func lz4Frame(t require.TestingT, content []byte, o ...lz4.Option) []byte {
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	require.NoError(t, w.Apply(o...))
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// A complete frame gives its content, and a truncated one gives the content before the cut. No
// input makes the decoder fail or exceed its limit.
func TestSalvageLZ4_IsADecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(
			rapid.SampledFrom([]string{"", "a", "abcdefgh", "message 12 of a trace",
				"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"}), 0,
			400)
		var content []byte
		for _, w := range words.Draw(t, "words") {
			content = append(content, w...)
		}
		content = append(content, rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")...)
		frame := lz4Frame(t, content, lz4.BlockSizeOption(lz4.Block64Kb),
			lz4.BlockChecksumOption(rapid.Bool().Draw(t, "sums")),
			lz4.ChecksumOption(rapid.Bool().Draw(t, "sum")))
		require.True(t, bytes.Equal(content, mcap.SalvageLZ4(frame, len(content))))
		cut := rapid.IntRange(0, len(frame)).Draw(t, "cut")
		require.True(t, bytes.HasPrefix(content, mcap.SalvageLZ4(frame[:cut], len(content))))

		limit := rapid.IntRange(0, 100).Draw(t, "limit")
		frame = append(frame[:min(7, cut)], rapid.SliceOf(rapid.Byte()).Draw(t, "other")...)
		require.LessOrEqual(t, len(mcap.SalvageLZ4(frame, limit)), limit)
	})
}

// Messages in a chunk with a single LZ4 block can still be read if part of the block is damaged.
// The library returns nothing from such a block.
func TestRecover_DamagedLZ4Block(t *testing.T) {
	whole := oneChannel(t, mcap.LZ4, 1, 0)
	c := opened(t, whole).Chunks[0]
	begin := c.ChunkStart + c.ChunkLength - c.CompressedSize
	for at := begin + 100; at < begin+c.CompressedSize-40; at += 7 {
		bad := slices.Clone(whole)
		clear(bad[at : at+4])
		_, loss := rescued(t, bad, mcap.RecoverOptions{KeepDamaged: true})
		require.GreaterOrEqual(t, loss.Messages, uint64(1), "cleared from %d", at)
	}
}

// Without a checksum of the summary, the index is used where it agrees with the chunks.
func TestRecover_IndexWithoutAChecksum(t *testing.T) {
	whole := oneChannel(t, mcap.Zstd, 3, 0)
	clear(whole[len(whole)-len(mcap.Magic)-4 : len(whole)-len(mcap.Magic)])
	f := opened(t, whole)
	require.Zero(t, f.Footer.SummaryCRC)
	bad := slices.Clone(whole)
	clear(bad[f.Chunks[1].ChunkStart:][:6]) // opcode and length
	_, loss := rescued(t, bad, mcap.RecoverOptions{})
	require.EqualValues(t, 30, loss.Messages)

	bad = slices.Clone(whole) // the other fields, and with them the checksum of the chunk
	clear(bad[f.Chunks[1].ChunkStart:][:9+30])
	_, loss = rescued(t, bad, mcap.RecoverOptions{KeepDamaged: true})
	require.EqualValues(t, 30, loss.Messages)

	bad = slices.Clone(whole) // another size in the index
	at := bytes.LastIndex(bad, []byte("zstd")) + 4
	bad[at] ^= 0xff
	_, loss = rescued(t, bad, mcap.RecoverOptions{})
	require.EqualValues(t, 30, loss.Messages)
}

// If damage elsewhere makes the checksum of the summary wrong, the index is still used where it
// agrees with the chunks.
func TestRecover_IndexInAnAlteredSummary(t *testing.T) {
	for _, compression := range compressions {
		whole := oneChannel(t, compression, 3, 0)
		f := opened(t, whole)
		bad := slices.Clone(whole)
		clear(bad[f.Chunks[1].ChunkStart:][:6]) // opcode and length
		at := bytes.LastIndex(bad, binary.LittleEndian.AppendUint64(nil, f.Chunks[2].ChunkStart))
		require.Greater(t, at, int(f.Footer.SummaryStart))
		bad[at+6] ^= 0xff // the start of another chunk in the index
		_, loss := rescued(t, bad, mcap.RecoverOptions{})
		require.EqualValues(t, 30, loss.Messages, "%q", compression)
	}
}

// A wrong size in the header of a zstd frame loses no messages.
func TestRecover_WrongSizeOfAZstdFrame(t *testing.T) {
	whole := oneChannel(t, mcap.Zstd, 5, 0)
	c := opened(t, whole).Chunks[0]
	frame := c.ChunkStart + c.ChunkLength - c.CompressedSize
	for bit := range 8 {
		bad := slices.Clone(whole)
		bad[frame+6] ^= 1 << bit
		_, loss := rescued(t, bad, mcap.RecoverOptions{KeepDamaged: true})
		require.EqualValues(t, 50, loss.Messages, "bit %d", bit)
	}
}

// A chunk that states less than it has loses no messages, neither its own, which its checksum
// confirms, nor messages of later chunks.
func TestRecover_ZstdChunkThatStatesTooLittle(t *testing.T) {
	whole := oneChannel(t, mcap.Zstd, 5, mcap.MessageIndexes|mcap.ChunkIndexes)
	at := bytes.Index(whole, []byte("zstd")) - 4 - 4 - 8
	require.Positive(t, whole[at], "the uncompressed size")
	whole[at]--
	_, loss := rescued(t, whole, mcap.RecoverOptions{})
	require.EqualValues(t, 50, loss.Messages)
	require.Zero(t, loss.Altered)
	require.Equal(t, 1, loss.Damaged)
}

// Damage to the commands of a zstd block loses no messages before it, even if the block then has
// more bytes than the frame states.
func TestRecover_ZstdBlockThatIsTooLong(t *testing.T) {
	whole := oneChannel(t, mcap.Zstd, 5, 0)
	c := opened(t, whole).Chunks[2]
	end := c.ChunkStart + c.ChunkLength
	tooLong, saved := uint64(0), uint64(0)
	for at := end - c.CompressedSize + 20; at < end-4; at++ {
		for bit := range 8 {
			bad := slices.Clone(whole)
			bad[at] ^= 1 << bit
			_, loss := rescued(t, bad, mcap.RecoverOptions{KeepDamaged: true})
			if len(loss.Places) == 1 && bytes.Contains([]byte(loss.Places[0]), []byte("exceeded")) {
				tooLong++
				saved += loss.Messages - 40
			}
		}
	}
	require.Greater(t, tooLong, uint64(10))
	require.Greater(t, saved, 4*tooLong)
}

// Even without an index, damage to the fields of a chunk loses no messages, because the checksum
// reveals which interpretation is right.
func TestRecover_DamagedFieldsOfChunksWithoutAnIndex(t *testing.T) {
	const opcode, crc, crcEnd = 1, 9 + 24, 9 + 28
	for _, compression := range compressions {
		c := opened(t, oneChannel(t, compression, 3, mcap.MessageIndexes)).Chunks[1]
		whole := oneChannel(t, compression, 3, mcap.MessageIndexes|mcap.ChunkIndexes)
		for k := range c.ChunkLength - c.CompressedSize {
			if k < opcode || k >= crc && k < crcEnd {
				continue
			}
			for bit := range 8 {
				bad := slices.Clone(whole)
				bad[c.ChunkStart+k] ^= 1 << bit
				_, loss := rescued(t, bad, mcap.RecoverOptions{})
				require.EqualValues(t, 30, loss.Messages, "%q, bit %d of byte %d", compression, bit,
					k)
				require.False(t, loss.Whole())
			}
		}
	}
}

// Messages whose channel is lost are kept, if wanted, in a channel that is marked accordingly.
func TestRecover_MessagesOfALostChannel(t *testing.T) {
	whole := oneChannel(t, mcap.None, 2, mcap.RepeatedSchemas|mcap.RepeatedChannels)
	at := bytes.Index(whole, []byte("topic")) - 2 - 2 - 4 - 9
	require.Equal(t, byte(mcap.OpChannel), whole[at])
	whole[at] = 0x80
	_, loss := rescued(t, whole, mcap.RecoverOptions{})
	require.Zero(t, loss.Messages)
	require.EqualValues(t, 10, loss.Orphans)
	require.EqualValues(t, 10, loss.Altered)

	content, loss := rescued(t, whole, mcap.RecoverOptions{KeepDamaged: true})
	require.EqualValues(t, 20, loss.Messages)
	require.Len(t, byTopic(t, content)["channel_1"+mcap.DamagedTopic], 20)
	for _, c := range opened(t, content).Channels {
		require.Contains(t, c.Metadata[mcap.DamagedKey], "lost")
	}
}
