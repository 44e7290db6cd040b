//go:build linux && cgo

package worker

import "time"

func init() { unloadTime, replyTime = 2*time.Minute, 2*time.Minute }
