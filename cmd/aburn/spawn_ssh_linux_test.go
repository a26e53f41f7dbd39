package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/worker/manager"
	"aburn/worker/overview"
)

// farSite is a site whose person has another machine: sshd on loopback, with a home of its own.
type farSite struct {
	*site
	far  *site // a person who sits there
	dir  string
	port int
	sshd *exec.Cmd
}

const sshdPath = "/usr/sbin/sshd"

func newFarSite(t *testing.T, agent string) *farSite {
	t.Helper()
	for _, need := range []string{sshdPath, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(need); err != nil {
			if os.Getenv("ABURN_SSHD") == "must" {
				t.Fatal(err)
			}
			t.Skip("openssh-server is not installed: ", err)
		}
	}
	s := &farSite{site: newSite(t)}
	s.dir = filepath.Dir(s.home)
	farHome := filepath.Join(s.dir, "far")
	s.far = &site{TB: t, home: farHome, project: farHome, shims: filepath.Join(s.dir, "far-shims"), more: s.more}
	for _, d := range []string{farHome, s.far.shims, filepath.Join(s.dir, "ssh")} {
		s.must(os.MkdirAll(d, 0o700))
	}
	s.far.shim("claude", agent)
	s.shim("claude", "#!/bin/sh\necho not here >&2\nexit 3\n")
	key, hostKey := filepath.Join(s.dir, "ssh", "key"), filepath.Join(s.dir, "ssh", "host")
	for _, k := range []string{key, hostKey} {
		s.ok("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", k)
	}
	public, err := os.ReadFile(key + ".pub")
	s.must(err)
	s.must(os.WriteFile(filepath.Join(s.dir, "ssh", "authorized"), public, 0o600))
	s.port = quietPort(t)
	s.must(os.WriteFile(filepath.Join(s.dir, "ssh", "sshd_config"), fmt.Appendf(nil, `ListenAddress 127.0.0.1:%d
HostKey %s
AuthorizedKeysFile %s
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
PermitRootLogin yes
MaxStartups 100
KexAlgorithms curve25519-sha256
SetEnv HOME=%s PATH=%s:%s TESTSCRIPT_COVER_DIR= GORACE=%s
`, s.port, hostKey, filepath.Join(s.dir, "ssh", "authorized"), farHome, s.far.shims, os.Getenv("PATH"), noRaceSleep), 0o600))
	config := filepath.Join(s.dir, "ssh", "config")
	s.must(os.WriteFile(config,
		fmt.Appendf(nil,
			"Host box\n HostName 127.0.0.1\n Port %d\n IdentityFile %s\n IdentitiesOnly yes\n StrictHostKeyChecking no\n UserKnownHostsFile %s\n LogLevel ERROR\n",
			s.port, key, filepath.Join(s.dir, "ssh", "known")), 0o600))
	real, err := exec.LookPath("ssh")
	s.must(err)
	s.shim("ssh", "#!/bin/sh\nexec "+real+" -F "+config+" \"$@\"\n")
	s.must(os.MkdirAll(filepath.Join(s.home, ".config", "aburn"), 0o700))
	s.must(os.WriteFile(filepath.Join(s.home, ".config", "aburn", "workers.yaml"), []byte("ssh: [box]\n"), 0o600))
	s.listen()
	t.Cleanup(func() {
		s.silent()
		for _, w := range s.there() {
			s.far.command("aburn", "-C", s.repository(), "kill", w.Worker).Run()
		}
	})
	return s
}

// quietPort is a free port that the system gives to nobody by itself: between two sshds of a machine, no connection takes it.
func quietPort(t *testing.T) int {
	for range 100 {
		port := 12_000 + rand.IntN(18_000)
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// listen starts the machine's sshd.
func (s *farSite) listen() {
	s.Helper()
	os.MkdirAll("/run/sshd", 0o755) // a root's sshd wants it
	s.sshd = exec.Command(sshdPath, "-D", "-e", "-f", filepath.Join(s.dir, "ssh", "sshd_config"))
	s.must(s.sshd.Start())
	s.until("sshd listens", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(s.port))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// silent takes the machine off the net.
func (s *farSite) silent() {
	if s.sshd != nil {
		s.sshd.Process.Kill()
		s.sshd.Wait()
		s.sshd = nil
	}
}

// repository is that of the project on the other machine; "" before the first spawn.
func (s *farSite) repository() string {
	found, _ := filepath.Glob(filepath.Join(s.far.home, ".local/state/aburn/far/*"))
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// there are the workers that the other machine knows.
func (s *farSite) there() (list []overview.WorkerReport) {
	dir := s.repository()
	if dir == "" {
		return nil
	}
	out, _ := s.far.command("aburn", "-C", dir, "ps", "--all", "--json").Output()
	json.Unmarshal(out, &list)
	return list
}

// A worker on another machine: it has the task and the base, is seen, sent messages, ended and goes on; its work is brought here,
// and only then its tree goes.
func TestWorkerOnAnotherMachine(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newFarSite(t, "#!/bin/sh\nexec screen-agent \"$@\"\n")
	s.must(os.WriteFile(filepath.Join(s.project, "cart.txt"), []byte("cart\n"), 0o600))
	s.ok("git", "add", "cart.txt")
	s.ok("git", "commit", "-q", "-m", "cart")
	if out, err := s.command("aburn", "spawn", "--runtime", "ssh:other", "x").CombinedOutput(); err == nil ||
		!strings.Contains(string(out), `workers.yaml does not name "other"`) {
		t.Errorf("%v: %s", err, out)
	}
	if out := s.ok("aburn", "spawn", "--runtime", "ssh:box", "--name", "w", "begin"); !strings.Contains(out, "claude · ssh:box · aburn/w from main") ||
		!strings.Contains(out, "has the task") {
		t.Error(out)
	}
	s.untilIs("idle", inState("idle"))
	w := s.workers()[0]
	if w.Via != "ssh:box" || !strings.HasPrefix(w.Tree, s.far.home) || fileExists(filepath.Join(s.home, ".local/state/aburn/trees")) {
		t.Errorf("%+v", w)
	}
	if sent, code := s.send("--wait", longWait.String(), "w", "use port 8081"); sent.State != manager.Accepted || code != 0 {
		t.Errorf("%+v, exit %d", sent, code)
	}
	s.until("it was told", func() bool { return count(s.far.told(), "] use port 8081") == 1 })
	// What it made is seen from here, committed or not.
	s.must(os.WriteFile(filepath.Join(w.Tree, "made.txt"), []byte("made\n"), 0o600))
	s.ok("git", "-C", w.Tree, "add", "made.txt")
	s.ok("git", "-C", w.Tree, "-c", "user.name=w", "-c", "user.email=w@example.com", "commit", "-q", "-m", "made")
	s.must(os.WriteFile(filepath.Join(w.Tree, "cart.txt"), []byte("basket\n"), 0o600))
	if diff := s.ok("aburn", "diff", "w"); !strings.Contains(diff, "+made") || !strings.Contains(diff, "+basket") {
		t.Error(diff)
	}
	if out, err := s.command("aburn", "cleanup", "w").CombinedOutput(); err == nil || !strings.Contains(string(out), "it has not ended") {
		t.Errorf("%v: %s", err, out)
	}
	if out := s.ok("aburn", "kill", "w"); !strings.Contains(out, "w  killed") {
		t.Error(out)
	}
	s.far.noProcess()
	if out := s.ok("aburn", "resume", "w"); !strings.Contains(out, "w  resumed · claude · ssh:box") {
		t.Error(out)
	}
	s.untilIs("not ended", func(w overview.WorkerReport) bool { return w.State != "terminated" })
	s.ok("aburn", "kill", "w")
	s.ok("aburn", "merge", "w")
	if !fileExists(filepath.Join(s.project, "made.txt")) {
		t.Error("the merge brought nothing")
	}
	// A tree with changes stays, unless a snapshot keeps them. The snapshot is here before the tree goes.
	if out, err := s.command("aburn", "cleanup", "w").CombinedOutput(); err == nil || !strings.Contains(string(out), "changed: cart.txt") {
		t.Errorf("%v: %s", err, out)
	}
	s.ok("aburn", "cleanup", "--force-preserve", "w")
	if fileExists(w.Tree) {
		t.Error("its tree is still there")
	}
	s.silent()
	n := len(s.list("snapshots", "w"))
	s.ok("aburn", "snapshots", "w", "--restore", strconv.Itoa(n), "--into", filepath.Join(s.dir, "back"))
	if text, err := os.ReadFile(filepath.Join(s.dir, "back", "cart.txt")); err != nil || string(text) != "basket\n" {
		t.Errorf("%q %v", text, err)
	}
	if w := s.workers()[0]; !w.Removed || w.Reason != "manually_killed" {
		t.Errorf("%+v", w)
	}
	s.far.noProcess()
}

// list is what a command prints as a JSON list.
func (s *site) list(args ...string) (list []json.RawMessage) {
	s.Helper()
	s.must(json.Unmarshal([]byte(s.ok("aburn", append(args, "--json")...)), &list))
	return list
}

// A line that is lost is unknown, and never dead. What happened meanwhile is learned afterwards, a real end too.
func TestLostLine(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newFarSite(t, scripted)
	s.far.shim("claude", strings.Replace(scripted, `eval "$DO"`, "setsid sleep 600 & while [ ! -e $HOME/go ]; do sleep 0.1; done", 1))
	s.ok("aburn", "spawn", "--runtime", "ssh:box", "--name", "w", "task")
	s.untilIs("working", inState("working"))
	s.silent()
	for range 4 {
		w := s.workers()[0]
		if w.State == "terminated" || !strings.Contains(strings.Join(w.Flags, " "), "does not answer") {
			t.Fatalf("%+v", w)
		}
	}
	for _, args := range [][]string{{"kill", "w"}, {"send", "--wait", "1s", "w", "text"}, {"interrupt", "w"}} {
		out, err := s.command("aburn", args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "no answer from box") {
			t.Errorf("%q: %v: %s", args, err, out)
		}
	}
	if out, err := s.command("aburn", "spawn", "--runtime", "ssh:box", "--name", "x", "task").CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "nothing was left behind") {
		t.Errorf("%v: %s", err, out)
	}
	s.listen()
	s.untilIs("working again", inState("working"))
	s.silent()
	s.must(os.WriteFile(filepath.Join(s.far.home, "go"), nil, 0o600))
	s.far.noProcess()
	if w := s.workers()[0]; w.State == "terminated" {
		t.Errorf("nobody could see that: %+v", w)
	}
	s.listen()
	s.untilIs("ended", func(w overview.WorkerReport) bool { return w.State == "terminated" && w.Exit != nil && *w.Exit == 0 })
	if n := len(s.workers()); n != 1 {
		t.Errorf("%d workers", n)
	}
}
