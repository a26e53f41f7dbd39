//go:build agents

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"aburn/internal/lab/testkit/model"
)

func recordings() []recording {
	return slices.Concat(claudeRecordings(), claudeEnds(), claudeScreens(), codexRecordings(), codexEnds())
}

func turn(prompts ...string) func(*studio) {
	return func(s *studio) {
		for _, p := range prompts {
			s.claude(p)
		}
	}
}

// agent is a call that starts a sub-agent of Claude Code.
func agent(task string, background bool) model.Call {
	return tool("Agent", map[string]any{"description": "a helper", "prompt": task, "subagent_type": "general-purpose", "run_in_background": background})
}

func helper(name, task string, turns ...[]model.Turn) *model.Conversation {
	return &model.Conversation{Name: name, When: model.FirstUserContains(task), Turns: slices.Concat(turns...)}
}

func session(turns ...[]model.Turn) *model.Conversation {
	return &model.Conversation{Name: "main", Turns: slices.Concat(turns...)}
}

func claudeRecordings() []recording {
	h := claude
	return []recording{
		{name: "claude-tdd", script: script(h.tdd(), says("The stack works.")), play: turn("/build the stack")},
		{name: "claude-chain", script: script(
			each(h.log("ideate START"), h.read("README.md"), h.write("docs/idea.md", "# Idea\n\nA stack.\n"),
				h.log(`ideate COMPLETE --summary "a stack" --output docs/idea.md --next plan`)), says("A stack."),
			each(h.log("plan START"), h.read("docs/idea.md"), h.write("docs/plan.md", "# Plan\n\n1. Push\n2. Pop\n"),
				h.log(`plan COMPLETE --summary "two slices" --output docs/plan.md --next build`)), says("Two slices."),
			h.tdd(), says("It works."),
			each(h.log("ship START"), h.test(), h.sh("git add -A"), h.sh("git -c user.name=user -c user.email=user@example.invalid commit -q -m stack"),
				h.log(`ship COMPLETE --summary "committed"`)), says("Shipped."),
		), play: turn("/ideate a stack", "/plan", "/build", "/ship")},
		{name: "claude-agents", script: model.Script{
			helper("tester", "TASK-TESTER", each(h.log("test-writer START --agent-type test-writer"), h.read("README.md"), h.write("push_test.go", pushTest), h.test(),
				h.log(`test-writer COMPLETE --agent-type test-writer --summary "one test" --output push_test.go`)), says("One test fails.")),
			helper("reviewer", "TASK-REVIEWER", each(h.read("stack.go"), h.sh("git log --oneline"), h.sh("git diff")), says("No findings.")),
			session(each(h.log("build START"), h.log("build PHASE_START --phase RED"), agent("TASK-TESTER write the test", false), h.test(),
				h.log(`build PHASE_COMPLETE --phase RED --summary "Push is missing" --metric tests_failing=1`),
				h.log("build PHASE_START --phase GREEN"), h.write("stack.go", push), h.test(), h.log(`build PHASE_COMPLETE --phase GREEN --summary "Push adds"`),
				h.log(`build MILESTONE --summary "slice 1 of 1: Push"`),
				agent("TASK-REVIEWER review it", true)), says("The reviewer is at work."),
				each(h.log(`build COMPLETE --summary "Push adds" --output stack.go --next ship`)), says("Done.")),
		}, play: turn("/build push")},
		{name: "claude-background", script: script(
			each(h.log("build START"), h.log("build PHASE_START --phase RED"), h.write("push_test.go", pushTest),
				tool("Bash", map[string]any{"command": "sleep 1; go test ./... > test.tmp 2>&1; echo done", "description": "later", "run_in_background": true}),
				h.read("README.md")),
			says("The tests run in the background."),
			each(h.sh("cat test.tmp"), h.test(), h.log(`build PHASE_COMPLETE --phase RED --summary "Push is missing" --metric tests_failing=1`),
				h.log("build PHASE_START --phase GREEN"), h.write("stack.go", push), h.test(), h.log(`build PHASE_COMPLETE --phase GREEN --summary "Push adds"`),
				h.log(`build MILESTONE --summary "Push"`),
				h.log(`build COMPLETE --summary "Push adds" --output stack.go`)), says("Done."), says("Noted."),
		), play: turn("/build push")},
		{name: "claude-failing", script: script(
			h.firstSlice(),
			h.red("pop_test.go", popTest, "Pop does not exist"),
			each(h.log("build PHASE_START --phase GREEN"),
				h.write("pop.go", strings.Replace(pop, "return n", "return n + 1", 1)), h.test(),
				h.write("pop.go", strings.Replace(pop, "return n", "return n + 2", 1)), h.test(),
				h.write("pop.go", strings.Replace(pop, "return n", "return -n", 1)), h.test(),
				h.sh("ls missing"), h.sh("cat nothing.go"), h.sh("go vet ./nowhere"), h.sh("go build ./nowhere"), h.sh("git checkout nowhere"),
				h.sh("grep -q Missing stack.go && exit 0 || exit 3"), h.sh("go run ./nowhere"),
				h.log(`build FAILED --phase GREEN --error "Pop answers the wrong number"`),
				h.log(`build FAILED --error "Pop answers the wrong number" --next plan`)),
			says("It does not work."),
		), play: turn("/build the stack")},
		{name: "claude-loop", script: script(
			each(h.log("build START"), h.log("build PHASE_START --phase RED"), h.write("push_test.go", pushTest), h.test()),
			slices.Repeat(each(h.sh("grep -rn Push README.md")), 9),
			slices.Repeat(each(h.read("doc.go"), h.test()), 6),
			each(h.log(`build PHASE_COMPLETE --phase RED --summary "one test fails" --metric tests_failing=1`), h.log("build PHASE_START --phase GREEN"),
				h.write("stack.go", push), h.test(),
				h.log(`build PHASE_COMPLETE --phase GREEN --summary "Push adds"`), h.log(`build MILESTONE --summary "Push"`),
				h.log(`build COMPLETE --summary "Push adds" --output stack.go`)), says("At last."),
		), play: turn("/build push")},
		{name: "claude-undeclared", script: script(
			each(h.read("README.md"), h.write("push_test.go", pushTest), h.test(), h.write("stack.go", push), h.test()), says("Built."),
			each(h.write("pop_test.go", popTest), h.write("pop.go", pop), h.test()), says("And Pop."),
			each(h.sh("git status --short"), h.test()), says("All is well."),
		), play: func(s *studio) {
			s.claude("/build push", "--session-id", sessionA)
			s.claude("and pop", "--resume", sessionA)
			s.claude("is all well?", "--resume", sessionA)
		}},
		{name: "claude-talk", script: script(
			each(h.read("README.md"), h.sh("git log --oneline"), h.sh("grep -rn Stack .")), says("It is empty."),
			each(h.write("notes.md", "# Notes\n"), edit("notes.md", "# Notes", "# Notes\n\nOne."), h.sh("wc -l notes.md")), says("Written."),
			each(h.sh("git status --short")), says("One new file."),
		), play: func(s *studio) {
			s.claude("what is here?", "--session-id", sessionA)
			s.claude("make notes", "--resume", sessionA)
			s.claude("status", "--resume", sessionA)
		}},
		{name: "claude-churn", script: script(
			each(h.log("build START"), h.log("build PHASE_START --phase RED"), h.write("push_test.go", pushTest), h.test(),
				h.log(`build PHASE_COMPLETE --phase RED --summary "Push is missing" --metric tests_failing=1`), h.log("build PHASE_START --phase GREEN")),
			slices.Repeat(each(h.write("stack.go", pushBad), h.sh("gofmt -l ."), h.write("stack.go", push), h.sh("go vet ./...")), 4),
			each(h.test(), h.log(`build PHASE_COMPLETE --phase GREEN --summary "Push adds"`), h.log(`build MILESTONE --summary "Push"`),
				h.log(`build COMPLETE --summary "Push adds" --output stack.go`)), says("Done."),
		), play: turn("/build push")},
	}
}

// Session ids, so that a session can be resumed.
const (
	sessionA = "aaaaaaaa-0000-4000-8000-00000000000a"
	sessionB = "bbbbbbbb-0000-4000-8000-00000000000b"
)

func claudeEnds() []recording {
	h := claude
	begun := slices.Concat(h.firstSlice(), h.red("pop_test.go", popTest, "Pop does not exist"),
		each(h.log("build PHASE_START --phase GREEN"), h.write("pop.go", pop), h.sh(waits)))
	limit := model.Turn{Failure: &model.Failure{Status: 429, Type: "rate_limit_error", Message: "slow down", Header: http.Header{"X-Should-Retry": {"false"}}}}
	kill := func(signal syscall.Signal) func(*studio) {
		return func(s *studio) {
			p := s.startClaude("/build the stack", "--session-id", sessionA)
			s.waiting()
			if s.err == nil {
				syscall.Kill(-p.Process.Pid, signal)
			}
			s.wait(p)
		}
	}
	finish := slices.Concat(each(h.test(), h.log(`build PHASE_COMPLETE --phase GREEN --summary "Pop takes the last"`),
		h.log(`build COMPLETE --summary "a stack" --output stack.go`)), says("Done."))
	return []recording{
		{name: "claude-killed", script: script(begun), play: kill(syscall.SIGKILL)},
		{name: "claude-hangup", script: script(begun), play: kill(syscall.SIGHUP)},
		{name: "claude-resumed", script: script(begun, finish), play: func(s *studio) {
			kill(syscall.SIGKILL)(s)
			os.Remove(filepath.Join(s.project, "wait.tmp"))
			s.claude("go on", "--resume", sessionA)
		}},
		{name: "claude-limit", script: script(h.firstSlice(), model.Times(8, limit)), play: turn("/build the stack")},
		{name: "claude-compacted", more: []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"}, script: model.Script{
			{Name: "summary", When: model.Contains("CRITICAL: Respond with TEXT ONLY"), Repeat: true, Turns: says("<summary>so far so good</summary>")},
			session(h.firstSlice(), []model.Turn{{Text: "One slice.", Usage: model.Usage{Input: 190000}}}, h.secondSlice(),
				each(h.log(`build COMPLETE --summary "a stack" --output stack.go --output pop.go`)), says("Done.")),
		}, play: func(s *studio) {
			s.claude("/build the stack", "--session-id", sessionA)
			s.claude("go on", "--resume", sessionA)
		}},
		{name: "claude-two", script: model.Script{{Name: "main", PerThread: true, Turns: slices.Concat(
			each(h.log("build START"), h.log("build PHASE_START --phase RED"), h.write("push_test.go", pushTest), h.test(),
				h.log(`build PHASE_COMPLETE --phase RED --metric tests_failing=1`),
				h.log("build PHASE_START --phase GREEN"), h.write("stack.go", push), h.sh("sleep 0.3"), h.test(), h.log("build PHASE_COMPLETE --phase GREEN"),
				h.log(`build MILESTONE --summary "Push"`), h.log(`build COMPLETE --output stack.go`)), says("Done."))}},
			play: func(s *studio) {
				p, q := s.startClaude("/build push", "--session-id", sessionA), s.startClaude("/build push too", "--session-id", sessionB)
				s.wait(p)
				s.wait(q)
			}},
	}
}

func claudeScreens() []recording {
	h := claude
	question := tool("AskUserQuestion", map[string]any{"questions": []map[string]any{{"question": "Which kind of stack?", "header": "Kind", "multiSelect": false,
		"options": []map[string]any{{"label": "Numbers", "description": "ints"}, {"label": "Texts", "description": "strings"}}}}})
	open := func(s *studio) *screen {
		t := s.screen("claude", "--session-id", sessionA, "--permission-mode", "default", "--allowedTools", "Bash(aburn log:*)", "Bash(aburn chain:*)",
			"Bash(go test:*)", "Write", "Edit")
		t.see("❯")
		return t
	}
	end := func(t *screen) {
		t.say("/exit")
		t.gone()
	}
	return []recording{
		{name: "claude-permissions", script: script(
			each(h.log("build START"), h.log("build PHASE_START --phase RED"), h.write("push_test.go", pushTest), h.test(), h.sh("touch granted.tmp")), says("Granted."),
			each(h.sh("touch refused.tmp")), each(h.log(`build PHASE_COMPLETE --phase RED --metric tests_failing=1`)), says("So be it."),
		), play: func(s *studio) {
			t := open(s)
			defer t.close()
			t.say("/build push")
			t.see("Do you want to")
			t.insist("Enter", t.shows("Granted."))
			t.say("now the other")
			t.see("Do you want to")
			t.insist("Escape", t.shows("Interrupted"))
			t.say("go on without")
			t.see("So be it.")
			end(t)
		}},
		{name: "claude-question", script: script(
			each(h.log("plan START"), h.read("README.md"), question, h.write("plan.md", "# Plan\n"),
				h.log(`plan COMPLETE --summary "numbers" --output plan.md --next build`)), says("Planned."),
		), play: func(s *studio) {
			t := open(s)
			defer t.close()
			t.say("/plan a stack")
			t.see("Which kind of stack?")
			t.insist("Enter", t.shows("Planned."))
			end(t)
		}},
		{name: "claude-interrupted", script: script(
			h.firstSlice(), each(h.log("build PHASE_START --phase RED"), h.write("pop_test.go", popTest), h.sh(waits)),
			each(h.test(), h.log(`build PHASE_COMPLETE --phase RED --metric tests_failing=1`)), says("Well then."),
		), play: func(s *studio) {
			t := open(s)
			defer t.close()
			t.say("/build the stack")
			t.see("Do you want to")
			t.insist("Enter", func() bool { return s.left("wait.tmp") })
			t.insist("Escape", t.shows("Interrupted"))
			t.say("do it without waiting")
			t.see("Well then.")
			end(t)
		}},
		{name: "claude-cleared", script: script(
			h.firstSlice(), says("One slice."), each(h.read("README.md"), h.sh("aburn log plan START"), h.write("plan.md", "# Plan\n"),
				h.sh(`aburn log plan COMPLETE --output plan.md --next build`)), says("A plan."),
		), play: func(s *studio) {
			t := open(s)
			defer t.close()
			t.say("/build the stack")
			t.see("One slice.")
			t.say("/clear")
			t.until("clear", func() bool { return !t.shows("One slice.")() })
			t.say("/plan more")
			t.see("A plan.")
			end(t)
		}},
	}
}

func (t *screen) until(what string, done func() bool) { t.s.until(what, done) }
