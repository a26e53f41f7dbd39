package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/internal/lab/world"
)

// plantedKinds are 41 kinds of secrets, as people and tools write them: a name, and a text in which {alphabet length} stands for a
// drawn secret. + parts what a scanner would take for a leak in this file. Those before "password" have a look of their own.
var plantedKinds = [...][2]string{
	{"github", "gh+p_{a36}"}, {"gitlab", "glp+at-{a20}"}, {"aws", "AK+IA{U16}"}, {"anthropic", "sk-+ant-api03-{a80}"}, {"openai", "sk-+proj-{a48}"},
	{"slack", "xo+xb-{d12}-{d12}-{a24}"}, {"stripe", "sk_+live_{a24}"}, {"google", "AI+za{a35}"}, {"npm", "np+m_{a36}"}, {"pypi", "pypi-AgE+IcHlwaS5vcmc{a60}"},
	{"huggingface", "h+f_{a34}"}, {"jwt", "ey+J{a30}.ey+J{a40}.{a43}"}, {"sendgrid", "S+G.{a22}.{a43}"}, {"digitalocean", "dop+_v1_{x64}"}, {"docker", "dckr+_pat_{a27}"},
	{"age", "AGE-SECRET+-KEY-1{U58}"}, {"vault", "hv+s.{a28}"}, {"databricks", "da+pi{x32}"}, {"shopify", "shp+at_{x32}"}, {"sentry", "sntr+yu_{x64}"},
	{"password", "export DB_PASSWORD={p}"}, {"url-password", "psql postgres://shop:{p}@db.example.com:5432/shop"}, {"bearer", "Authorization: Bearer {a40}"},
	{"basic", "curl -u bob:{p} https://api.example.com/v1/orders"}, {"cookie", "curl -H 'Cookie: session={a32}' https://shop.example.com"},
	{"pem", "-----BEGIN +RSA PRIVATE KEY-----\n{b64}\n{b64}\n-----END RSA PRIVATE KEY-----"}, {"json", `{"client_id":"shop","client_secret":"{a32}"}`},
	{"mysql", "mysql -h db -u root -p{p} shop"}, {"sshpass", "sshpass -p {p} ssh bob@host7"}, {"prose", "my password is {p}, please use it"},
	{"aws-secret", "aws_secret_access_key = {a40}"}, {"kubernetes", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  dsn: {b40}\n"},
	{"docker-login", "docker login -u bob -p {p} registry.example.com"}, {"pgpass", "db.example.com:5432:shop:app:{p}"}, {"netrc", "machine api.example.com login bob password {p}"},
	{"api-key", "X-Api-Key: {a32}"}, {"yaml", "database:\n  user: shop\n  password: \"{p}\"\n"}, {"sas", "https://photos.blob.core.windows.net/c/f.png?sv=2022-11-02&sp=r&sig={a43}%3D"},
	{"otpauth", "otpauth://totp/Example:bob?secret={U32}&issuer=Example"}, {"crypt", "bob:$6${a16}${a86}:19000:0:99999:7:::"}, {"sql", "CREATE USER 'shop'@'%' IDENTIFIED BY '{p}';"},
}

// namedKinds are those that stand in a name of a file or a branch, too.
const namedKinds = 20

// planted are the secrets that a test has given away, by the secret: "kind by way".
type planted struct {
	rnd *rand.Rand
	all map[string]string
}

func newPlanted() *planted {
	return &planted{rand.New(rand.NewPCG(41, 16)), map[string]string{}}
}

var plantedPart = regexp.MustCompile(`\{([aUxdbp])(\d*)\}`)

// text is a text of a kind with secrets that stand nowhere else.
func (p *planted) text(kind int, way string) string {
	alphabet := map[string]string{"a": "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789", "U": "ABCDEFGHJKLMNPQRSTUVWXYZ234567", "x": "0123456789abcdef", "d": "0123456789",
		"b": "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789"}
	draw := func(from string, n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = from[p.rnd.IntN(len(from))]
		}
		return string(text)
	}
	form := strings.ReplaceAll(plantedKinds[kind][1], "+", "")
	return plantedPart.ReplaceAllStringFunc(form, func(part string) string {
		m := plantedPart.FindStringSubmatch(part)
		n, _ := strconv.Atoi(m[2])
		secret := draw(alphabet[m[1]], n)
		if m[1] == "p" {
			secret = draw("bcdfghkmnprstvw", 3) + draw("aeiou", 1) + draw("bcdfghkmnprstvw", 3) + draw("XYZQ", 1) + draw("23456789", 1) + draw("bcdfghkmnprstvw", 4)
		}
		p.all[secret] = plantedKinds[kind][0] + " by " + way
		return secret
	})
}

// each calls do with a text of each kind, without repeating a secret.
func (p *planted) each(way string, kinds int, do func(i int, text string)) {
	for i := range kinds {
		do(i, p.text(i, way))
	}
}

// leaks fails for each secret that stands in a text: at most a few, since one hole shows many.
func (p *planted) leaks(t *testing.T, where, text string) {
	t.Helper()
	for _, form := range []string{text, html.UnescapeString(text)} {
		for secret, of := range p.all {
			if i := strings.Index(form, secret); i >= 0 {
				t.Errorf("%s tells a secret: %s: …%q", where, of, form[max(0, i-60):i+len(secret)])
			}
		}
	}
}

// leaksInFiles looks into every file below a folder, except those that keep says are not aburn's.
func (p *planted) leaksInFiles(t *testing.T, dir string, keep func(path string) bool) (files int) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !keep(path) {
			return nil
		}
		if data, err := os.ReadFile(path); err == nil {
			files++
			p.leaks(t, path, string(data))
		}
		return nil
	})
	return files
}

// plantSession writes sessions that give secrets away by every way in that a session file has.
func (p *planted) plantSession(w *webWorld) {
	s := w.stored("5ec2e700-0000-4000-8000-000000000041")
	all := len(plantedKinds)
	tool := func(name string, input map[string]any, output string, failed bool) {
		id := fmt.Sprintf("toolu_p%d", s.n)
		s.add("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}})
		s.add("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": output}})
	}
	p.each("prompt", all, func(_ int, text string) { s.prompt(text) })
	p.each("answer", all, func(i int, text string) {
		if i%2 == 0 {
			text = "I shall run\n\n```sh\n" + text + "\n```\n"
		}
		s.says(text)
	})
	p.each("thinking", all, func(_ int, text string) {
		s.add("assistant", []any{map[string]any{"type": "thinking", "thinking": "They use " + text, "signature": "c2ln"}})
	})
	p.each("command", all, func(_ int, text string) {
		tool("Bash", map[string]any{"command": text, "description": "run"}, "done", false)
	})
	p.each("output", all, func(_ int, text string) {
		tool("Bash", map[string]any{"command": "cat notes.txt"}, strings.Repeat("line\n", 20)+text, false)
	})
	p.each("error", all, func(_ int, text string) {
		tool("Bash", map[string]any{"command": "make deploy"}, "Exit code 1\n"+text, true)
	})
	p.each("environment", all, func(_ int, text string) {
		tool("Bash", map[string]any{"command": "env"}, "HOME=/home/user\nSHOP_PASSWORD='"+strings.ReplaceAll(text, "\n", " ")+"'\nPATH=/usr/bin", false)
	})
	p.each("tool input", all, func(_ int, text string) {
		tool("Write", map[string]any{"file_path": "/home/user/shop/run.sh", "content": "#!/bin/sh\n" + text + "\n"}, "File created", false)
	})
	p.each("edit", all, func(_ int, text string) {
		tool("Edit", map[string]any{"file_path": "/home/user/shop/run.sh", "old_string": "x", "new_string": text}, "The file has been updated.", false)
	})
	p.each("question", all, func(_ int, text string) {
		tool("AskUserQuestion", map[string]any{"questions": []any{map[string]any{"question": "May I use " + text + "?", "options": []any{map[string]any{"label": "yes"}}}}}, "yes", false)
	})
	p.each("file name", namedKinds, func(_ int, text string) {
		tool("Write", map[string]any{"file_path": "/home/user/shop/" + text + ".txt", "content": "x"}, "File created", false)
	})
	p.each("sub-agent", all, func(_ int, text string) {
		tool("Agent", map[string]any{"description": "look", "subagent_type": "Explore", "prompt": text}, "nothing", false)
	})
	p.each("tool of a server", all, func(_ int, text string) {
		tool("mcp__db__query", map[string]any{"sql": text, "nested": map[string]any{"list": []any{text}}}, "[]", true)
	})
	p.plantBranches(w)
}

// plantBranches writes a session on branches, in folders and by a model of such names.
func (p *planted) plantBranches(w *webWorld) {
	var lines bytes.Buffer
	p.each("branch", namedKinds, func(i int, text string) {
		folder, model := p.text(i, "folder"), p.text(i, "model")
		id := fmt.Sprintf("5ec2e7%02d-0000-4000-8000-000000000042", i)
		lines.Reset()
		for n, message := range []map[string]any{{"role": "user", "content": "look at it"}, {"role": "assistant", "id": "m" + id, "model": "claude-" + model, "content": []any{map[string]any{"type": "text", "text": "done"}},
			"usage": map[string]any{"input_tokens": 10, "output_tokens": 20}}} {
			line, _ := json.Marshal(map[string]any{"type": message["role"], "uuid": fmt.Sprint(id, n), "isSidechain": false, "userType": "external", "cwd": w.shop + "/" + folder, "version": "2.1.329",
				"gitBranch": "fix/" + text, "sessionId": id, "timestamp": fmt.Sprintf("2025-11-20T11:%02d:%02d.000Z", i, n), "message": message})
			lines.Write(append(line, '\n'))
		}
		if err := os.WriteFile(filepath.Join(w.dir, "home", ".claude", "projects", "-shop", id+".jsonl"), lines.Bytes(), 0o600); err != nil {
			w.Fatal(err)
		}
	})
}

// plantHooks lets the hooks and `aburn log` see secrets: kinds with i%step == from of each way in, as a hook is a process.
func (p *planted) plantHooks(w *webWorld) {
	step := max(1, 8/world.Storm(1))
	const session = "aaaa1111-0000-4000-8000-000000000001"
	w.begin(session, "use "+p.text(0, "first prompt"))
	hook := func(payload map[string]any) {
		payload["session_id"] = session
		p.leaks(w.T, "what a hook gives the agent", w.hooked(payload)) // advice, where there was time to look
	}
	n := 0
	ways := func(i int) map[string]func(text string) {
		id := fmt.Sprint("toolu_", i)
		return map[string]func(text string){
			"prompt of a hook": func(text string) { hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text}) },
			"command of a hook": func(text string) {
				hook(map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": text}, "tool_use_id": id})
			},
			"error of a hook": func(text string) {
				hook(map[string]any{"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": map[string]any{"command": "make"}, "tool_use_id": id, "error": "Exit code 1\n" + text})
			},
			"message of a hook": func(text string) {
				hook(map[string]any{"hook_event_name": "Notification", "message": "May I? " + text, "notification_type": "permission_prompt"})
			},
			"aburn log": func(text string) {
				data, _ := json.Marshal(map[string]any{"note": text})
				w.aburn("-C", w.shop, "log", "build", "FAILED", "--session", session, "--error", text, "--summary", text, "--data", string(data))
			},
		}
	}
	for i := range plantedKinds {
		list := ways(i)
		for k, way := range slices.Sorted(maps.Keys(list)) {
			if (i+k)%step == 0 {
				list[way](p.text(i, way))
				n++
			}
		}
	}
	p.each("file of a hook", namedKinds, func(i int, text string) {
		if i%step == 0 {
			hook(map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": map[string]any{"file_path": filepath.Join(w.shop, text), "content": text}, "tool_use_id": fmt.Sprint("toolu_f", i)})
		}
	})
	w.asks(session, p.text(20, "permission"))
	w.loops("bbbb2222-0000-4000-8000-000000000002")
	if n < 20 {
		w.Errorf("%d times a hook or a command saw a secret", n)
	}
}

// crawl visits the pages that links of a page lead to, and returns how many. Of the thousands of events, and of the filters and places
// of one page, it visits a few; with ABURN_STORM more.
func (w *webWorld) crawl(visit func(at, page string), from ...string) int {
	links := regexp.MustCompile(`(?:href|src|action|data-at)="(/[^"]*)"`)
	seen, variants := map[string]bool{}, map[string]int{}
	for i := 0; i < len(from); i++ {
		_, page := w.page(from[i])
		visit(from[i], page)
		for _, m := range links.FindAllStringSubmatch(page, -1) {
			next, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			of, _, varies := strings.Cut(next, "?")
			if before, _, is := strings.Cut(next, "/raw/"); is {
				of, varies = before, true
			}
			if seen[next] || varies && variants[of] >= world.Storm(4) {
				continue
			}
			seen[next] = true
			if varies {
				variants[of]++
			}
			from = append(from, next)
		}
	}
	return len(from)
}

// stream reads the events of the page while the test runs, and returns what came so far.
func (w *webWorld) stream() func() string {
	got, err := w.Get(w.at("/events"))
	if err != nil || got.StatusCode != http.StatusOK {
		w.Fatal(err, got)
	}
	w.Cleanup(func() { got.Body.Close() })
	var mu sync.Mutex
	var text strings.Builder
	go func() {
		for lines := bufio.NewScanner(got.Body); lines.Scan(); {
			mu.Lock()
			text.WriteString(lines.Text() + "\n")
			mu.Unlock()
		}
	}()
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
}

// No page, event of a page, file of aburn's, answer of a command or to an agent, and no notice holds one of 41 kinds of secrets,
// whatever way it came in.
func TestPlantedSecretsStayHidden(t *testing.T) {
	world.Slow(t)
	w := newWebWorld(t, 0)
	p := newPlanted()
	told := filepath.Join(w.dir, "told")
	own := filepath.Join(w.dir, "home", ".config", "aburn", "settings.json")
	if err := os.WriteFile(own, []byte(fmt.Sprintf(`{"notify": {"desktop": false, "command": ["tee", "-a", %q]}, "mcp": {"all_projects": true}, "cost.budget.day": 0.01}`, told)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.extra = append(w.extra, "SHOP_TOKEN="+p.text(0, "environment of aburn"), "DB_PASSWORD="+p.text(29, "environment of aburn"))
	p.plantSession(w)
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	events := w.stream()
	p.plantHooks(w)
	w.until("/", "Permission")
	kinds := len(p.all)

	marks := 0
	pages := w.crawl(func(at, page string) {
		marks += strings.Count(page, "[redacted:")
		p.leaks(t, at, page)
	}, "/", "/sessions?kind=all", "/failures", "/cost?period=all", "/health", "/search?q=password", "/search?q=shop&in=all", "/search?q=Bearer", "/top", "/marks")
	for _, q := range []string{"password", "secret", "token", "Authorization", "docker login", "KEY", "notes.txt"} {
		at := "/search?q=" + url.QueryEscape(q)
		_, page := w.page(at)
		p.leaks(t, at, page)
	}
	story := 0
	w.story("/s/claude/5ec2e700-0000-4000-8000-000000000041?at=1", func(at, page string) {
		story++
		p.leaks(t, at, page)
	})
	waitUntil(t, "an event came", func() bool { return strings.Contains(events(), "data: ") })
	p.leaks(t, "/events", events())
	p.commands(w)
	p.asked(w)
	var notices []byte
	waitUntil(t, "a notice of a loop", func() bool {
		notices, _ = os.ReadFile(told)
		return strings.Contains(string(notices), `"loop"`)
	})
	p.leaks(t, "a notice", string(notices))
	files := p.leaksInFiles(t, w.dir, func(path string) bool { return !strings.Contains(path, "/.claude/") })
	said, _ := os.ReadFile(w.log.Name())
	p.leaks(t, "stderr of aburn web", string(said))
	t.Logf("%d secrets; %d pages with %d marks, %d of the story, %d files", kinds, pages, marks, story, files)
	if kinds < 500 || pages < 60 || story < 3 || marks < 500 || files < 8 {
		t.Error("that is too few")
	}
}

// commands looks at what commands say.
func (p *planted) commands(w *webWorld) {
	w.Helper()
	const session = "claude/5ec2e700-0000-4000-8000-000000000041"
	for _, line := range []string{
		"sessions --all --json", "show --all " + session, "show --json " + session, "show --differences --json " + session, "export --format jsonl", "report", "report --full", "report --json", "report --html -", "replay --json " + session,
		"graph --json", "tools --json", "lessons", "lessons --json", "remedy --json make", "cost --json --by session --breakdown", "cost --json --by branch", "cost --json --by model", "cost --json --by project",
		"top --once", "top --once --json", "status", "status --json", "tail", "tail --json", "query --json", "log stats --json", "chain --json", "verify --json", "supervisor --json", "doctor --json", "queue list --json", "ps --json",
	} {
		cmd := w.command("aburn", append([]string{"-C", w.shop}, strings.Fields(line)...)...)
		out, _ := cmd.CombinedOutput()
		if len(out) == 0 {
			w.Errorf("aburn %s says nothing", line)
		}
		p.leaks(w.T, "aburn "+line, string(out))
	}
}

// asked looks at what an agent is answered.
func (p *planted) asked(w *webWorld) {
	w.Helper()
	cmd := w.command("aburn", "-C", w.shop, "mcp")
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(w.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		w.Fatal(err)
	}
	defer s.Close()
	const session = "claude/5ec2e700-0000-4000-8000-000000000041"
	tools, err := s.ListTools(w.Context(), nil)
	if err != nil {
		w.Fatal(err)
	}
	answers := 0
	for _, tool := range tools.Tools {
		for _, arguments := range []map[string]any{nil, {"all_projects": true}, {"session": session}, {"session": session, "all_projects": true}, {"command": "build"}, {"error": "Exit code 1"}, {"error": "Exit code 1", "command": "make deploy"}} {
			if r, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments}); err == nil {
				text, _ := json.Marshal(r)
				answers += map[bool]int{false: 1}[r.IsError]
				p.leaks(w.T, "tool "+tool.Name, string(text))
			}
		}
	}
	for _, at := range []string{"aburn://digests", "aburn://digests/all", "aburn://digest/" + session, "aburn://trace/" + session, "aburn://log/tail"} {
		if r, err := s.ReadResource(w.Context(), &mcp.ReadResourceParams{URI: at}); err != nil {
			w.Errorf("%s: %v", at, err)
		} else {
			text, _ := json.Marshal(r)
			p.leaks(w.T, at, string(text))
		}
	}
	if answers < len(tools.Tools) {
		w.Errorf("%d answers of %d tools", answers, len(tools.Tools))
	}
}
