package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/cmd/internal/kit"
	"aburn/internal/mcpserver"
)

// mcpWorld is a home with a few sessions in its archive, and a project with a chain in its log. Its user lets agents ask about all
// projects.
type mcpWorld struct {
	*testing.T
	home, dir string
	vars      map[string]string
	progress  func(context.Context, *mcp.ProgressNotificationClientRequest) // of clients that open makes
}

func newMCPWorld(t *testing.T) *mcpWorld {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &mcpWorld{T: t, home: home, dir: filepath.Join(home, "shop"), vars: map[string]string{"HOME": home}}
	t.Setenv("HOME", home) // what commands write goes by the process's own
	t.Setenv("XDG_STATE_HOME", "")
	if err := os.CopyFS(home, os.DirFS("testdata/store/home")); err != nil {
		t.Fatal(err)
	}
	w.endSessions()
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.allow(true)
	w.must("ingest")
	w.must("init")
	if err := os.WriteFile(filepath.Join(w.dir, "plan.md"), []byte("slices\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.must("log", "plan", "START")
	w.must("log", "plan", "COMPLETE", "--summary", "three slices", "--output", "plan.md", "--next", "build")
	return w
}

// allow sets mcp.all_projects in the user's own settings.
func (w *mcpWorld) allow(all bool) {
	w.Helper()
	config := filepath.Join(w.home, ".config", "aburn")
	if err := os.MkdirAll(config, 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "settings.json"), fmt.Appendf(nil, `{"mcp": {"all_projects": %v}}`, all), 0o600); err != nil {
		w.Fatal(err)
	}
}

// endSessions lets what the agents wrote be old, so that no session goes on.
func (w *mcpWorld) endSessions() {
	w.Helper()
	old := time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(w.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *mcpWorld) env(name string) string { return w.vars[name] }

// run runs a command as a person on a pipe does.
func (w *mcpWorld) run(args ...string) (stdout, stderr string, code int) {
	w.Helper()
	var out, errs bytes.Buffer
	a := &kit.App{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: w.env}
	code = run(w.Context(), a, append([]string{"aburn", "-C", w.dir}, args...))
	return out.String(), errs.String(), code
}

func (w *mcpWorld) must(args ...string) string {
	w.Helper()
	out, errs, code := w.run(args...)
	if code != 0 {
		w.Fatalf("aburn %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// dial starts `aburn mcp` and is its client.
func (w *mcpWorld) dial() *mcp.ClientSession {
	w.Helper()
	session, end := w.open()
	w.Cleanup(end)
	return session
}

// open is dial for somebody who ends it.
func (w *mcpWorld) open(flags ...string) (session *mcp.ClientSession, end func()) {
	w.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan int, 1)
	go func() {
		a := &kit.App{Stdin: fromClient, Stdout: toClient, Stderr: io.Discard, Getenv: w.env}
		served <- run(context.Background(), a, append([]string{"aburn", "-C", w.dir, "mcp"}, flags...))
		toClient.Close()
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"},
		&mcp.ClientOptions{ProgressNotificationHandler: w.progress}).Connect(w.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		w.Fatal(err)
	}
	return session, func() {
		session.Close()
		if code := <-served; code != 0 {
			w.Errorf("aburn mcp: exit %d", code)
		}
	}
}

// mcpAnswer is the structured content of an answer.
type mcpAnswer struct {
	Markdown string
	Notes    []string
	Answer   json.RawMessage
	Cut      []mcpserver.Cut
}

// ask calls a tool. The answer has to be what the tool's own schema says, and its text the same in both parts.
func (w *mcpWorld) ask(s *mcp.ClientSession, name string, arguments map[string]any, meta mcp.Meta) (*mcp.CallToolResult, mcpAnswer) {
	w.Helper()
	r, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments, Meta: meta})
	if err != nil {
		w.Fatal(err)
	}
	var a mcpAnswer
	if r.IsError {
		if r.StructuredContent != nil {
			w.Errorf("%s: an error with data", name)
		}
		return r, a
	}
	if err := outputSchema(w.T, s, name).Validate(r.StructuredContent); err != nil {
		w.Errorf("%s %v: %v", name, arguments, err)
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		w.Fatal(err)
	}
	if err := json.Unmarshal(data, &a); err != nil {
		w.Fatal(err)
	}
	if text := textOf(r); text != a.Markdown || utf8.RuneCountInString(text) > mcpserver.MaxMarkdown || len(a.Answer) > mcpserver.MaxData {
		w.Errorf("%s: %d characters, the same %v, %d bytes of data", name, utf8.RuneCountInString(text), text == a.Markdown, len(a.Answer))
	}
	return r, a
}

func textOf(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

func outputSchema(t *testing.T, s *mcp.ClientSession, name string) *jsonschema.Resolved {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name != name {
			continue
		}
		var schema jsonschema.Schema
		text, err := json.Marshal(tool.OutputSchema)
		if err == nil {
			err = json.Unmarshal(text, &schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		return resolved
	}
	t.Fatalf("no tool %s", name)
	return nil
}
