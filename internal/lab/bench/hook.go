package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/journal"
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
		case "PreToolUse":
			body += fmt.Sprintf(`,"tool_name":"Bash","tool_input":{"command":"go test ./... -run TestHealth -count=1","description":"Run the tests"},`+
				`"tool_use_id":"toolu_%d_%d"`, size, round)
		case "PostToolUse":
			body += fmt.Sprintf(`,"tool_name":"Bash","tool_input":{"command":"go test ./... -run TestHealth -count=1","description":"Run the tests"},`+
				`"tool_use_id":"toolu_%d_%d","duration_ms":25,`+
				`"tool_response":{"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"stdout":"`, size, round)
			pad := size - len(body) - len(`"}}`)
			body += strings.Repeat(`ok  \taburn/logfmt\t0.012s\n`, pad/28+1)[:max(0, pad)/28*28] + `"}`
		case "UserPromptSubmit":
			body += `,"prompt":"` + strings.Repeat("Please make the health endpoint answer. ", size/40) + `"`
		case "Stop":
			body += `,"stop_hook_active":false,"background_tasks":[],"session_crons":[],"last_assistant_message":"Done."`
		case "SessionStart":
			body += `,"source":"startup"`
		case statusLine:
			body += fmt.Sprintf(`,"model":{"id":"claude-opus-5-5","display_name":"Opus 5.5"},"workspace":{"current_dir":"%[1]s","project_dir":"%[1]s"},`+
				`"cost":{"total_cost_usd":1.8371},`+
				// a window ends when it ends, however often its line is drawn
				`"context_window":{"context_window_size":200000,"used_percentage":42},"rate_limits":{"five_hour":{"used_percentage":38,"resets_at":%[2]d}}`, w.project,
				time.Now().Truncate(time.Hour).Add(5*time.Hour).Unix())
		}
		if err := w.write(strings.TrimPrefix(path, w.dir+"/"), []byte(body+"}\n")); err != nil {
			panic(err)
		}
		return path
	}
}

// statusLine stands for the event of a status line, which has none.
const statusLine = "Status"

// hookProcess is aburn-hook on one event.
func (w *world) hookProcess(event string, size int) *process {
	args := []string{"claude"}
	if event == statusLine {
		args = append(args, "statusline")
	}
	p := w.process(event, w.bin("aburn-hook"), args...)
	p.input = w.payload(event, size)
	return p
}

// naturalPause is about what lies between two hooks of a session at work. The processor has gone to sleep meanwhile, and
// done other things.
const naturalPause = 200 * time.Millisecond

// turnCalls is how many calls precede the Stop of a turn.
const turnCalls = 10

// hookCase times single hooks on a log longer than a tail, whose end a look has read. Log, state and queue are put back
// before each run. It times them with a pause before each, as they are used, and back to back.
func hookCase(w *world, pg *page) error {
	if _, err := writeWork(filepath.Join(w.project, ".oss", journal.Name), 1<<20); err != nil {
		return err
	}
	before, err := w.lookedAt()
	if err != nil {
		return err
	}
	putBack := func(int) error { return before.putBack() }
	empty := w.process("an empty Go process", w.bin("empty"))
	empty.input = w.payload("PostToolUse", 1000)
	contenders := []*process{empty}
	rows := []struct {
		name, event string
		size        int
		bound       float64
	}{
		{"after a tool call, 1 KB", "PostToolUse", 1000, 1.45}, {"after a tool call, 10 KB", "PostToolUse", 10_000, 1.5},
		{"before a tool call", "PreToolUse", 1000, 1.5},
		{"prompt", "UserPromptSubmit", 400, 1.9}, {fmt.Sprintf("stop after a turn of %d calls", turnCalls), "Stop", 0, 2},
		{"session start", "SessionStart", 0, 2}, {"status line", statusLine, 0, 1.3}, {"after a tool call, 100 KB", "PostToolUse", 100_000, 1.8},
	}
	for _, r := range rows {
		p := w.hookProcess(r.event, r.size)
		p.before = putBack
		if r.event == statusLine {
			p.before = func(int) error { return w.glance() }
		}
		if r.event == "Stop" {
			p.before = func(round int) error { return errors.Join(putBack(round), w.turn(round)) }
		}
		contenders = append(contenders, p)
	}
	pause, rounds := naturalPause, min(pg.rounds, 60)
	if pg.brief {
		pause = 0
	}
	natural, err := heats(rounds, 1, pause, contenders...)
	if err != nil {
		return err
	}
	close, err := race(pg.rounds, contenders...)
	if err != nil {
		return err
	}
	pg.section("One hook",
		fmt.Sprintf("`aburn-hook claude`, its payload through a pipe, on a log of 1 MB that was judged to its end. %d rounds with a pause of %d ms "+
			"before each process, "+
			"as in a session at work, and %d rounds back to back. Bounds are for the first. Load average at the end: %s. On a busy machine a pause costs every "+
			"process alike, and the ratios say little.",
			rounds, naturalPause.Milliseconds(), pg.rounds, loadAverage()))
	pg.table("process", "back to back", "against an empty Go process", "with a pause", "against an empty Go process", "bound")
	pg.row(empty.name, ms(median(close[0])), "1.00 ×", ms(median(natural[0])), "1.00 ×", "")
	for i, r := range rows {
		pg.bounded(ratio(median(natural[i+1]), median(natural[0])), r.bound, false, r.name,
			ms(median(close[i+1])), fmt.Sprintf("%.2f ×", ratio(median(close[i+1]), median(close[0]))), ms(median(natural[i+1])))
	}
	return peerCase(w, pg)
}

// glance writes the file that a status line reads, as an ingest and aburn web do.
func (w *world) glance() error {
	now := time.Now().UnixMilli()
	return w.write("home/.local/state/aburn/status-line.json", fmt.Appendf(nil,
		`{"v":1,"made":%d,"today":"$22.15","day_ends":%d,"watched":%d,"waits":[{"project":"shop","session":"x"}],"more":0}`+"\n", now, now+3_600_000, now))
}

// turn runs the hooks of a turn's calls.
func (w *world) turn(round int) error {
	for n := range turnCalls {
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			if _, err := w.hookProcess(event, 1000).once(3_000_000 + round*turnCalls + n); err != nil {
				return err
			}
		}
	}
	return nil
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
	t, err := heats(min(max(pg.rounds/20, 5), pg.rounds), 5, 0, contenders...)
	if err != nil {
		return err
	}
	pg.section("The same hook in other languages",
		"A tool call of 1 KB, five runs of each in turn, after an uncounted one. Compare node with its empty script. Missing languages have no row.")
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
