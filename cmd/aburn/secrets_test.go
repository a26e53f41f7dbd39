package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/fault"
	"aburn/internal/lab/world"
)

// storedSession is a session of Claude Code in a store, to which records are added as the client adds them.
type storedSession struct {
	t             *testing.T
	path, dir, id string
	n             int
	parent        string
}

func (s *storedSession) add(kind string, content any) {
	s.t.Helper()
	id := fmt.Sprintf("u%.4s-%04d", s.id, s.n)
	message := map[string]any{"role": kind, "content": content}
	if kind == "assistant" {
		message["id"], message["model"], message["stop_reason"] = "msg_"+id, "claude-opus-5-5", "tool_use"
	}
	record := map[string]any{
		"type": kind, "uuid": id, "parentUuid": s.parent, "isSidechain": false, "userType": "external", "cwd": s.dir, "version": "2.1.329",
		"sessionId": s.id, "timestamp": fmt.Sprintf("2025-11-20T10:%02d:%02d.000Z", s.n/60, s.n%60), "message": message,
	}
	s.n, s.parent = s.n+1, id
	line, err := json.Marshal(record)
	if err != nil {
		s.t.Fatal(err)
	}
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		s.t.Fatal(err)
	}
}

func (s *storedSession) prompt(text string) { s.add("user", text) }

// shell is a shell call that failed with the given text.
func (s *storedSession) shell(command, said string) {
	id := fmt.Sprintf("toolu_%.4s%d", s.id, s.n)
	s.add("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": command}}})
	s.add("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": true, "content": "Exit code 1\n" + said}})
}

func (x *exported) newSession() *storedSession {
	const id = "99990000-0000-4000-8000-000000000009"
	return &storedSession{t: x.T, path: filepath.Join(x.home, ".claude/projects/-home-user-shop", id+".jsonl"), dir: "/home/user/shop", id: id}
}

// shown is all that the archive has and shows of its sessions.
func (x *exported) shown() string {
	x.Helper()
	if out, errs, code := x.run("ingest", "--quiet"); code != fault.ExitOK {
		x.Fatal(out, errs)
	}
	var all strings.Builder
	for _, args := range [][]string{{"export", "--format", "jsonl"}, {"show", "99990000"}, {"show", "99990000", "--markdown"},
		{"show", "99990000", "--calls", "--all"}, {"show", "99990000", "--json"}} {
		out, errs, code := x.run(args...)
		if code != fault.ExitOK {
			x.Fatal(args, errs)
		}
		all.WriteString(out)
	}
	return all.String()
}

// Nothing that aburn writes holds the secrets of a store, in any of the forms; the near misses are readable.
func TestSecretsOfAStoreStayInIt(t *testing.T) {
	world.Slow(t)
	x := newExported(t)
	s := x.newSession()
	var secrets []string
	v := func() string { // another one each time, so that none is found only because it was found before
		secrets = append(secrets, fmt.Sprintf("hunter%cZ4mbler", 'a'+len(secrets)))
		return secrets[len(secrets)-1]
	}
	seed := "abandon ability able about above absent absorb abstract absurd abuse access" + " accident"
	s.prompt("my password is " + v() + ", use it")
	for _, c := range [][2]string{
		{"curl -b 'session=" + v() + "' https://x", "curl -b cookies.txt https://x"},
		{"wallet import --mnemonic '" + seed + "'", `wallet import --mnemonic "$MNEMONIC"`},
		{"echo db:5432:shop:app:" + v() + " >> ~/.pgpass", "docker run -p 127.0.0.1:5432:5432 postgres"},
		{"kubectl create secret generic db --from-literal=dsn=" + v(), "kubectl create configmap app --from-literal=mode=production7"},
		{"vault kv put secret/shop dsn=" + v(), "vault kv put secret/shop dsn=@dsn2.txt"},
		{"fly secrets set DSN=" + v(), "fly secrets list -a shop2"},
		{"gh secret set DSN -b " + v(), "gh variable set MODE -b production2"},
		{"openssl enc -aes-256-cbc -k " + v() + " -in a", "openssl enc -aes-256-cbc -kfile pw2.txt -in a"},
		{"ssh-keygen -t ed25519 -N " + v() + " -f id", "ssh-keygen -t ed25519 -C bob@host2 -f id"},
		{"7z a -p" + v() + " out.7z dist", "7z x out2.7z -oout2 -y"},
		{"sqlcmd -S db1 -U sa -P " + v(), "sqlcmd -S db1 -E -i migrate2.sql"},
		{"htpasswd -b .htpasswd bob " + v(), "htpasswd -c .htpasswd bob2"},
		{"ansible-vault encrypt_string '" + v() + "' --name db", "ansible-vault encrypt group_vars/all2.yml"},
		{"echo " + v() + " | sudo -S id", "echo hello2world | sudo tee /etc/x2"},
		{"echo " + v() + " | docker secret create dsn -", "cat dsn2.txt | docker secret create dsn2 -"},
	} {
		s.shell(c[0], "no")
		s.shell(c[1], "no")
		if near, _ := json.Marshal(c[1]); !strings.Contains(x.shown(), string(near[1:len(near)-1])) {
			t.Errorf("%s is not readable", c[1])
		}
	}
	x.checkKept(append(secrets, seed))
}

// checkKept fails if one of the secrets is in what is shown or in a file of aburn's.
func (x *exported) checkKept(secrets []string) {
	x.Helper()
	shown := x.shown()
	var files bytes.Buffer
	filepath.WalkDir(filepath.Join(x.home, ".local"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			files.Write(data)
		}
		return nil
	})
	for _, s := range secrets {
		if i := strings.Index(shown, s); i >= 0 {
			x.Errorf("%q is shown: %s", s, shown[max(0, i-100):i+len(s)])
		}
		if bytes.Contains(files.Bytes(), []byte(s)) {
			x.Errorf("%q is in a file", s)
		}
	}
}

// A value that one text of a session gives away is secret in the texts before and after it, also in what the client adds after the
// archive has read the session.
func TestValueIsSecretInTheWholeSession(t *testing.T) {
	world.Slow(t)
	x := newExported(t)
	s := x.newSession()
	v := "hunter" + "Z4mbler"
	s.prompt("deploy with " + v + " to build2024")
	x.shown()
	s.shell("export TOKEN="+v, v+" was refused")
	x.checkKept([]string{v})
	s.shell("echo retry", "still no luck with "+v+" on build2024")
	x.checkKept([]string{v})
	if shown := x.shown(); !strings.Contains(shown, "still no luck with [redacted:secret] on build2024") ||
		!strings.Contains(shown, "deploy with [redacted:secret] to build2024") {
		t.Error(shown)
	}
}
