package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Each family of secrets that stands in a prompt or a command is kept out of the log, and the near miss beside it is readable there.
func TestSecretsStayOutOfTheLog(t *testing.T) {
	v := "hunter" + "Z4mbler"
	seed := "abandon ability able about above absent absorb abstract absurd abuse access" + " accident"
	for _, c := range []struct{ event, secret, text, nearMiss string }{
		{"UserPromptSubmit", v, "my password is " + v, "my password is longer than 72 bytes"},
		{"UserPromptSubmit", v, "the token is " + v + ", export TOKEN=" + v, "the token is refreshed by RefreshTokenV2"},
		{"UserPromptSubmit", seed, "the seed phrase is " + seed, "the mnemonic of the lines is every good boy does fine"},
		{"PreToolUse", v, "curl -b 'session=" + v + "' https://x", "curl -b cookies.txt https://x"},
		{"PreToolUse", seed, "wallet import --mnemonic '" + seed + "'", `wallet import --mnemonic "$MNEMONIC"`},
		{"PreToolUse", v, "echo db:5432:shop:app:" + v + " >> ~/.pgpass", "docker run -p 127.0.0.1:5432:5432 postgres"},
		{"PreToolUse", v, "kubectl create secret generic db --from-literal=dsn=" + v, "kubectl create configmap app --from-literal=mode=production7"},
		{"PreToolUse", v, "vault kv put secret/shop dsn=" + v, "vault kv put secret/shop dsn=@dsn2.txt"},
		{"PreToolUse", v, "fly secrets set DSN=" + v, "fly secrets list -a shop2"},
		{"PreToolUse", v, "gh secret set DSN -b " + v, "gh variable set MODE -b production2"},
		{"PreToolUse", v, "openssl enc -aes-256-cbc -k " + v + " -in a", "openssl enc -aes-256-cbc -kfile pw2.txt -in a"},
		{"PreToolUse", v, "ssh-keygen -t ed25519 -N " + v + " -f id", "ssh-keygen -t ed25519 -C bob@host2 -f id"},
		{"PreToolUse", v, "7z a -p" + v + " out.7z dist", "7z x out2.7z -oout2 -y"},
		{"PreToolUse", v, "sqlcmd -S db1 -U sa -P " + v, "sqlcmd -S db1 -E -i migrate2.sql"},
		{"PreToolUse", v, "htpasswd -b .htpasswd bob " + v, "htpasswd -c .htpasswd bob2"},
		{"PreToolUse", v, "ansible-vault encrypt_string '" + v + "' --name db", "ansible-vault encrypt group_vars/all2.yml"},
		{"PreToolUse", v, "echo " + v + " | sudo -S id", "echo hello2world | sudo tee /etc/x2"},
		{"PreToolUse", v, "echo " + v + " | docker secret create dsn -", "cat dsn2.txt | docker secret create dsn2 -"},
	} {
		w := newWorld(t)
		for i, text := range []string{c.text, c.nearMiss} {
			quoted, _ := json.Marshal(text)
			if c.event == "UserPromptSubmit" {
				w.send("claude", claudePayload(c.event, `"prompt":`+string(quoted)))
			} else {
				w.send("claude", claudePayload(c.event, `"tool_name":"Bash","tool_input":{"command":`+string(quoted)+`},"tool_use_id":"t`+strconv.Itoa(i)+`"`))
			}
		}
		log, err := os.ReadFile(filepath.Join(w.Project, ".oss", "workflow.log"))
		if err != nil {
			t.Fatal(err)
		}
		entries := w.entries()
		if strings.Contains(string(log), c.secret) || !strings.Contains(string(log), "[redacted:") {
			t.Errorf("%s: the log has\n%s", c.text, log)
		}
		if got := get(entries[len(entries)-1], "head").Str; got != c.nearMiss {
			t.Errorf("%s became %s", c.nearMiss, got)
		}
	}
}

// The id of a session or a sub-agent that has the look of a token is not in the log, and stays one id.
func TestIDsThatLookLikeTokens(t *testing.T) {
	session, agent := "gh"+"p_"+strings.Repeat("a1B2c3", 6), "gl"+"pat-"+strings.Repeat("x9Y8z7", 4)
	w := newWorld(t)
	send := func(event, members string) {
		w.send("claude", strings.Replace(claudePayload(event, members), `"session_id":"s1"`, `"session_id":"`+session+`"`, 1))
	}
	send("UserPromptSubmit", `"prompt":"go"`)
	send("SubagentStart", `"agent_id":"`+agent+`","agent_type":"Explore"`)
	send("PreToolUse", `"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1","agent_id":"`+agent+`"`)
	send("SubagentStop", `"agent_id":"`+agent+`","agent_type":"Explore","background_tasks":[{"id":"`+agent+`","description":"look"}]`)
	log, err := os.ReadFile(filepath.Join(w.Project, ".oss", "workflow.log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(log), session) || strings.Contains(string(log), agent) {
		t.Errorf("an id is in the log:\n%s", log)
	}
	entries := w.entries()
	if len(entries) != 4 {
		t.Fatalf("%d entries", len(entries))
	}
	for _, e := range entries[1:] {
		if e.Session != entries[0].Session || e.Agent == nil || e.Agent.ID != entries[1].Agent.ID || !strings.HasPrefix(e.Agent.ID, "sha256-") {
			t.Errorf("%s, %v: not the session %s and its agent", e.Session, e.Agent, entries[0].Session)
		}
	}
	if get(entries[3], "task").Str != "look" {
		t.Errorf("the agent's task is not found: %s", entries[3].Data)
	}
}

// The error of a call repeats what the call's command gave away, in an agent that tells it in one event.
func TestErrorRepeatsASecret(t *testing.T) {
	v := "hunter" + "Z4mbler"
	w := newWorld(t)
	w.send("claude", bash("PostToolUseFailure", "t1", "export TOKEN="+v+" && deploy", `"error":"Exit code 1\ninvalid credentials <`+v+`> on build2024"`))
	e := w.last()
	if got, want := get(e, "error").Str, "invalid credentials <[redacted:secret]> on build2024"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	if got, want := get(e, "head").Str, "export TOKEN=[redacted:secret] && deploy"; got != want {
		t.Errorf("head %q, want %q", got, want)
	}
}
