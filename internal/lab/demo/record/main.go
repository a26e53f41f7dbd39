// Command record makes the demo's recording: the hook payloads of three sessions of the real Claude Code. On a
// scripted model, with no network but loopback, they work through /plan, /build and a /ship that fails.
//
//	go run ./internal/lab/demo/record > internal/lab/demo/testdata/session.jsonl
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "tee" {
		exitOn(tee(os.Args[2]))
		return
	}
	if code, done, err := agents.Isolate(); done || err != nil {
		exitOn(err)
		os.Exit(code)
	}
	exitOn(record(context.Background()))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// tee is the hook: it keeps the payload in a file named by the time.
func tee(dir string) error {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, payload); err != nil {
		return err
	}
	name := fmt.Sprintf("%020d-%d.json", time.Now().UnixNano(), os.Getpid())
	return os.WriteFile(filepath.Join(dir, name), line.Bytes(), 0o600)
}

func record(ctx context.Context) error {
	cache, err := agents.CacheDir()
	if err != nil {
		return err
	}
	claude, _, err := agents.Install(ctx, cache)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "aburn-record-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &studio{home: filepath.Join(dir, "user"), kept: filepath.Join(dir, "kept"), bin: filepath.Join(dir, "bin")}
	s.project = filepath.Join(s.home, "project")
	if s.cache, err = os.UserCacheDir(); err != nil {
		return err
	}
	s.cache = filepath.Join(s.cache, "go-build") // a warm one: the session runs go test
	if err := s.furnish(); err != nil {
		return err
	}
	server, err := model.Start(script(s.project), "")
	if err != nil {
		return err
	}
	defer server.Close()
	for _, args := range [][]string{
		{"-p", "/plan a health endpoint for the status service"}, {"-p", "/build"}, {"-p", "/ship to staging"}, {"-p", "Try again", "--continue"},
	} {
		if err := s.run(server.URL(), claude.Path, append(args, "--dangerously-skip-permissions")...); err != nil {
			return err
		}
	}
	return s.print()
}

// studio is a throw-away home with one project in it.
type studio struct{ home, project, kept, bin, cache string }

var files = map[string]string{
	"go.mod": "module status\n\ngo 1.26\n",
	"main.go": "package main\n\nimport \"net/http\"\n\nfunc routes() *http.ServeMux { return http.NewServeMux() }\n\nfunc main() { " +
		"http.ListenAndServe(\"127.0.0.1:8080\", routes()) }\n",
	"README.md": "# status\n\nA service that says how things are.\n",
}

func (s *studio) furnish() error {
	for _, d := range []string{s.project, s.kept, s.bin, filepath.Join(s.home, ".claude")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.project, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	hooks := map[string]any{}
	for _, event := range []string{"SessionStart", "SessionEnd", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure",
		"PostToolBatch", "SubagentStart", "SubagentStop", "Stop"} {
		hooks[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": self, "args": []string{"tee", s.kept}, "timeout": 10}}}}
	}
	settings, err := json.Marshal(map[string]any{"hooks": hooks})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.home, ".claude", "settings.json"), settings, 0o600); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", s.bin+"/", "./cmd/aburn")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	for _, args := range [][]string{{"git", "init", "-q", "-b", "main"}, {"aburn", "init"}, {"aburn", "templates", "write", "--agent", "claude"}} {
		if err := s.run("", args[0], args[1:]...); err != nil {
			return err
		}
	}
	return nil
}

func (s *studio) run(modelURL, name string, args ...string) error {
	path := name
	if name == "aburn" {
		path = filepath.Join(s.bin, name)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = s.project
	cmd.Env = append(agents.Env(s.home, s.bin+":/usr/local/go/bin", "GOCACHE="+s.cache), agents.ClaudeEnv(modelURL)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	fmt.Fprintf(os.Stderr, "%s", out)
	return nil
}

// print writes the payloads in order, with neutral paths.
func (s *studio) print() error {
	names, err := filepath.Glob(filepath.Join(s.kept, "*.json"))
	if err != nil {
		return err
	}
	slug := func(path string) string { return strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(path) }
	neutral := strings.NewReplacer(s.home, "/home/user", slug(s.home), slug("/home/user"))
	for _, name := range names { // sorted by time
		line, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Println(neutral.Replace(string(line)))
	}
	return nil
}
