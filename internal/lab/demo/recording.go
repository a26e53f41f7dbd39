package main

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
)

// session is the recording: a hook payload a line, in the order in which the agent started the hooks.
//
// sessions is a home in which Claude Code and Codex have left sessions of their own, drawn by hand.
//
//go:embed all:testdata/home
var sessions embed.FS

//go:embed testdata/session.jsonl
var session []byte

// recordedProject is the folder in which the session was recorded.
const recordedProject = "/home/user/project"

// step is what the player needs to know of one payload.
type step struct {
	payload []byte
	Event   string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Tool    string `json:"tool_name"`
	Input   struct {
		Command string `json:"command"`
		Path    string `json:"file_path"`
		Content string `json:"content"`
	} `json:"tool_input"`
}

func recording() ([]step, error) {
	var steps []step
	lines := bufio.NewScanner(bytes.NewReader(session))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s := step{payload: bytes.Clone(lines.Bytes())}
		if err := json.Unmarshal(s.payload, &s); err != nil {
			return nil, fmt.Errorf("recording, line %d: %w", len(steps)+1, err)
		}
		steps = append(steps, s)
	}
	return steps, lines.Err()
}
