package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// The scripted agent in lines: the stream-json of Claude Code 2.1.329, as far as a worker needs it. Messages wait for the turn
// that runs, and each is a turn of its own. A prompt with UNHEARD stops its holder, which then writes down nothing of the turn.

type lineTurn struct{ uuid, text string }

// lineIn is a line that it is told.
type lineIn struct {
	Type, UUID string
	Message    struct{ Content string }
	RequestID  string `json:"request_id"`
	Request    struct{ Subtype string }
	Response   struct{ Response struct{ Behavior string } }
}

// speak takes lines until there are no more, which ends it whatever it does.
func (a *screenAgent) speak() {
	a.turns = make(chan lineTurn, 100)
	go a.takeTurns()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var l lineIn
		json.Unmarshal(in.Bytes(), &l)
		switch l.Type {
		case "user":
			a.say(map[string]any{"type": "command_lifecycle", "command_uuid": l.UUID, "state": "queued"})
			a.turns <- lineTurn{l.UUID, l.Message.Content}
		case "control_response":
			a.mu.Lock()
			os.Stdout.WriteString(in.Text() + "\n")
			a.question = false
			a.mu.Unlock()
			a.answer <- l.Response.Response.Behavior
		case "control_request":
			a.say(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": l.RequestID}})
			a.escape()
		}
	}
}

func (a *screenAgent) takeTurns() {
	for t := range a.turns {
		stop := make(chan struct{})
		a.mu.Lock()
		a.busy, a.stop = true, stop
		a.mu.Unlock()
		if strings.Contains(t.text, "UNHEARD") {
			exec.Command("kill", "-STOP", strconv.Itoa(os.Getppid())).Run()
		}
		a.say(map[string]any{"type": "command_lifecycle", "command_uuid": t.uuid, "state": "started"})
		a.tell(t.text)
		quoted, _ := json.Marshal(t.text)
		a.hook("UserPromptSubmit", `"prompt":`+string(quoted))
		a.work(t.text, stop)
		select {
		case <-stop: // no hook tells of it
			a.say(map[string]any{"type": "user", "message": map[string]any{"content": []any{map[string]any{"type": "text", "text": "[Request interrupted by user]"}}}})
		default:
			for active := "false"; a.hook("Stop", `"stop_hook_active":`+active); active = "true" {
			}
		}
		a.mu.Lock()
		a.busy = false
		a.mu.Unlock()
		a.say(map[string]any{"type": "result", "subtype": "success", "is_error": false})
		a.say(map[string]any{"type": "command_lifecycle", "command_uuid": t.uuid, "state": "completed"})
	}
}

// askInLines asks for a permission where there is no screen.
func (a *screenAgent) askInLines() {
	if a.lines {
		a.say(map[string]any{"type": "control_request", "request_id": "q1", "request": map[string]any{
			"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1", "input": map[string]any{"command": "rm x"},
		}})
	}
}

// say prints one line, of whichever of its two routines.
func (a *screenAgent) say(line map[string]any) {
	line["session_id"] = a.session
	text, _ := json.Marshal(line) // maps and strings
	a.mu.Lock()
	defer a.mu.Unlock()
	os.Stdout.Write(append(text, '\n'))
}
