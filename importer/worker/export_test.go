//go:build linux && cgo

package worker

import "time"

func init() { unloadTime = 2 * time.Minute }
