package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/readers"
)

// TestReaders: there is a reader for each record of a store that is read, in the records' order, which is that of help and of answers.
func TestReaders(t *testing.T) {
	if got, want := strings.Join(readers.Sources(), ", "), agentcli.Names(agentcli.All()); got != want {
		t.Errorf("readers are %s; records are %s", got, want)
	}
}

// acmeReader reads the sessions of an agent that nobody has heard of: what one has to write for a new one.
type acmeReader struct{}

func (acmeReader) Name() string { return "acme" }

func (r acmeReader) Find(_ context.Context, in trace.Places, found func(trace.Store) error) error {
	paths := in.Paths
	if len(paths) == 0 {
		paths, _ = filepath.Glob(filepath.Join(in.Home, ".acme", "*.acme"))
	}
	for _, path := range paths {
		st, err := os.Stat(path)
		if err != nil || filepath.Ext(path) != ".acme" {
			continue
		}
		if err := found(trace.Store{Reader: r.Name(), Path: path, Layout: "acme", Size: st.Size(), ModTime: st.ModTime()}); err != nil {
			return err
		}
	}
	return nil
}

func (r acmeReader) Read(_ context.Context, s trace.Store, sink trace.Sink) error {
	t := session(strings.TrimSuffix(filepath.Base(s.Path), ".acme"), "root")
	t.Source, t.Agent.Name, t.Sources = r.Name(), r.Name(), []trace.File{{Path: s.Path}}
	t.Results[0].Source, t.Relationships[0].Source = r.Name(), r.Name()
	for i := range t.Events {
		t.Events[i].Ref = trace.Ref{Table: "turns", Key: fmt.Sprint(i + 1)}
	}
	if err := sink.Trace(t); err != nil {
		return err
	}
	sink.Done(trace.Cursor{}, false)
	return nil
}

// acmeRows finds the records of events again.
func acmeRows(_ context.Context, path string, refs []trace.Ref, each func(int, []byte, error)) error {
	for i, ref := range refs {
		each(i, fmt.Appendf(nil, `{"turn":%q,"call":"c1","of":%q}`, ref.Key, filepath.Base(path)), nil)
	}
	return nil
}

// TestNewReader adds a reader by one line of agentStores. It is then found, ingested, listed, chosen, shown and helped with.
func TestNewReader(t *testing.T) {
	world.Unshared(t)
	builtIn := readers.AgentStores
	defer func() { readers.AgentStores = builtIn }()
	readers.AgentStores = func() []readers.AgentStore {
		return append(builtIn(), readers.AgentStore{Reader: acmeReader{}, Rows: acmeRows})
	}
	home := t.TempDir()
	for _, name := range []string{"first", "second"} {
		path := filepath.Join(home, ".acme", name+".acme")
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte("made up\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := func(key string) string {
		return map[string]string{"HOME": home, "ABURN_HOME": filepath.Join(home, "archive")}[key]
	}
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		a := &kit.App{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: env}
		if code := run(context.Background(), a, append([]string{"aburn", "-C", home}, args...)); code != fault.ExitOK {
			t.Fatalf("%v: exit %d\n%s%s", args, code, out.String(), errs.String())
		}
		return out.String()
	}
	if out := run("ingest", "acme", "--json"); !strings.Contains(out, `"source":"acme"`) || !strings.Contains(out, `"new":2`) {
		t.Errorf("ingest: %s", out)
	}
	var list struct {
		Sessions []struct{ Source, Session string }
	}
	if err := json.Unmarshal([]byte(run("sessions", "--source", "acme", "--json")), &list); err != nil || len(list.Sessions) != 2 ||
		list.Sessions[0].Source != "acme" {
		t.Errorf("sessions: %v %+v", err, list)
	}
	for command, want := range map[string]string{
		"show acme/first":         "make",
		"show acme/first --raw 2": `{"turn":"2","call":"c1","of":"first.acme"}`,
		"report --source acme":    "acme",
		"sessions --help":         "gemini, qwen, copilot, pi, own, worker, acme",
	} {
		if out := strings.Join(strings.Fields(run(strings.Fields(command)...)), " "); !strings.Contains(out, want) {
			t.Errorf("%s does not say %q:\n%s", command, want, out)
		}
	}
}
