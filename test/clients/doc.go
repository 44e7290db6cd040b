// Package clients measures how clients of a bridge can harm a run: 64 of them, each of which does
// the worst that it can.
//
//	go test ./test/clients -run '^$' -bench Hostile -benchtime 1x
package clients
