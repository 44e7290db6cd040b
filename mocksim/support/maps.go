package support

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"gosmp/internal/regular"
	"gosmp/mocksim/opendrive"
	"gosmp/simapi"
)

// loadMap loads the map named by the director. If the map is fixed, it compares the two.
func (s *Simulator) loadMap(want *simapi.MapInfo) (*simapi.MapInfo, error) {
	path := want.GetPath()
	if s.o.Map == nil {
		if path == "" {
			return nil,
				fmt.Errorf("%w: init.map_info.path: found nothing, expected an OpenDRIVE map",
					simapi.Code_INVALID)
		}
		m, err := opendrive.ReadFile(path)
		if err != nil {
			return nil, coded(err)
		}
		s.m = m
	}
	sum := fileHash(s.m.Name)
	if wanted := want.GetSha256(); wanted != "" && sum != "" {
		if !strings.EqualFold(wanted, sum) {
			return nil, fmt.Errorf(
				"%w: init.map_info.sha256: found %s, expected %s, the hash of %s",
				simapi.Code_INVALID, wanted, sum, s.m.Name)
		}
	} else if path != "" && !sameMap(path, s.m.Name, sum) && !s.isScene(path) {
		return nil,
			fmt.Errorf("%w: init.map_info.path: found %s, expected %s, the simulated map",
				simapi.Code_INVALID, path, s.m.Name)
	}
	return &simapi.MapInfo{Path: s.m.Name, Sha256: sum}, nil
}

// sameMap compares the map that a director names with the simulated one: by content if both files
// exist, or else by name, because the director may run on another computer.
func sameMap(path, simulated, sum string) bool {
	if other := fileHash(path); other != "" && sum != "" {
		return other == sum
	}
	base := func(name string) string { return name[strings.LastIndexAny(name, `/\\`)+1:] }
	return base(path) == base(simulated)
}

// mostOfMap is the number of bytes of a file that are compared, because a client names the file. A
// map has fewer.
const mostOfMap = 1 << 30

func fileHash(name string) string {
	f, err := regular.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, mostOfMap)); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
