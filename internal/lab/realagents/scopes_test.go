//go:build agents

package realagents

import (
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// TestScopes: hooks in the project's settings, by bare name, and in the user's local ones record like those of the user.
func TestScopes(t *testing.T) {
	for _, args := range [][]string{{"--project"}, {"--local", "--agent", "claude"}} {
		t.Run(strings.TrimPrefix(args[0], "--"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "hooked", twoAgents(), nil)
			w.codexConfig("danger-full-access", w.project) // a project's hooks need a trusted project
			w.install(args...)
			w.claude("do the thing", free(sessionA)...)
			want := "toolu_claude_0_0 TOOL_FAILED 3"
			transcript := w.claudeCalls()
			if args[0] == "--project" {
				w.codexExec(w.project, "do the thing")
				want += "\n call_codex_0_0 TOOL_FAILED 5"
				transcript = append(transcript, w.codexCalls()...)
			}
			calls := loggedCalls(t, w.entries(w.project))
			expect(t, calls, want)
			agree(t, calls, transcript)
		})
	}
}

// TestDoctorBelievesSessions: doctor compares the agents' own session files with the log. Project hooks are not read when Claude
// Code is started in a sub-folder; doctor sees that such a session has left nothing, and says why.
func TestDoctorBelievesSessions(t *testing.T) {
	t.Parallel()
	script := one(model.Calls(bash("echo hi")), model.Text("done"), model.Calls(bash("echo hi")), model.Text("done"))
	w := newWorld(t, "hooked", script(), map[string]string{"sub/file.txt": "x\n"})
	w.install("--project", "--agent", "claude")
	w.claude("do the thing", free(sessionA)...)
	if r := w.run(w.project, "aburn", "doctor"); r.code != 0 || strings.Contains(r.stdout, "do not fire") {
		t.Errorf("after a recorded session: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	w.startClaude(filepath.Join(w.project, "sub"), "do the thing", free(sessionB)...).wait()
	r := w.run(filepath.Join(w.project, "sub"), "aburn", "doctor")
	if r.code != 1 || !strings.Contains(r.stdout, "do not fire here") || !strings.Contains(r.stdout, "sub") {
		t.Errorf("after a session in a sub-folder: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if entries := inSession(w.entries(w.project), sessionB); len(entries) != 0 {
		t.Errorf("the case proves nothing: %d entries", len(entries))
	}
}
