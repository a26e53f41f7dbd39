//go:build !agents

// Command recorder makes the recordings that scenarios in supervisor/testdata are edited from. They are the logs that
// aburn's hooks write while the real Claude Code and the real Codex work through scripted sessions, with no network
// but loopback.
//
//	go run -tags agents ./internal/lab/recorder [NAME…]
package main

import "fmt"

func main() { fmt.Println("recorder: go run -tags agents ./internal/lab/recorder [NAME…]") }
