package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	lab "aburn/internal/lab/world"
	"aburn/logfmt"
)

// zeros is an endless input of a byte.
type zeros byte

func (z zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(z)
	}
	return len(p), nil
}

// What is on stdin may be anything: the hook exits 0, prints nothing, and what it
// could not read is one entry with size and hash.
func TestUnreadable(t *testing.T) {
	lab.Slow(t)
	good := bash("PreToolUse", "t1", "ls", "")
	deep := `{"hook_event_name":"Stop","session_id":"s1","x":` + strings.Repeat("[", 5<<20)
	big := good[:len(good)-2] + `,"x":"` + strings.Repeat("x", 50_000_000) + `"}` + "\n"
	for _, tc := range []struct{ name, stdin, reason string }{
		{"nothing", "", "empty"},
		{"blanks", " \n", "empty"},
		{"a word", "hello", "not JSON"},
		{"half an object", good[:len(good)/2], "not JSON"},
		{"two objects", good + good, "not JSON"},
		{"NULs", strings.Repeat("\x00", 4096), "not JSON"},
		{"a NUL in a string", strings.Replace(good, "ls", "l\x00s", 1), "not JSON"},
		{"an array", "[1,2]", "not an object"},
		{"no event", `{"session_id":"s1"}`, "no event name"},
		{"nested 5 million deep", deep, "not JSON"},
		{"50 MB", big, "larger than 16 MiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var w *world
			var e logfmt.Entry
			size, reason := 0, ""
			inTime(func() bool {
				w = newWorld(t)
				if out := w.hook("claude", strings.NewReader(tc.stdin)); out != "" {
					t.Errorf("printed %q", out)
				}
				e = w.last()
				size, reason = int(get(e, "bytes").Int()), get(e, "reason").Str
				return size < len(tc.stdin) || reason != "not complete in time" // it came whole, and its end too late
			})
			if size < len(tc.stdin) && (reason == "not complete in time" || size > 16<<20) { // a busy machine
				tc.stdin, tc.reason = tc.stdin[:size], reason
			}
			sum := sha256.Sum256([]byte(tc.stdin))
			if e.Event != logfmt.Unreadable || reason != tc.reason || size != len(tc.stdin) || get(e, "sha256").Str != hex.EncodeToString(sum[:]) {
				t.Errorf("entry %s %s", e.Event, e.Data)
			}
			if len(w.entries()) != 1 {
				t.Errorf("%d entries", len(w.entries()))
			}
		})
	}
}

// Odd payloads that are payloads.
func TestReadable(t *testing.T) {
	for name, stdin := range map[string]string{
		"no newline":         strings.TrimSpace(bash("PreToolUse", "t1", "ls", "")),
		"blanks around":      " \r\n" + bash("PreToolUse", "t1", "ls", "") + "\n\n",
		"invalid UTF-8":      bash("PreToolUse", "t1", "ls \xff\xfe", ""),
		"10 MB of a string":  bash("PreToolUse", "t1", strings.Repeat("x", 10<<20), ""),
		"no session":         strings.Replace(bash("PreToolUse", "t1", "ls", ""), `"session_id":"s1",`, "", 1),
		"an odd session":     strings.Replace(bash("PreToolUse", "t1", "ls", ""), `"s1"`, `"s \u202e1"`, 1),
		"fields of any type": `{"hook_event_name":"PreToolUse","session_id":{"a":1},"cwd":7,"tool_name":null,"tool_input":[1],"tool_use_id":true,"agent_id":[]}`,
	} {
		w := newWorld(t)
		if out := w.send("claude", stdin); out != "" {
			t.Errorf("%s: printed %q", name, out)
		}
		if e := w.last(); e.Event != logfmt.ToolStart {
			t.Errorf("%s: %s %s", name, e.Event, e.Data)
		}
	}
}

// An agent that never closes the pipe: the hook takes what it has when its time is up.
func TestNeverClosingPipe(t *testing.T) {
	lab.Slow(t)
	for _, tc := range []struct {
		name, stdin string
		want        logfmt.Event
	}{
		{"silent", "", logfmt.Unreadable},
		{"half a payload", bash("PreToolUse", "t1", "ls", "")[:40], logfmt.Unreadable},
		{"a whole payload", bash("PreToolUse", "t1", "ls", ""), logfmt.ToolStart},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			r, pipe, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer pipe.Close()
			if _, err := io.WriteString(pipe, tc.stdin); err != nil {
				t.Fatal(err)
			}
			w.hook("claude", r) // ends by itself, or the world kills it and fails
			e := w.last()
			if e.Event != tc.want || e.Event == logfmt.Unreadable && get(e, "reason").Str != "not complete in time" {
				t.Errorf("%s %s", e.Event, e.Data)
			}
		})
	}
}

// A writer that never stops is not read for ever.
func TestEndlessInput(t *testing.T) {
	w := newWorld(t)
	inTime(func() bool {
		r, pipe, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go io.Copy(pipe, zeros('x')) // until the hook is gone and the pipe breaks
		defer pipe.Close()
		w.hook("claude", r)
		r.Close()
		return len(w.entries()) > 0
	})
	if e := w.last(); e.Event != logfmt.Unreadable || get(e, "bytes").Int() == 0 {
		t.Errorf("%s %s", e.Event, e.Data)
	}
}

func TestClosedStdin(t *testing.T) {
	w := newWorld(t)
	cmd := exec.Command("/bin/sh", "-c", `exec "$0" claude <&-`, exe)
	cmd.Dir, cmd.Env = w.Project, w.env
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v, printed %q", err, out)
	}
	if e := w.last(); e.Event != logfmt.Unreadable || get(e, "reason").Str != "empty" {
		t.Errorf("%s %s", e.Event, e.Data)
	}
}

// Broken pipes on stdout and stderr do not end the hook by a signal.
func TestClosedStdout(t *testing.T) {
	w := newWorld(t)
	w.trust()
	w.append(logfmt.Entry{Cmd: "build", Event: logfmt.Start, Session: "s1", Source: "prompt"})
	r, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer pipe.Close()
	cmd := exec.Command(exe, "claude")
	cmd.Dir, cmd.Env, cmd.Stdin = w.Project, w.env, strings.NewReader(claudePayload("SessionStart", `"source":"resume"`))
	cmd.Stdout, cmd.Stderr = pipe, pipe
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if e := w.last(); e.Event != logfmt.SessionStart {
		t.Errorf("%s %s", e.Event, e.Data)
	}
}

// Nothing is recorded, and stdin is read to its end all the same, where there is
// nothing to do.
func TestNothingToDo(t *testing.T) {
	good := bash("PreToolUse", "t1", "ls", "")
	for _, tc := range []struct {
		name, agent, stdin string
		env                []string
	}{
		{"switched off", "claude", good, []string{"ABURN=0"}},
		{"an unknown agent", "emacs", good, nil},
		{"no agent", "", good, nil},
		{"a payload of Cursor", "claude", strings.Replace(good, `"session_id"`, `"cursor_version":"1.7","conversation_id"`, 1), nil},
		{"a payload of Copilot", "claude", strings.Replace(good, `"session_id"`, `"sessionId"`, 1), nil},
		{"an ignored event", "claude", claudePayload("MessageDisplay", `"delta":"x"`), nil},
		{"an ignored request", "codex", codexPayload("PreModelRequest", ""), nil},
		{"a request that did not fail", "codex", codexPayload("PostModelRequest", `"status":"cancelled"`), nil},
		{"WorktreeCreate, which must not be answered", "claude", claudePayload("WorktreeCreate", `"name":"x"`), nil},
	} {
		w := newWorld(t)
		if !inTime(func() bool {
			stdin := bytes.NewReader([]byte(tc.stdin + strings.Repeat(" ", 1<<20)))
			if out := w.hook(tc.agent, stdin, tc.env...); out != "" {
				t.Errorf("%s: printed %q", tc.name, out)
			}
			return stdin.Len() == 0
		}) {
			t.Errorf("%s: stdin is not read to its end", tc.name)
		}
		if files, _ := os.ReadDir(w.Project + "/.oss"); len(files) > 0 {
			t.Errorf("%s: made %s", tc.name, files[0].Name())
		}
	}
}

// Outside of a project nothing is recorded and nothing created.
func TestNoProject(t *testing.T) {
	w := newWorld(t)
	if err := os.RemoveAll(w.Project + "/.oss"); err != nil {
		t.Fatal(err)
	}
	w.send("claude", bash("PreToolUse", "t1", "ls", ""))
	w.send("codex", codexPayload("Stop", ""))
	for _, dir := range []string{w.Home, w.Project} {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.Name() != "project" {
				t.Errorf("made %s", f.Name())
			}
		}
	}
}
