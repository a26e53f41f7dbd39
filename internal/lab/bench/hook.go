package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// payload returns what makes the input of a round: a Claude Code payload of the
// event, padded to about size bytes, with a call id of its own in every round.
func (w *world) payload(event string, size int) func(int) string {
	return func(round int) string {
		path := w.path(fmt.Sprintf("payload/%s-%d-%d.json", event, size, round))
		if _, err := os.Stat(path); err == nil {
			return path
		}
		body := fmt.Sprintf(`{"session_id":"b97d2ad7-d108-46fe-9fe9-644dc86c4e02","transcript_path":"%s/none.jsonl","cwd":"%s",`+
			`"prompt_id":"562431e9-202f-4f22-84eb-865b803ec081","permission_mode":"default","hook_event_name":"%s"`, w.dir, w.project, event)
		switch event {
		case "PostToolUse":
			body += fmt.Sprintf(`,"tool_name":"Bash","tool_input":{"command":"go test ./... -run TestHealth -count=1","description":"Run the tests"},"tool_use_id":"toolu_%d_%d","duration_ms":25,`+
				`"tool_response":{"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"stdout":"`, size, round)
			pad := size - len(body) - len(`"}}`)
			body += strings.Repeat(`ok  \taburn/logfmt\t0.012s\n`, pad/28+1)[:max(0, pad)/28*28] + `"}`
		case "UserPromptSubmit":
			body += `,"prompt":"` + strings.Repeat("Please make the health endpoint answer. ", size/40) + `"`
		case "Stop":
			body += `,"stop_hook_active":false,"background_tasks":[],"session_crons":[],"last_assistant_message":"Done."`
		case "SessionStart":
			body += `,"source":"startup"`
		}
		if err := w.write(strings.TrimPrefix(path, w.dir+"/"), []byte(body+"}\n")); err != nil {
			panic(err)
		}
		return path
	}
}

// hookProcess is aburn-hook on one event.
func (w *world) hookProcess(event string, size int) *process {
	p := w.process(event, w.bin("aburn-hook"), "claude")
	p.input = w.payload(event, size)
	return p
}

// hookCase times single hooks, one at a time, on a log longer than a tail.
func hookCase(w *world, pg *page) error {
	if err := writeLog(filepath.Join(w.project, ".oss", "workflow.log"), 1<<20, false); err != nil {
		return err
	}
	empty := w.process("an empty Go process", w.bin("empty"))
	contenders := []*process{
		empty,
		w.hookProcess("PostToolUse", 1000), w.hookProcess("UserPromptSubmit", 400),
		w.hookProcess("Stop", 0), w.hookProcess("SessionStart", 0), w.hookProcess("PostToolUse", 100_000),
	}
	aims := []float64{0, 1.45, 2, 2, 2, 1.8}
	names := []string{"an empty Go process", "tool call, 1 KB", "prompt", "stop", "session start", "tool call, 100 KB"}
	t, err := race(pg.rounds, contenders...)
	if err != nil {
		return err
	}
	pg.section("One hook", fmt.Sprintf("`aburn-hook claude` as a whole process on a log of 1 MB, %d rounds. The aim for a tool call of 1 KB is 1.3 ×.", pg.rounds))
	pg.table("process", "median", "against an empty Go process", "bound")
	pg.row(names[0], ms(median(t[0])), "1.00 ×", "")
	for i := 1; i < len(t); i++ {
		pg.bounded(ratio(median(t[i]), median(t[0])), aims[i], false, names[i], ms(median(t[i])))
	}
	return peerCase(w, pg)
}

// peerCase times the same hook in the languages that others write it in.
func peerCase(w *world, pg *page) error {
	hook := w.hookProcess("PostToolUse", 1000)
	next := hook.input
	hook.input = func(round int) string { return next(1_000_000 + round) } // calls the log has not seen
	contenders := []*process{hook, w.process("empty", w.bin("empty"))}
	names, aims := []string{"aburn-hook", "an empty Go process"}, []float64{0, 0}
	for _, peer := range []struct {
		name, exe, script string
		aim               float64
	}{{"python3", "/usr/bin/python3", "hook.py", 7}, {"node", "node", "hook.mjs", 25}, {"node, an empty script", "node", "empty.mjs", 0}} {
		exe, err := exec.LookPath(peer.exe)
		if err != nil {
			continue
		}
		p := w.process(peer.name, exe, w.path(peer.script))
		p.input = w.payload("PostToolUse", 1000)
		contenders, names, aims = append(contenders, p), append(names, peer.name), append(aims, peer.aim)
	}
	t, err := heats(min(max(pg.rounds/20, 5), pg.rounds), 5, contenders...)
	if err != nil {
		return err
	}
	pg.section("The same hook in other languages", "A tool call of 1 KB, five runs of each in turn after one that does not count. Compare node with its empty script. A language that this machine lacks has no row.")
	pg.table("hook", "median", "against aburn-hook", "bound")
	pg.row(names[0], ms(median(t[0])), "1.00 ×", "")
	for i := 1; i < len(t); i++ {
		r := ratio(median(t[i]), median(t[0]))
		if aims[i] == 0 {
			pg.row(names[i], ms(median(t[i])), fmt.Sprintf("%.2f ×", r), "")
			continue
		}
		pg.bounded(r, aims[i], true, names[i], ms(median(t[i])))
	}
	return nil
}
