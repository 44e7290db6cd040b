package trace

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/proto/osi"
	"gosmp/proto/osifile"
	"gosmp/trace/mcap"
)

// Names that OSI defines for MCAP files (OSI 3.8.0, "OSI multi-channel trace file format").
const (
	MetadataName   = "net.asam.osi.trace"
	ReservedPrefix = "net.asam.osi"

	keyVersion     = "version"
	keyMinOSI      = "min_osi_version"
	keyMaxOSI      = "max_osi_version"
	keyMinProtobuf = "min_protobuf_version"
	keyMaxProtobuf = "max_protobuf_version"

	keyChannelOSI         = "net.asam.osi.trace.channel.osi_version"
	keyChannelProtobuf    = "net.asam.osi.trace.channel.protobuf_version"
	keyChannelDescription = "net.asam.osi.trace.channel.description"
)

// MandatoryMetadata returns the keys that every metadata record of OSI must have.
func MandatoryMetadata() []string {
	return []string{keyVersion, keyMinOSI, keyMaxOSI, keyMinProtobuf, keyMaxProtobuf}
}

// MandatoryChannelMetadata returns the keys that the metadata of every OSI channel must have.
func MandatoryChannelMetadata() []string { return []string{keyChannelOSI, keyChannelProtobuf} }

// ProtobufVersion is the release of the protobuf Go module that go.mod names.
const ProtobufVersion = osifile.ProtobufVersion

// ParseVersion parses a version of three numbers, such as "3.8.0".
func ParseVersion(text string) (v [3]int, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return v, false
	}
	for k, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return v, false
		}
		v[k] = int(n)
	}
	return v, true
}

// compareVersions compares versions by their numbers. Texts that are not versions come first.
func compareVersions(a, b string) int {
	x, _ := ParseVersion(a)
	y, _ := ParseVersion(b)
	return slices.Compare(x[:], y[:])
}

// IsComputed reports whether a key of OSI's metadata record is computed from the channels. Values
// that the caller gives for the lowest and highest releases widen the computed range, so that
// channels of these releases can be added after the first message. Other given values are ignored.
func IsComputed(key string) bool { return slices.Contains(MandatoryMetadata(), key) }

// metadataOf returns the metadata record of a file with the given channels.
func metadataOf(channels []*Channel, given map[string]string) *mcap.Metadata {
	values := map[string]string{}
	maps.Copy(values, given)
	values[keyVersion] = osi.Version
	values[keyMinOSI], values[keyMaxOSI] = releases(channels,
		func(c *Channel) string { return c.OSIVersion },
		[]string{given[keyMinOSI], given[keyMaxOSI]}, osi.Version)
	values[keyMinProtobuf], values[keyMaxProtobuf] = releases(channels,
		func(c *Channel) string { return c.ProtobufVersion },
		[]string{given[keyMinProtobuf], given[keyMaxProtobuf]}, ProtobufVersion)
	return &mcap.Metadata{Name: MetadataName, Values: values}
}

// releases returns the lowest and highest versions among the channels and the given versions.
func releases(channels []*Channel, of func(*Channel) string, given []string, none string) (least,
	greatest string) {
	for _, c := range channels {
		if c.IsOSI() {
			given = append(given, of(c))
		}
	}
	given = slices.DeleteFunc(given, func(v string) bool { _, ok := ParseVersion(v); return !ok })
	if len(given) == 0 {
		return none, none
	}
	return slices.MinFunc(given, compareVersions), slices.MaxFunc(given, compareVersions)
}

// covers returns an error if a channel that is added later does not fit the record already written.
func covers(record *mcap.Metadata, c *Channel) error {
	if !c.IsOSI() {
		return nil
	}
	for _, r := range []struct{ version, least, greatest string }{
		{c.OSIVersion, record.Values[keyMinOSI], record.Values[keyMaxOSI]},
		{c.ProtobufVersion, record.Values[keyMinProtobuf], record.Values[keyMaxProtobuf]},
	} {
		if compareVersions(r.version, r.least) < 0 || compareVersions(r.version, r.greatest) > 0 {
			return fault.New(ErrChannel, fault.At("channel "+c.Topic),
				"version "+r.version,
				fmt.Sprintf("%s to %s, as stated by the metadata at the beginning of the file; "+
					"add the channel before the first message", r.least, r.greatest))
		}
	}
	return nil
}

// channelMetadata returns the metadata of an MCAP channel.
func channelMetadata(c *Channel) map[string]string {
	values := map[string]string{}
	maps.Copy(values, c.Metadata)
	for key, value := range map[string]string{
		keyChannelOSI: c.OSIVersion, keyChannelProtobuf: c.ProtobufVersion,
		keyChannelDescription: c.Description,
	} {
		if value != "" {
			values[key] = value
		}
	}
	return values
}

// FromMCAP converts a channel of an MCAP file. The schema may be nil. The channel refers to its
// bytes, because a file may have tens of thousands of channels with one schema.
func FromMCAP(c *mcap.Channel, s *mcap.Schema) *Channel {
	result := &Channel{Topic: c.Topic, Encoding: c.MessageEncoding,
		OSIVersion: c.Metadata[keyChannelOSI], ProtobufVersion: c.Metadata[keyChannelProtobuf],
		Description: c.Metadata[keyChannelDescription], Metadata: map[string]string{}}
	if s != nil {
		result.Type, result.SchemaEncoding, result.Schema = s.Name, s.Encoding, s.Data
	}
	for key, value := range c.Metadata {
		if key != keyChannelOSI && key != keyChannelProtobuf && key != keyChannelDescription {
			result.Metadata[key] = value
		}
	}
	return result
}
