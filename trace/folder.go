package trace

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/regular"
)

// bagDescription is the file in which rosbag2 describes a folder that it has recorded.
const bagDescription = "metadata.yaml"

// IsFolder reports whether a path is a folder of traces, such as a recording of ROS 2.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && (isBag(path) || len(tracesIn(path)) > 0)
}

// FolderError returns an error that describes what kind of folder the path is and names a file in
// it to use instead.
func FolderError(path string) error {
	found, files := "a folder", tracesIn(path)
	if isBag(path) {
		found = "a folder that ROS 2 has recorded (rosbag2)"
	}
	f := fault.New(ErrFormat, fault.In(path), found, "a file")
	for _, other := range otherFormats {
		if len(files) > 0 && filepath.Ext(files[0]) == other.extension {
			return f.WithHint("convert " + files[0] + " to MCAP: " + other.how)
		}
	}
	switch len(files) {
	case 0:
		return f.WithHint("name a trace")
	case 1:
		return f.WithHint("name the trace in it: " + files[0])
	}
	return f.WithHint(fmt.Sprintf("name one of its %d traces, such as %s; "+
		"gosmp convert --join makes one of several", len(files), files[0]))
}

func isBag(path string) bool {
	f, err := regular.Open(filepath.Join(path, bagDescription))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // was only read
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	return err == nil && bytes.Contains(head, []byte("rosbag2_bagfile_information"))
}

// tracesIn returns the files in a folder whose names are trace file names, sorted by name.
func tracesIn(path string) (files []string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() && isTraceName(e.Name()) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files
}

func isTraceName(name string) bool {
	for _, other := range otherFormats {
		if strings.EqualFold(filepath.Ext(name), other.extension) {
			return true
		}
	}
	return FormatOf(UnpackedName(name)) != Unknown
}
