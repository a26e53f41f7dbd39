//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/cmd/aburn-push/internal/commands"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/lab/synth/home"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/gemini"
)

// TestMain makes this test binary aburn-push, so that scripts and kills run real processes.
func TestMain(m *testing.M) {
	if zone, err := time.LoadLocation("America/Los_Angeles"); err == nil {
		time.Local = zone // days of UTC and local days differ
	}
	testscript.Main(&suite{m}, map[string]func(){"aburn-push": main, "cut-off": cutOff})
}

// suite stops the server after the last test.
type suite struct{ *testing.M }

func (s *suite) Run() int {
	defer theServer.stop()
	return s.M.Run()
}

// machine is one archive, with a home of its own.
type machine struct {
	*testing.T
	home string
	// invented is where the home and its truth are that the archive was made from.
	invented string
	names    []string // DIR=NAME
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	return &machine{T: t, home: t.TempDir()}
}

func (m *machine) env(key string) string {
	switch key {
	case "HOME":
		return m.home
	case "ABURN_HOME":
		return m.archive()
	}
	return ""
}

func (m *machine) archive() string { return filepath.Join(m.home, "archive") }

// fill makes an archive of an invented home, of so many times 100 KB, in the place of what was there. Its machine stays the same.
func (m *machine) fill(seed uint64, size int64) {
	m.Helper()
	m.invented = filepath.Join(m.home, fmt.Sprint("invented", seed))
	if _, err := home.Make(m.invented, home.Options{Size: size * 100_000, Seed: seed, Brief: true}); err != nil {
		m.Fatal(err)
	}
	for _, name := range []string{archive.Name, archive.Name + "-wal", archive.Name + "-shm"} {
		os.Remove(filepath.Join(m.archive(), name))
	}
	m.ingest(filepath.Join(m.invented, "home"))
	m.names = nil
	for i, key := range m.projects() {
		m.names = append(m.names, fmt.Sprintf("%s=project %d", key, i%3))
	}
}

// copy makes the archive of another machine this one's. The machines stay two.
func (m *machine) copy(from *machine) {
	m.Helper()
	files, err := filepath.Glob(filepath.Join(from.archive(), archive.Name+"*"))
	if err == nil {
		err = os.Mkdir(m.archive(), 0o700)
	}
	for _, name := range files {
		var data []byte
		if data, err = os.ReadFile(name); err == nil {
			err = os.WriteFile(filepath.Join(m.archive(), filepath.Base(name)), data, 0o600)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		m.Fatal(err)
	}
	m.names = from.names
}

// ingest reads a home's sessions into the archive.
func (m *machine) ingest(at string) {
	m.Helper()
	arch, err := archive.Open(m.Context(), m.archive())
	if err != nil {
		m.Fatal(err)
	}
	defer arch.Close()
	env := func(key string) string { return map[string]string{"HOME": at}[key] }
	_, err = ingest.Run(m.Context(), ingest.Options{Archive: arch, Readers: []trace.Reader{claude.New(), codex.New(), gemini.New()},
		Places: trace.Places{Home: at, Getenv: env}})
	if err != nil {
		m.Fatal(err)
	}
}

// projects are the keys of the archive's projects, in order.
func (m *machine) projects() (keys []string) {
	m.Helper()
	arch, err := archive.View(m.Context(), m.archive())
	if err != nil {
		m.Fatal(err)
	}
	defer arch.Close()
	all, err := arch.Projects()
	if err != nil {
		m.Fatal(err)
	}
	seen := map[string]bool{}
	for _, key := range all {
		if key != "" && !seen[key] {
			keys = append(keys, key)
		}
		seen[key] = true
	}
	return keys
}

// args are the flags that name the machine's projects, before others.
func (m *machine) args(more ...string) (args []string) {
	for _, name := range m.names {
		args = append(args, "--project", name)
	}
	return append(args, more...)
}

// run runs the command in this process.
func (m *machine) run(args ...string) (out, errs string, code int) {
	var stdout, stderr bytes.Buffer
	a := &kit.App{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: m.env}
	code = commands.Run(m.Context(), a, append([]string{"aburn-push"}, args...))
	return stdout.String(), stderr.String(), code
}

// must runs a command that has to succeed.
func (m *machine) must(args ...string) string {
	m.Helper()
	out, errs, code := m.run(args...)
	if code != fault.ExitOK {
		m.Fatalf("%q: exit %d: %s%s", args, code, out, errs)
	}
	return out
}

// push sends the machine's rows.
func (m *machine) push(address string, more ...string) string {
	m.Helper()
	return m.must(append(m.args(more...), "--yes", address)...)
}

// process is a push of its own process.
func (m *machine) process(address string, more ...string) *exec.Cmd {
	cmd := exec.Command("aburn-push", append(m.args(more...), "--yes", address)...)
	cmd.Env = []string{"HOME=" + m.home, "ABURN_HOME=" + m.archive(), "TZ=America/Los_Angeles", "PATH=" + os.Getenv("PATH")}
	cmd.Dir = m.home
	return cmd
}

// json runs a command and decodes its answer.
func (m *machine) json(into any, args ...string) {
	m.Helper()
	if err := json.Unmarshal([]byte(m.must(args...)), into); err != nil {
		m.Fatal(err)
	}
}
