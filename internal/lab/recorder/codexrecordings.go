//go:build agents

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
)

func codexRecordings() []recording {
	h := codex
	spawn := model.Call{Namespace: "collaboration", Name: "spawn_agent",
		Input: encode(map[string]any{"task_name": "tester", "message": "write the test", "fork_turns": "none"})}
	wait := model.Call{Namespace: "collaboration", Name: "wait_agent", Input: encode(map[string]any{"timeout_ms": 10000})}
	escalated := func(cmd string) model.Call {
		return tool("exec_command", map[string]any{"cmd": cmd, "sandbox_permissions": "require_escalated", "justification": "because"})
	}
	return []recording{
		{name: "codex-tdd", script: script(h.tdd(), says("The stack works.")), play: func(s *studio) { s.codexExec("build the stack") }},
		{name: "codex-chain", script: script(
			each(h.log("plan START"), h.read("README.md"), h.write("docs/plan.md", "# Plan\n"),
				h.log(`plan COMPLETE --summary "two slices" --output docs/plan.md --next build`)), says("Two slices."),
			h.tdd(), says("It works."),
		), play: func(s *studio) {
			s.codexExec("plan a stack")
			s.codexExec("build it", "resume", s.thread())
		}},
		{name: "codex-failing", script: script(
			h.firstSlice(), h.red("pop_test.go", popTest, "Pop does not exist"),
			each(h.log("build PHASE_START --phase GREEN"), h.write("pop.go", strings.Replace(pop, "return n", "return n + 1", 1)), h.test(),
				h.sh("ls missing"), h.sh("cat nothing.go"), h.sh("go vet ./nowhere"), h.sh("go build ./nowhere"), h.sh("git checkout nowhere"), h.sh("exit 3"),
				h.sh("go run ./nowhere"),
				h.log(`build FAILED --error "Pop answers the wrong number"`)), says("It does not work."),
		), play: func(s *studio) { s.codexExec("build the stack") }},
		{name: "codex-loop", script: script(
			each(h.log("build START"), h.log("build PHASE_START --phase RED"), h.write("push_test.go", pushTest), h.test()),
			slices.Repeat(each(h.sh("cat README.md")), 9), slices.Repeat(each(h.sh("ls"), h.test()), 6),
			each(h.log(`build PHASE_COMPLETE --phase RED --metric tests_failing=1`), h.log("build PHASE_START --phase GREEN"), h.write("stack.go", push), h.test(),
				h.log("build PHASE_COMPLETE --phase GREEN"),
				h.log(`build MILESTONE --summary "Push"`), h.log(`build COMPLETE --output stack.go`)), says("At last."),
		), play: func(s *studio) { s.codexExec("build push") }},
		{name: "codex-agents", codex: "gpt-6-sol", script: model.Script{
			{Name: "tester", When: model.HeaderContains("X-Codex-Turn-Metadata", `/tester"`),
				Turns: slices.Concat(js("cat README.md"), js("aburn log test-writer START --agent-type test-writer"), js("exit 2"),
					js("aburn log test-writer COMPLETE --agent-type test-writer"), says("one test"))},
			session(js("aburn log build START"), js("aburn log build PHASE_START --phase RED"), each(spawn), each(wait), js("go test ./..."),
				js("aburn log build PHASE_COMPLETE --phase RED --metric tests_failing=1"), says("All done.")),
		}, play: func(s *studio) { s.codexExec("build the stack") }},
		{name: "codex-talk", script: script(
			each(h.sh("ls"), h.read("README.md"), h.sh("grep Missing README.md"), h.write("notes.md", "# Notes\n")), says("Written."),
			each(h.sh("git status --short"), h.test()), says("One new file."),
		), play: func(s *studio) {
			s.codexExec("what is here?")
			s.codexExec("status", "resume", s.thread())
		}},
		{name: "codex-permissions", script: append(model.Script{{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true,
			Turns: says("a title")}}, script(
			each(h.sh("ls"), escalated("aburn log plan START; echo granted")), says("first answer"),
			each(escalated("touch refused.tmp")), says("second answer"))...),
			play: func(s *studio) {
				s.write(filepath.Join(s.home, ".codex", "config.toml"), agents.CodexConfig(s.model.URL(), s.codex, "read-only", "on-request", s.project))
				t := s.screen("codex", "--no-daemon", "--dangerously-bypass-hook-trust")
				defer t.close()
				t.see("›")
				t.say("first")
				t.see("Would you like to")
				t.insist("y", t.shows("first answer"))
				t.insist("C-u", func() bool { return !t.shows("Would you like to")() })
				t.say("second")
				t.see("Would you like to")
				t.insist("Escape", func() bool { return !t.shows("Would you like to")() })
				t.say("/quit")
				t.gone()
			}},
		{name: "both-agents", script: model.Script{
			{Name: "codex", When: model.Speaks(model.Responses), Turns: slices.Concat(each(h.log("plan START"), h.read("README.md"), h.sh("sleep 1"),
				h.write("docs/plan.md", "# Plan\n"), h.log(`plan COMPLETE --output docs/plan.md`)), says("Planned."))},
			session(each(claude.log("build START"), claude.log("build PHASE_START --phase RED"), claude.write("push_test.go", pushTest), claude.test(),
				claude.log(`build PHASE_COMPLETE --phase RED --metric tests_failing=1`),
				claude.log("build PHASE_START --phase GREEN"), claude.write("stack.go", push), claude.test(), claude.log("build PHASE_COMPLETE --phase GREEN"),
				claude.log(`build MILESTONE --summary "Push"`), claude.log(`build COMPLETE --output stack.go`)), says("Built.")),
		}, play: func(s *studio) {
			p, q := s.startCodex("plan the next thing"), s.startClaude("/build push")
			s.wait(p)
			s.wait(q)
		}},
	}
}

// codexEnds are sessions that do not end by themselves.
func codexEnds() []recording {
	h := codex
	begun := slices.Concat(h.firstSlice(), h.red("pop_test.go", popTest, "Pop does not exist"),
		each(h.log("build PHASE_START --phase GREEN"), h.write("pop.go", pop), h.sh(waits)))
	broken := model.Turn{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted failure"}}
	return []recording{
		{name: "codex-killed", script: script(begun), play: func(s *studio) {
			p := s.startCodex("build the stack")
			s.waiting()
			if s.err == nil {
				syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
			}
			s.wait(p)
		}},
		{name: "codex-interrupted", script: script(begun), play: func(s *studio) {
			p := s.startCodex("build the stack")
			s.waiting()
			if s.err == nil {
				syscall.Kill(p.Process.Pid, syscall.SIGINT) // as Ctrl-C reaches it
			}
			s.wait(p)
		}},
		{name: "codex-error", script: script(h.firstSlice(), model.Times(6, broken)), play: func(s *studio) { s.codexExec("build the stack") }},
	}
}

// js runs a command from Codex's JavaScript tool, from which the newer models call all others.
func js(command string) []model.Turn {
	return each(model.Call{Name: "exec", Freeform: true, Input: `text((await tools.exec_command({cmd:` + "`" + command + "`" + `})).output)`})
}
