//go:build !agents

// Command recorder makes the recordings from which scenarios of supervisor/testdata are woven: the logs that aburn's hooks wrote
// while the real Claude Code and the real Codex worked through scripted sessions, cut off from everything but loopback.
//
//	go run -tags agents ./internal/lab/recorder [NAME…]
package main

import "fmt"

func main() { fmt.Println("recorder: go run -tags agents ./internal/lab/recorder [NAME…]") }
