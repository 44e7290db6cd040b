package mcap_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

var mutations = flag.Int("mutations", 60,
	"damaged files for each layout in TestRecover_AgainstTheOfficialReader")

// damage changes a file in one place, as disks, transfers and programs do.
func damage(random *rand.Rand, whole []byte) ([]byte, string) {
	bad := bytes.Clone(whole)
	at := random.IntN(len(bad))
	n := min(1+random.IntN(40), len(bad)-at)
	switch random.IntN(6) {
	case 0:
		bad[at] ^= 1 << random.IntN(8)
		return bad, fmt.Sprintf("bit of byte %d flipped", at)
	case 1:
		clear(bad[at : at+n])
		return bad, fmt.Sprintf("%d bytes from %d cleared", n, at)
	case 2:
		return append(bad[:at], bad[at+n:]...), fmt.Sprintf("%d bytes from %d left out", n, at)
	case 3:
		return append(bad[:at:at], append(bytes.Repeat([]byte{5}, n), bad[at:]...)...),
			fmt.Sprintf("%d bytes put in at %d", n, at)
	case 4:
		other := random.IntN(len(bad) - n + 1)
		copy(bad[other:], whole[at:at+n])
		copy(bad[at:], whole[other:other+n])
		return bad, fmt.Sprintf("%d bytes at %d and %d swapped", n, at, other)
	}
	return bad[:at], fmt.Sprintf("cut at %d", at)
}

// officially returns what the MCAP authors' library reads from front to back. For some damaged
// lengths, its index reader uses up all memory.
func officially(content []byte) (texts []string) {
	defer func() { _ = recover() }() // it panics on some damaged files
	const most = 1 << 20
	l, err := official.NewLexer(bytes.NewReader(content),
		&official.LexerOptions{MaxRecordSize: most, MaxDecompressedChunkSize: most})
	if err != nil {
		return nil
	}
	defer l.Close()
	for {
		token, data, err := l.Next(nil)
		if err != nil {
			return texts
		}
		if m, err := official.ParseMessage(data); token == official.TokenMessage && err == nil &&
			m.ChannelID == 1 {
			texts = append(texts, fmt.Sprint(m.Sequence, m.LogTime, m.PublishTime, string(m.Data)))
		}
	}
}

// layouts are the ways in which writers arrange files, with and without chunks and an index.
func layouts(t *testing.T) map[string][]byte {
	files := map[string][]byte{"no chunks": oneChannel(t, mcap.None, 5, mcap.Chunks)}
	for _, compression := range compressions {
		for name, omit := range map[string]mcap.Parts{"": 0,
			" without an index of messages": mcap.MessageIndexes,
			" without an index of chunks":   mcap.MessageIndexes | mcap.ChunkIndexes,
			" without definitions":          mcap.RepeatedSchemas | mcap.RepeatedChannels,
			" without a summary":            ^mcap.Chunks,
		} {
			files[fmt.Sprintf("%q%s", compression, name)] = oneChannel(t, compression, 5, omit)
		}
	}
	return files
}

// Nothing that the official reader reads from a damaged file is lost, and altered messages occur
// only in marked channels. -mutations sets the number of damaged files.
func TestRecover_AgainstTheOfficialReader(t *testing.T) {
	for name, whole := range layouts(t) {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(41, uint64(len(name))))
			original := map[string]bool{}
			for _, m := range officially(whole) {
				original[m] = true
			}
			require.Len(t, original, 50)
			for k := range *mutations {
				bad, what := damage(random, whole)
				compareWithOfficial(t, bad, original, fmt.Sprintf("file %d: %s", k, what))
			}
		})
	}
}

// compareWithOfficial compares what is recovered with the original messages and with what the
// official reader reads.
func compareWithOfficial(t *testing.T, bad []byte, original map[string]bool, text string) {
	content, loss := rescued(t, bad, mcap.RecoverOptions{})
	for _, m := range byTopic(t, content)["topic"] {
		assert.True(t, original[m] || loss.Unchecked > 0, "%s: altered and not marked", text)
	}
	content, _ = rescued(t, bad, mcap.RecoverOptions{KeepDamaged: true})
	saved := map[string]bool{}
	for _, list := range byTopic(t, content) {
		for _, m := range list {
			saved[m] = true
		}
	}
	for _, m := range officially(bad) {
		assert.True(t, saved[m] || !original[m], "%s: lost", text)
	}
}
