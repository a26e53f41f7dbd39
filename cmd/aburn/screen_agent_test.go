package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// screenAgent is a scripted agent with the screen and the habits of Claude Code, as seen in tmux: an input line between two
// rules, bracketed paste, hooks in the same order, Esc without a hook, a question that Enter approves, turns that no
// person begins (here by Ctrl-t). What it was told
// stands in $HOME/told, one JSON string a line, and in $HOME/state whether it is busy or idle. A prompt with WORK takes
// until $HOME/go is there, one with ASK asks. Started to be
// spoken to in lines, it has no screen and does the same (line_agent_test.go).
type screenAgent struct {
	mu       sync.Mutex
	session  string
	box      string
	question bool
	busy     bool
	answer   chan string
	stop     chan struct{} // closed by Esc
	told     *os.File
	lines    bool // it has no screen
	turns    chan lineTurn
}

func screenAgentMain() {
	a, source, task := &screenAgent{answer: make(chan string)}, "startup", ""
	for i, arg := range os.Args {
		switch arg {
		case "--session-id":
			a.session = os.Args[i+1]
		case "--resume":
			a.session, source = os.Args[i+1], "resume"
		case "--input-format":
			a.lines = true
		case "--":
			task = os.Args[i+1]
		}
	}
	a.told, _ = os.OpenFile(a.home("told"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if a.lines {
		a.hook("SessionStart", `"source":"`+source+`"`)
		a.speak()
		return
	}
	old, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		panic(err)
	}
	defer term.Restore(int(os.Stdin.Fd()), old)
	fmt.Print("\x1b[?2004h")
	a.hook("SessionStart", `"source":"`+source+`"`)
	if a.draw(); task != "" {
		a.begin(task)
	}
	a.read()
}

func (a *screenAgent) home(name string) string { return filepath.Join(os.Getenv("HOME"), name) }

// hook runs aburn-hook and writes down what it tells the agent.
func (a *screenAgent) hook(event, members string) (goesOn bool) {
	here, _ := os.Getwd()
	cmd := exec.Command("aburn-hook", "claude")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":%q,%s}`, a.session, here, event, members))
	out, _ := cmd.Output()
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string } `json:"hookSpecificOutput"`
	}
	json.Unmarshal(out, &answer)
	a.tell(answer.HookSpecificOutput.AdditionalContext)
	return answer.HookSpecificOutput.AdditionalContext != ""
}

func (a *screenAgent) tell(text string) {
	if text != "" {
		line, _ := json.Marshal(text)
		a.told.Write(append(line, '\n'))
	}
}

// begin starts a turn beside the reading of keys.
func (a *screenAgent) begin(prompt string) {
	a.mu.Lock()
	a.busy, a.stop = true, make(chan struct{})
	stop := a.stop
	a.mu.Unlock()
	a.note("busy")
	a.draw()
	go func() {
		a.tell(prompt)
		quoted, _ := json.Marshal(prompt)
		a.hook("UserPromptSubmit", `"prompt":`+string(quoted))
		a.work(prompt, stop)
		select {
		case <-stop: // interrupted: no hook
		default:
			for active := "false"; a.hook("Stop", `"stop_hook_active":`+active); active = "true" {
			}
		}
		a.mu.Lock()
		a.busy = false
		a.mu.Unlock()
		a.note("idle")
		a.draw()
	}()
}

// note writes down whether it takes prompts: a terminal may show it later.
func (a *screenAgent) note(state string) { os.WriteFile(a.home("state"), []byte(state), 0o600) }

func (a *screenAgent) work(prompt string, stop chan struct{}) {
	if strings.Contains(prompt, "ASK") {
		a.hook("PreToolUse", `"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"rm x"}`)
		a.hook("PermissionRequest", `"tool_name":"Bash","tool_input":{"command":"rm x"}`)
		a.mu.Lock()
		a.question = true
		a.mu.Unlock()
		a.askInLines()
		a.draw()
		a.tell("answered by " + <-a.answer)
		a.hook("PostToolUse", `"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"rm x"},"tool_response":{}`)
	}
	for strings.Contains(prompt, "WORK") {
		if _, err := os.Stat(a.home("go")); err == nil {
			return
		}
		select {
		case <-stop:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// read takes keys and pastes.
func (a *screenAgent) read() {
	in, pasting := bufio.NewReader(os.Stdin), false
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return
		}
		if r == '\x1b' {
			if in.Buffered() == 0 {
				a.escape()
				continue
			}
			sequence, _ := in.ReadString('~')
			pasting = sequence == "[200~"
			if !pasting {
				a.draw()
			}
			continue
		}
		a.key(r, pasting)
		if !pasting {
			a.draw()
		}
	}
}

func (a *screenAgent) key(r rune, pasting bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.question && !pasting && r == '\r':
		a.question = false
		a.answer <- "Enter"
	case a.question: // swallowed
	case r == '\x14' && !pasting && !a.busy: // Ctrl-t: what ran in the background ended
		go a.begin("<task-notification>it ended")
	case r == '\x15' && !pasting: // Ctrl-u
		a.box = ""
	case r == '\r' && pasting:
		a.box += "\n"
	case r == '\r' && a.box != "" && !a.busy:
		text := a.box
		a.box = ""
		go a.begin(text)
	case r != '\r':
		a.box += string(r)
	}
}

func (a *screenAgent) escape() {
	a.mu.Lock()
	if a.busy && !a.question {
		select {
		case <-a.stop:
		default:
			close(a.stop)
		}
	}
	a.mu.Unlock()
}

func (a *screenAgent) draw() {
	if a.lines {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	rule := strings.Repeat("─", 60)
	if a.question {
		fmt.Print("\x1b[2J\x1b[H" + rule + "\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\x1b[3;2H")
		return
	}
	shown := a.box
	if lines := strings.Count(shown, "\n"); lines > 2 {
		shown = shown[:strings.Index(shown, "]")+1] + fmt.Sprintf(" [Pasted text #1 +%d lines]", lines)
	}
	hint := "? for shortcuts"
	if a.busy {
		hint = "esc to interrupt"
	}
	fmt.Print("\x1b[2J\x1b[H" + rule + "\r\n❯\u00a0" + strings.ReplaceAll(shown, "\n", "\r\n  ") + "\x1b7\r\n" + rule + "\r\n  " + hint + "\x1b8")
}
