// Package clients measures how clients of a bridge can harm a run: 64 of them, over WebSocket, TCP
// or DDS, or connected to a simulator, each of which does the worst that it can. On a busy machine,
// the run needs a higher priority than other programs (nice -n -15).
//
//	go test ./test/clients -run '^$' -bench Hostile -benchtime 1x
package clients
