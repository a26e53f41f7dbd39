package headless

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"
)

// scripted is an agent that keeps a record of its turns, as the real ones do, and may be killed at a step with its holder.
type scripted struct {
	record string // begun ID, done ID; what a resumed conversation has
	crash  string // STEP of the message with "crash" in its text
	out    *bufio.Writer
}

// beAnAgent is main of the scripted agents. Their behaviour was seen on the real ones.
func beAnAgent(kind string) {
	s := &scripted{os.Getenv("RECORD"), os.Getenv("CRASH"), bufio.NewWriter(os.Stdout)}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		m := gjson.ParseBytes(in.Bytes())
		if kind == "claude" {
			s.claude(m)
		} else {
			s.codex(m)
		}
	}
}

func (s *scripted) print(value any) {
	text, _ := json.Marshal(value)
	s.out.Write(append(text, '\n'))
	s.out.Flush()
}

// note syncs, as its turns outlive a kill.
func (s *scripted) note(word, id string) {
	f, err := os.OpenFile(s.record, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, word, id)
	f.Close()
}

func recorded(path, word, id string) int {
	data, _ := os.ReadFile(path)
	return strings.Count("\n"+string(data), "\n"+word+" "+id+"\n")
}

// step is where a kill may come: holder and agent are gone together.
func (s *scripted) step(name, text string) {
	if name == s.crash && strings.Contains(text, "crash") {
		syscall.Kill(os.Getppid(), syscall.SIGKILL)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
}

// steps are all of both agents, in order.
var steps = []string{"read", "queued", "begun", "told", "done", "over", "completed"}

type members map[string]any

// claude ignores an id that stands in its record, also if its turn was cut off.
func (s *scripted) claude(m gjson.Result) {
	if m.Get("type").Str != "user" {
		return
	}
	id, text := m.Get("uuid").Str, m.Get("message.content").Str
	s.step("read", text)
	state := func(word string) { s.print(members{"type": "command_lifecycle", "command_uuid": id, "state": word}) }
	if recorded(s.record, "begun", id) > 0 {
		state("completed")
		return
	}
	state("queued")
	s.step("queued", text)
	s.note("begun", id)
	s.step("begun", text)
	state("started")
	s.step("told", text)
	s.note("done", id)
	s.step("done", text)
	s.print(members{"type": "result"})
	s.step("over", text)
	state("completed")
	s.step("completed", text)
}

// codex does not compare ids, and says at a resume which turns it had.
func (s *scripted) codex(m gjson.Result) {
	id, params := m.Get("params.clientUserMessageId").Str, m.Get("params")
	text := params.Get("input.0.text").Str
	switch m.Get("method").Str {
	case "initialize":
		s.print(members{"id": m.Get("id").Str, "result": members{}})
	case "thread/start", "thread/resume":
		s.print(members{"id": m.Get("id").Str, "result": members{"thread": members{"id": "t", "turns": s.turns()}}})
	case "turn/start":
		s.step("read", text)
		s.print(members{"id": m.Get("id").Str, "result": members{"turn": members{"id": "u"}}})
		s.step("queued", text)
		s.note("begun", id)
		s.step("begun", text)
		item := members{"type": "userMessage", "clientId": id}
		s.print(members{"method": "item/started", "params": members{"threadId": "t", "item": item}})
		s.step("told", text)
		s.note("done", id)
		s.step("done", text)
		s.print(members{"method": "turn/completed", "params": members{"threadId": "t", "turn": members{"id": "u", "status": "completed"}}})
		s.step("over", text)
		s.step("completed", text)
	}
}

func (s *scripted) turns() (list []members) {
	data, _ := os.ReadFile(s.record)
	for line := range strings.Lines(string(data)) {
		word, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "begun" {
			status := "interrupted"
			if recorded(s.record, "done", id) > 0 {
				status = "completed"
			}
			list = append(list, members{"status": status, "items": []members{{"type": "userMessage", "clientId": id}}})
		}
	}
	return list
}

// recordOf is the record of the agent in a worker's folder.
func recordOf(dir string) string { return filepath.Join(dir, "record") }
