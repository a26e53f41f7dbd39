package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	synth "aburn/internal/lab/synth/archived"
	"aburn/internal/project"
)

// webWorld is a home with an archive, trusted projects and one that lives, and a running aburn web that shows it.
type webWorld struct {
	*testing.T
	dir, shop string
	port      string
	http.Client
	log   *os.File // stderr of aburn web
	extra []string // variables of every command
}

// webUnits is how many sessions and sub-agents the archive has.
const webUnits = 400

// modelPrices are what the archive's model costs.
const modelPrices = `{"v": 1, "made": "2026-11-22", "currency": "USD", "unit": "per 1,000,000 tokens", "sources": {"A": {"who": "a contract", "url": "", "kind": "vendor"}},
"rows": [{"vendor": "acme", "models": ["model-1"], "from": "2026-05-01", "per_mtok": {"input": 15, "cache_read": 1.5, "cache_write_5m": 20, "output": 75}, "sources": ["A"], "seen": "vendor"}]}`

// newWebWorld makes the world. Half of the archive's projects are trusted.
func newWebWorld(t *testing.T, units int) *webWorld {
	t.Helper()
	w := &webWorld{T: t, dir: placeOf(t)}
	w.shop = filepath.Join(w.dir, "home", "work", "shop")
	if err := os.MkdirAll(w.shop, 0o700); err != nil {
		t.Fatal(err)
	}
	if units > 0 {
		if _, err := synth.Make(t.Context(), w.dir, synth.Options{Units: units, Seed: 3, Now: time.Now().Add(-time.Hour).Truncate(time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	prices := filepath.Join(w.dir, "home", ".config", "aburn", "prices.json")
	if err := os.MkdirAll(filepath.Dir(prices), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(prices, []byte(modelPrices), 0o600); err != nil {
		t.Fatal(err)
	}
	w.trust("/home/user/work/orchard", "/home/user/work/tundra", "/home/user/work/lantern", "/home/user/work/harbor", "/home/user/work/willow")
	w.aburn("-C", w.shop, "init", "--here", "--force")
	return w
}

// placeOf is a folder that is removed at the end, when those that a worker left behind have ended too: its last hook, an ingest.
func placeOf(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 1200 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}

// trust marks projects in this home, by a process of its own, so that this one's HOME is nobody's and worlds stand side by side.
func (w *webWorld) trust(roots ...string) {
	w.Helper()
	if out, err := w.command("trust", roots...).CombinedOutput(); err != nil {
		w.Fatalf("%v: %s", err, out)
	}
}

// trustMain is webWorld.trust's process.
func trustMain() {
	for _, root := range os.Args[1:] {
		if err := project.MarkHolding(root); err != nil {
			log.Fatal(err)
		}
	}
}

// command is an executable of ours in this home.
func (w *webWorld) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	cmd.Env = []string{"HOME=" + filepath.Join(w.dir, "home"), "ABURN_HOME=" + filepath.Join(w.dir, synth.ArchiveDir), "PATH=" + os.Getenv("PATH"),
		"GORACE=" + noRaceSleep, "TZ=UTC", "CLAUDE_PROJECT_DIR=" + w.shop}
	cmd.Env = append(cmd.Env, w.extra...)
	return cmd
}

func (w *webWorld) aburn(args ...string) string {
	w.Helper()
	out, err := w.command("aburn", args...).CombinedOutput()
	if err != nil {
		w.Fatalf("aburn %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// hook gives a payload of Claude Code to the hook.
func (w *webWorld) hook(payload map[string]any) {
	w.Helper()
	if out := w.hooked(payload); out != "" {
		w.Fatalf("aburn-hook: %s", out)
	}
}

// hooked calls a hook, and is what the agent gets from it.
func (w *webWorld) hooked(payload map[string]any) string {
	w.Helper()
	payload["transcript_path"], payload["cwd"] = "/nowhere.jsonl", w.shop
	text, err := json.Marshal(payload)
	if err != nil {
		w.Fatal(err)
	}
	cmd := w.command("aburn-hook", "claude")
	cmd.Dir, cmd.Stdin = w.shop, strings.NewReader(string(text))
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("aburn-hook: %v\n%s", err, out)
	}
	return string(out)
}

// begin makes a session work; it asks for a permission with asks.
func (w *webWorld) begin(session, prompt string) {
	w.hook(map[string]any{"session_id": session, "hook_event_name": "SessionStart", "source": "startup"})
	w.hook(map[string]any{"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": prompt})
}

func (w *webWorld) asks(session, command string) {
	input := map[string]any{"command": command}
	w.hook(map[string]any{"session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_" + session})
	w.hook(map[string]any{"session_id": session, "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": input})
}

// serve starts aburn web and comes in with its link.
func (w *webWorld) serve(args ...string) {
	w.Helper()
	cmd := w.command("aburn", append([]string{"web", "--print", "--port", "47800"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if w.log, err = os.Create(filepath.Join(w.TempDir(), "stderr")); err != nil {
		w.Fatal(err)
	}
	cmd.Stderr = w.log
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			w.Errorf("aburn web: %v", err)
		}
		if text, _ := os.ReadFile(w.log.Name()); w.Failed() && len(text) > 0 {
			w.Logf("aburn web said\n%s", text)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		text, _ := os.ReadFile(w.log.Name())
		w.Fatalf("no link: %v\n%s", err, text)
	}
	w.come(strings.TrimSpace(line))
}

// come uses a link.
func (w *webWorld) come(link string) {
	w.Helper()
	at, err := url.Parse(link)
	if err != nil || at.Hostname() != "aburn.localhost" {
		w.Fatalf("the link is %q", link)
	}
	w.port = at.Port()
	if w.Jar, err = cookiejar.New(nil); err != nil {
		w.Fatal(err)
	}
	r, _ := http.NewRequest("POST", w.at("/auth"), strings.NewReader(`{"code":"`+strings.TrimPrefix(at.Fragment, "k=")+`"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", w.at(""))
	got, err := w.Do(r)
	if err != nil || got.StatusCode != http.StatusOK {
		w.Fatalf("the link is not taken: %v %+v", err, got)
	}
	got.Body.Close()
}

func (w *webWorld) at(path string) string { return "http://127.0.0.1:" + w.port + path }

// page is what a path shows.
func (w *webWorld) page(path string) (code int, text string) {
	w.Helper()
	got, err := w.Get(w.at(path))
	if err != nil {
		w.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		w.Fatal(err)
	}
	return got.StatusCode, string(body)
}

// link asks for a new link.
func (w *webWorld) link() string {
	w.Helper()
	return strings.TrimSpace(w.aburn("web", "--print"))
}

// until waits until a page holds a text.
func (w *webWorld) until(path, text string) string {
	w.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		_, page := w.page(path)
		if strings.Contains(page, text) {
			return page
		}
		if time.Now().After(end) {
			w.Fatalf("%s never holds %q:\n%s", path, text, page)
		}
	}
}

// mainOf is what a page is about, without what all pages have.
func mainOf(page string) string {
	_, rest, _ := strings.Cut(page, "<main")
	part, _, _ := strings.Cut(rest, "</main>")
	return part
}
