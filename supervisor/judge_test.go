package supervisor

import (
	"slices"
	"testing"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// The cases of one type say what is raised in all, in every session.
type verdict struct {
	name    string
	drawing string
	after   time.Duration
	observe string
	want    string
}

func judged(t *testing.T, cases []verdict) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var observe []string
			if c.observe != "" {
				observe = append(observe, c.observe)
			}
			st := live(t, c.drawing, c.after, observe...)
			if got := st.summary(); got != c.want {
				t.Errorf("told  %s\nwant  %s", got, c.want)
				for _, i := range st.open {
					t.Logf("open: %s %.3f %s", i.Type, i.Confidence, i.Says)
				}
			}
		})
	}
}

func TestLoop(t *testing.T) {
	judged(t, []verdict{
		{"one call", `@A PROMPT { Bash'make x'!2 }*6`, 0, "", "loop A!"},
		{"a call that succeeds", `@A PROMPT { Read'a.go' }*7`, 0, "", "loop A!"},
		{"two in turns", `@A PROMPT { Bash'make x'!2 Bash'make clean' }*6`, 0, "", "loop A!"},
		{"looking around between", `@A PROMPT Bash'make x'!2 Read'a' Bash'make x'!2 Grep'b' Bash'make x'!2 Read'c' Bash'make x'!2 Bash'cat d' Bash'make x'!2 Read'e' Bash'make x'!2`, 0, "", "loop A!"},
		{"a milestone", `@A PROMPT build> { build*'nearly' }*5`, 0, "", "loop A!"},
		{"a file, read again and again", `@A PROMPT { Read'a.go'#1 }*9`, 0, "", "loop A!"},
		{"of a sub-agent", `@A PROMPT Agent'x'<a (tester { tester~Bash'make x'!2 }*7 tester) ^a`, 0, "", "loop A!"},
		{"with an edit between", `@A PROMPT { Bash'make x'!2 Edit'a'=1 Bash'make x'!2 Edit'a'=2 Bash'make x'!2 Edit'a'=3 Bash'make x'!2 Edit'a'=4 Bash'make x'!2 Edit'a'=5 }*1`, 0, "", ""},
		{"other input behind the same head", `@A PROMPT Bash'x' Bash'x'#2 Bash'x'#3 Bash'x'#4 Bash'x'#5 Bash'x'#6 Bash'x'#7`, 0, "", ""},
		{"recorded twice", `@A PROMPT Bash'make x'!2 twice twice twice twice twice Edit'a'=1 Bash'make x'!2 twice twice twice`, 0, "", ""},
		{"a person asks for it", `@A { PROMPT Bash'git status' STOP }*9`, 0, "", ""},
		{"status between commits", `@A PROMPT Bash'git status' Bash'git add a' Bash'git status' Bash'git commit -m a' Bash'git status' Bash'git add b' Bash'git status' Bash'git commit -m b' Bash'git status' Bash'git push' Bash'git status'`, 0, "", ""},
		{"reading to and fro", `@A PROMPT Read'a' Read'b' Read'a' Read'c' Read'a' Read'd' Read'a' Read'e' Read'a' Read'f' Read'a'`, 0, "", ""},
		{"polling work in the background", `@A PROMPT Bash'make all'&b { BashOutput'b' }*12 PROMPT&b STOP`, 0, "", ""},
		{"polling with a wait", `@A PROMPT { Bash'sleep 60 && gh pr checks 12'!8 }*12`, 0, "", ""},
		{"a wait and a look in turns", `@A PROMPT { Bash'sleep 30' Bash'kubectl get pods' }*12`, 0, "", ""},
		{"looks at a pace", `@A PROMPT { +45s Bash'gh run view 7'!8 }*12`, 0, "", ""},
		{"a wait and a script that asks", `@A PROMPT { Bash'sleep 30' Bash'./health-check.sh'!1 }*12`, 0, "", ""},
		{"a slow act that fails each time", `@A PROMPT { +45s Bash'helm upgrade web .'!1 }*7`, 0, "", "loop A!"},
		{"a schedule asks", `@A PROMPT STOP { +10m PROMPT&'check the queue' Bash'curl -s http://x/health' STOP }*12 PROMPT`, 0, "", ""},
		{"pages of a list", `@A PROMPT { mcp__web__click'Next' mcp__web__snapshot'' }*9`, 0, "", ""},
		{"a tool that fails each time", `@A PROMPT { mcp__web__click'Next'! }*7`, 0, "", "loop A!"},
		{"a long test that fails each time", `@A PROMPT { Bash'go test ./...'(4m)!1 }*6`, 0, "", "loop A!"},
		{"a wait and a test that fails", `@A PROMPT { Bash'sleep 5' Bash'go test ./...'!1 }*9`, 0, "", "loop A"},
		{"each step of a bisection", `@A PROMPT { Bash'go test ./x'!1 Bash'git bisect bad' }*6`, 0, "", ""},
		{"each commit of a rebase", `@A PROMPT { Bash'git add -A && git rebase --continue'!1 }*6`, 0, "", ""},
		{"three in turns", `@A PROMPT { Bash'make x'!2 Bash'make clean' Bash'make y'!2 }*5`, 0, "", "loop A!"},
		{"a job that advances", `@A PROMPT Bash'curl -s http://x/job/42'@11 Bash'curl -s http://x/job/42'@22 Bash'curl -s http://x/job/42'@33
			Bash'curl -s http://x/job/42'@44 Bash'curl -s http://x/job/42'@55 Bash'curl -s http://x/job/42'@66 Bash'curl -s http://x/job/42'@77`, 0,
			"", ""},
		{"a deploy that gets on", `@A PROMPT Bash'./deploy'@1!1 Bash'./deploy'@2!1 Bash'./deploy'@3!1 Bash'./deploy'@4!1 Bash'./deploy'@5!1
			Bash'./deploy'@6!1`, 0, "", ""},
		{"answers that alternate", `@A PROMPT { Bash'make x'@a Bash'make x'@b }*6`, 0, "", ""},
		{"two in turns, and one gets on", `@A PROMPT Bash'make x'@1 Bash'make y' Bash'make x'@2 Bash'make y' Bash'make x'@3 Bash'make y'
			Bash'make x'@4 Bash'make y' Bash'make x'@5 Bash'make y'`, 0, "", ""},
		{"what it looks at changes", `@A PROMPT Bash'make x'!2 Bash'cat log'@1 Bash'make x'!2 Bash'cat log'@2 Bash'make x'!2 Bash'cat log'@3
			Bash'make x'!2 Bash'cat log'@4 Bash'make x'!2 Bash'cat log'@5 Bash'make x'!2`, 0, "", ""},
		{"answers that nobody knows", `@A PROMPT { Bash'make x'!2@- }*9`, 0, "", "loop A"},
		{"quick polls of a service", `@A PROMPT { +2s Bash'curl -s http://x/job/42' }*10`, 0, "", ""},
		{"polls of a service without an end", `@A PROMPT { +2s Bash'curl -s http://x/job/42' }*19`, 0, "", "loop A!"},
		{"slow polls of a service without an end", `@A PROMPT { +50s Bash'curl -s http://x/job/42' }*19`, 0, "", "loop A!"},
		{"it works at last", `@A PROMPT { Bash'make x'!2 }*3 Bash'make x'`, 0, "", ""},
		{"the user asked for six", `@A PROMPT'run the benchmark six times' { Bash'make bench' }*6`, 0, "", ""},
		{"the user asked for six, and it goes on", `@A PROMPT'run the benchmark six times' { Bash'make bench' }*12`, 0, "", "loop A!"},
		{"the user asked until it fails", `@A PROMPT'run it until it fails' { Bash'make test' }*19`, 0, "", ""},
		{"looks at work in the background that has ended", `@A PROMPT Bash'make all'&b { Read'out.log' }*6 PROMPT&b Read'out.log' Read'out.log'
			Read'out.log' STOP`, 0, "", ""},
		{"in another session", `@A PROMPT { Bash'make x'!2 @B Bash'make x'!2 @A }*3 Edit'a'=1 @B Edit'b'=1`, 0, "", ""},
	})
}

// Advice is delivered at a prompt, so a prompt and a STOP alone clear nothing that
// could still be told.
func TestPromptsMendNothing(t *testing.T) {
	for trouble, kind := range map[string]Type{
		"{ Bash'make x'!2 }*6": limits.Loop, "build> { build*'nearly' }*5": limits.Loop,
		"Bash'a'!1 Bash'b'!1 Bash'c'!1 Bash'd'!1 Bash'e'!1 Bash'f'!1": limits.ToolFailureRun,
		"Edit'a'=1 Edit'a'=2 Edit'a'=1 Edit'a'=2 Edit'a'=1":           limits.EditChurn,
		"build> build:RED> { +4m Read'a' +4m Read'b' +4m Read'c' }*2": limits.PhaseStuck,
		"build> build:GREEN>": limits.OutOfOrder, "build> build:RED> Edit'a.go'=1": limits.TDDViolation, "build> build!": limits.ExplicitFailure,
		"Agent'x'<a (t t~Read'a' t)'failed' ^a": limits.AgentFailed,
	} {
		for _, end := range []string{"", " STOP", " STOP +10m PROMPT", " STOP PROMPT&'done'"} {
			st := live(t, "@A PROMPT "+trouble+end, 0)
			open := slices.ContainsFunc(st.open, func(i Issue) bool { return i.Type == kind })
			if key := string(kind) + " A"; !open || len(st.signs[key]) != 1 {
				t.Errorf("%s%s: %s open %v, signatures %v", trouble, end, kind, open, st.signs[key])
			}
		}
	}
}

func TestToolFailureRun(t *testing.T) {
	judged(t, []verdict{
		{"seven different", `@A PROMPT Bash'a'!1 Bash'b'!1 Bash'c'!127 Read'd'! Bash'e'!1 Bash'f'!1 Bash'g'!1`, 0, "", "tool_failure_run A!"},
		{"asking what there is", `@A PROMPT { Bash'command -v a'!1 Bash'command -v b'!1 Bash'which c'!1 Bash'git show-ref d'!1 }*3`, 0, "", ""},
		{"over a machine's prompt", `@A PROMPT Bash'a'!1 Bash'b'!1 Bash'c'!127 STOP PROMPT& Read'd'! Bash'e'!1 Bash'f'!1 Bash'g'!1`, 0, "", "tool_failure_run A!"},
		{"two in turns", `@A PROMPT { Bash'a'!1 Bash'b'!1 }*20`, 0, "", "loop A!"},
		{"a success between", `@A PROMPT Bash'a'!1 Bash'b'!1 Bash'c'!1 Bash'd' Bash'e'!1 Bash'f'!1 Bash'g'!1`, 0, "", ""},
		{"edits between", `@A PROMPT { Bash'go test -run A'!1 Edit'a'=1 Bash'go test -run B'!1 Edit'a'=2 Bash'go test -run C'!1 Edit'a'=3 Bash'go test -run D'!1 Edit'a'=4 Bash'go test -run E'!1 Edit'a'=5 }*1`, 0, "", ""},
		{"denied, interrupted and unknown", `@A PROMPT Bash'a'!no Bash'b'!no Bash'c'!int Bash'd'? Bash'e'!no Bash'f'!no Bash'g'!no Bash'h'!no`, 0, "", ""},
	})
}

func TestEditChurn(t *testing.T) {
	judged(t, []verdict{
		{"back and forth", `@A PROMPT Edit'a'=1 Edit'a'=2 Edit'a'=1 Edit'a'=2 Edit'a'=1`, 0, "", "edit_churn A!"},
		{"with tests between", `@A PROMPT { Edit'a'=1 Bash'go test ./...'!1 Edit'a'=2 Bash'go test ./...'!2 }*3`, 0, "", "edit_churn A!"},
		{"undone once", `@A PROMPT Edit'a'=1 Edit'a'=2 Edit'a'=1 Edit'a'=3`, 0, "", ""},
		{"several trials, each taken back", `@A PROMPT Edit'a'=1 Edit'a'=2 Edit'a'=1 Edit'a'=3 Edit'a'=1 Edit'a'=4 Edit'a'=1 Edit'a'=5`, 0, "", ""},
		{"two files", `@A PROMPT Edit'a'=1 Edit'b'=2 Edit'a'=2 Edit'b'=1 Edit'a'=3`, 0, "", ""},
		{"two sessions", `@A PROMPT Edit'a'=1 @B PROMPT Edit'a'=2 @A Edit'a'=1 @B Edit'a'=2 @A Edit'a'=1 @B Edit'a'=2`, 0, "", "overwritten B"},
	})
}

const minutes = time.Minute

func TestPhaseStuck(t *testing.T) {
	judged(t, []verdict{
		{"reading for ever", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test'!1 { +1m Read'a' Read'b' Grep'c' +1m Grep'd' Read'e' Read'f' }*11`, 0, "", "phase_stuck A!"},
		{"a sub-agent's phase", `@A PROMPT build> Agent'x'<x (coder coder~build:RED> { +2m coder~Read'a' +2m coder~Grep'b' +2m coder~Read'c' }*4`, 0, "", "phase_stuck A"},
		{"a sub-agent's long test run", `@A PROMPT build> Agent'x'<x (coder coder~build:RED> coder~Write'a_test.go'=1 coder~Bash'go test'(25m)!1 coder~Read'c' +1m coder~build:RED. coder) ^x`, 0, "", ""},
		{"changing files", `@A PROMPT build> build:RED> { +4m Edit'a_test.go'=1 +4m Edit'a_test.go'=2 +4m Edit'a_test.go'=3 +4m Edit'a_test.go'=4 Bash'go test'!1 }*1 build:RED.`, 0, "", ""},
		{"a long test run", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test'(25m)!1 build:RED.`, 0, "", ""},
		{"the user away", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test'!1 STOP +3h PROMPT build:RED. STOP`, 60 * minutes, "", ""},
		{"in the background", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test'!1 build:RED. build:GREEN> Bash'make'&b { +1m Read'a' Read'b' Grep'c' }*20`, 0, "", ""},
	})
}

// One timeout for all phases goes before what each has of its own.
func TestOneTimeoutForAllPhases(t *testing.T) {
	st := live(t, "@A PROMPT build> build:RED> { +4m Read'a' +4m Read'b' +4m Read'c' }*2", 0)
	in := st.input(0)
	for timeout, want := range map[time.Duration]bool{0: true, 10 * time.Hour: false, 2 * time.Minute: true} {
		in.Limits = limits.Default()
		in.Limits.PhaseStuckTimeout = timeout
		stuck := slices.ContainsFunc(Judge(st.state, in), func(i Issue) bool { return i.Type == limits.PhaseStuck })
		if stuck != want {
			t.Errorf("a timeout of %v: stuck is %v", timeout, stuck)
		}
	}
}

func TestOutOfOrder(t *testing.T) {
	judged(t, []verdict{
		{"no RED", `@A PROMPT build> build:GREEN> Edit'a'=1`, 0, "", "out_of_order A!"},
		{"no GREEN", `@A PROMPT build> build:RED> Edit'a_test.go'=1 Bash'go test'!1 build:RED. build:REFACTOR> Edit'a'=1`, 0, "", "out_of_order A!"},
		{"in a round long over", `@A PROMPT build> build:GREEN> Edit'a'=1 build:GREEN. build*'x' build:RED> Bash'go test'!1 build:RED. build:GREEN> Edit'a'=2 build:GREEN. build*'y' STOP`, 0, "", "out_of_order A!"},
		{"cycles", `@A PROMPT build> build:RED> Edit'a_test.go'=1 Bash'go test'!1 build:RED. build:GREEN> build:GREEN. build*'x' build:RED> Bash'go test'!1 build:RED. build:GREEN> build:GREEN. build:REFACTOR> build:REFACTOR. build*'y' build:RED>`, 0, "", ""},
		{"the next slice without RED", `@A PROMPT build> build:RED> Bash'go test'!1 build:RED. build:GREEN> Edit'a'=1 build:GREEN. build*'x' build:GREEN> Edit'a'=2`, 0, "", "out_of_order A"},
		{"one sub-agent after another", `@A PROMPT build> Agent'x'<x (tester tester~build:RED> tester~Write'a_test.go'=1 tester~Bash'go test'!1 tester~build:RED. tester) ^x build*'x' Agent'y'<y (coder coder~build:REFACTOR> coder~Edit'a.go'=1 coder~build:REFACTOR. coder) ^y`, 0, "", "out_of_order A!"},
		{"one after another, as it should be", `@A PROMPT build> Agent'x'<x (tester tester~build:RED> tester~Write'a_test.go'=1 tester~Bash'go test'!1 tester~build:RED. tester) ^x build*'x' Agent'y'<y (coder coder~build:GREEN> coder~Edit'a.go'=1 coder~build:GREEN. coder) ^y build:REFACTOR> build:REFACTOR. build*'y' Agent'z'<z (tester2 tester2~build:RED> tester2~Bash'go test'!1 tester2~build:RED. tester2) ^z`, 0, "", ""},
		{"side by side", `@A PROMPT build> Agent'x'<x Agent'y'<y (tester (coder tester~build:RED> coder~build:GREEN> tester~Bash'go test'!1 coder~Edit'a.go'=1 tester~build:RED. coder~build:GREEN. tester) coder) ^x ^y`, 0, "", ""},
		{"one works ahead of the other", `@A PROMPT build> (tester& tester~build:RED> tester~Bash'go test'!1 tester~build:RED. (coder& coder~build:GREEN> tester~build:RED> coder~Edit'a.go'=1 tester~Bash'go test'!1 tester~build:RED. tester) coder~build:GREEN. coder~build*'x' coder~build:GREEN> coder~Edit'a.go'=2`, 0, "", ""},
		{"one goes on, the other has done nothing", `@A PROMPT build> (tester& tester~build:RED> tester~Bash'go test'!1 tester~build:RED. tester) (coder& coder~build:GREEN> coder~Edit'a.go'=1 coder~build:GREEN. coder~build*'x' coder~build:GREEN> coder~Edit'a.go'=2`, 0, "", "out_of_order A"},
		{"taken up again", `@A PROMPT build> build:RED> Bash'go test'!1 build:RED. build:GREEN> Edit'a'=1 build:GREEN. build:GREEN> Edit'a'=2 build:GREEN. build*'x'`, 0, "", ""},
		{"before the log", `@A Read'a' build:GREEN> Edit'a'=1 build:GREEN.`, 0, "", ""},
	})
}

func TestGoingBackClears(t *testing.T) {
	st := live(t, `@A PROMPT build> build:GREEN> build:RED> Write'a_test.go'=1 Bash'go test'!1 build:RED. build:GREEN>`, 0)
	if st.summary() != "out_of_order A!" || len(st.open) != 0 {
		t.Errorf("told %s, open %v", st.summary(), st.open)
	}
	st = live(t, `@A PROMPT build> build:GREEN> build:GREEN. build*'x' build:RED> Bash'go test'!1 build:RED.`, 0)
	if len(st.open) != 1 {
		t.Errorf("the next round made up for the one before: %v", st.open)
	}
}

func TestTDDViolation(t *testing.T) {
	judged(t, []verdict{
		{"production code in RED", `@A PROMPT build> build:RED> Write'a_test.go'=1 Edit'a.go'=1 Bash'go test'!1 build:RED. build*'x' build:GREEN>`, 0, "", "tdd_violation A!"},
		{"by a sub-agent", `@A PROMPT build> build:RED> Agent'x'<a (coder coder~Edit'src/a.go'=1 coder) ^a Bash'go test'!1 build:RED. build*'x' build:GREEN>`, 0, "", "tdd_violation A!"},
		{"no test seen failing", `@A PROMPT build> build:RED> Write'a_test.go'=1 build:RED. build*'x' build:GREEN> Edit'a.go'=1`, 0, "", "tdd_violation A!"},
		{"the test passed", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test' build:RED. build*'x' build:GREEN>`, 0, "", "tdd_violation A!"},
		{"declared", `@A PROMPT build> build:RED> Write'a_test.go'=1 build:RED.{tests_failing=2} build*'x' build:GREEN> Edit'a.go'=1`, 0, "", ""},
		{"behind a pipe", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test ./... 2>&1 | tail -20' build:RED. build*'x' build:GREEN> Edit'a.go'=1`, 0, "", ""},
		{"tests, fixtures, docs", `@A PROMPT build> build:RED> Write'a_test.go'=1 Write'testdata/x.json'=1 Edit'README.md'=1 Bash'go test'!1 build:RED. build*'x' build:GREEN>`, 0, "", ""},
		{"tests in the same file", `@A PROMPT build> build:RED> Edit'src/lib.rs'=1 Bash'cargo test'!101 build:RED. build*'x' build:GREEN>`, 0, "", ""},
		{"of another session", `@A PROMPT build> build:RED> @B PROMPT Edit'a.go'=1 @A Write'a_test.go'=1 Bash'go test'!1 build:RED. build*'x' build:GREEN>`, 0, "", ""},
		{"no hooks", `@A build> build:RED> build:RED. build*'x' build:GREEN>`, 0, "", ""},
		{"an own runner", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'./verify.sh'!1 build:RED. build*'x' build:GREEN> Edit'a.go'=1`, 0, "", ""},
		{"a script of one's own", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'pnpm --filter x run unit'!1 build:RED. build*'x' build:GREEN> Edit'a.go'=1`, 0, "", ""},
		{"a script that ran before the test was written", `@A PROMPT build> build:RED> Bash'pnpm --filter x run unit'!1 Write'a_test.go'=1 build:RED. build*'x' build:GREEN> Edit'a.go'=1`, 0, "", "tdd_violation A"},
		{"a test that did not compile", `@A PROMPT build> build:RED> Write'a_test.c'=1 Bash'idf.py build'!1 build:RED. build*'x' build:GREEN> Edit'a.c'=1`, 0, "", ""},
		{"something else failed", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'npm install'!1 build:RED. build*'x' build:GREEN> Edit'a.go'=1`, 0, "", "tdd_violation A"},
		{"seen failing before it was logged", `@A PROMPT build> Write'a_test.go'=1 Bash'go test'!1 build:RED> build:RED. build*'x' build:GREEN> Edit'a.go'=1`, 0, "", ""},
	})
}

func TestFailures(t *testing.T) {
	judged(t, []verdict{
		{"failed", `@A PROMPT build> build! STOP`, 0, "", "explicit_failure A!"},
		{"in a phase", `@A PROMPT build> build:GREEN! build*'x'`, 0, "", ""},
		{"in a phase, and the turn ends", `@A PROMPT build> build:RED> build:RED! STOP`, 0, "", "explicit_failure A!"},
		{"in a phase, and work goes on elsewhere", `@A PROMPT build> build:RED> build:RED! { +50s Read'a' +50s Grep'b' }*4`, 0, "", "explicit_failure A!"},
		{"in a phase that is begun again", `@A PROMPT build> build:RED> build:RED! build:RED> Bash'go test'!1 STOP`, 0, "", ""},
		{"in a phase, the command is done", `@A PROMPT build> build:RED> Bash'go test'!1 build:RED. build:GREEN> Edit'a.go'=1 build:GREEN. build*'x' build:REFACTOR> build:REFACTOR! build. STOP`, 0, "", "unproved_done A"},
		{"in a phase, then the command's", `@A PROMPT build> build:RED> build:RED! build! STOP`, 0, "", "explicit_failure A!"},
		{"in a phase of a sub-agent", `@A PROMPT build> (tester& tester~build:RED> tester~build:RED! STOP`, 0, "", ""},
		{"in a phase, by a tool without sessions", `$build> $build:RED> $build:RED!`, 10 * minutes, "", "explicit_failure !"},
		{"in a phase that says what broke", `@A PROMPT build> build:RED> build:RED.'one test fails' build:GREEN> build:GREEN. build*'x' build:REFACTOR> build:REFACTOR!'the login tests had passed and fail now' STOP`, 0, "", "explicit_failure A!, regression A"},
		{"in a phase, of tests that never passed", `@A PROMPT build> build:RED> build:RED.'one test fails' build:GREEN> build:GREEN!'the login tests fail' STOP`, 0, "", "explicit_failure A!"},
		{"another completes it", `@A PROMPT build> build! STOP @B PROMPT build> build. STOP`, 0, "", "explicit_failure A!"},
		{"regression", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test'!1 build:RED. build*'x' build:GREEN> Edit'a.go'=1 Bash'go test' build:GREEN. build:REFACTOR> Edit'a.go'=2 Bash'go test'!1 Edit'a.go'=3 Bash'go test'!1 build! STOP`, 0, "", "explicit_failure A!, regression A!"},
		{"a new RED", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test'!1 build:RED. build*'x' build:GREEN> Edit'a.go'=1 Bash'go test' build:GREEN. build:RED> Write'b_test.go'=1 Bash'go test'!1 build! STOP`, 0, "", "explicit_failure A!"},
		{"mended", `@A PROMPT build> build:RED> Write'a_test.go'=1 Bash'go test'!1 build:RED. build*'x' build:GREEN> Edit'a.go'=1 Bash'go test' build:GREEN. build:REFACTOR> Edit'a.go'=2 Bash'go test'!1 Edit'a.go'=3 Bash'go test' build!'no time' STOP`, 0, "", "explicit_failure A!"},
		{"under another command", `@A PROMPT build> Edit'a_test.py'=1 Edit'a.py'=1 Bash'pytest' build*'x' Edit'a.py'=2 Bash'python -m pytest tests/test_a.py'!1 Edit'a.py'=3 Bash'python -m pytest tests/test_a.py'!1 build! STOP`, 0, "", "explicit_failure A!, regression A"},
		{"under another command, by a sub-agent", `@A PROMPT build> Edit'a.py'=1 Bash'npm test' build*'x' Agent'x'<x (coder coder~Edit'a.ts'=2 coder~Bash'npx jest a.test.ts'!1 coder) ^x build! STOP`, 0, "", "explicit_failure A!, regression A"},
		{"a new test fails under another command", `@A PROMPT build> Edit'a.py'=1 Bash'npm test' build*'x' Edit'b.test.ts'=1 Edit'b.ts'=1 Bash'npx jest b.test.ts'!1 build! STOP`, 0, "", "explicit_failure A!"},
		{"a build broke", `@A PROMPT build> Edit'a.ts'=1 Bash'npm run build' build*'x' Edit'a.ts'=2 Bash'npm run build'!2 build! STOP`, 0, "", "explicit_failure A!, regression A"},
		{"a build never worked", `@A PROMPT build> Edit'a.ts'=1 Bash'npm run build'!2 build*'x' Edit'a.ts'=2 Bash'npm run build'!2 build! STOP`, 0, "", "explicit_failure A!"},
		{"a sub-agent", `@A PROMPT build> Agent'x'<a (tester tester~Read'a' tester)'failed' ^a Read'b'`, 0, "", "agent_failed A!"},
		{"a sub-agent, by a notice about its call", `@A PROMPT (coder& Agent'x'&a STOP coder~Read'a' coder) PROMPT&a'failed' Read'b' STOP`, 0, "", "agent_failed A!"},
		{"a shell beside a sub-agent", `@A PROMPT (coder& Agent'x'&a Bash'serve'&s STOP coder~Read'a' coder) PROMPT&s'failed' Read'b' STOP PROMPT&a STOP`, 0, "", ""},
		{"a sub-agent that did it in the end", `@A PROMPT build> Agent'x'<a (tester tester~Read'a' tester)'completed' ^a Read'b'`, 0, "", ""},
	})
	st := live(t, `@A PROMPT build> build! STOP PROMPT build> build.`, 0)
	if len(st.open) != 0 || st.summary() != "explicit_failure A!" {
		t.Errorf("a later COMPLETE clears a FAILED: told %q, open %v", st.summary(), st.open)
	}
}

func TestChainBroken(t *testing.T) {
	judged(t, []verdict{
		{"jumped", `@A PROMPT ideate> ideate. build> Edit'a'=1`, 0, "", "chain_broken -!"},
		{"of an idea of last month", `@A PROMPT ideate> ideate. STOP +20h @B PROMPT STOP +20h PROMPT STOP +20h PROMPT STOP +20h PROMPT STOP +20h PROMPT STOP +20h PROMPT STOP +20h PROMPT STOP +20h PROMPT STOP +20h @C PROMPT build> Edit'a'=1 STOP`, 0, "", "chain_broken -"},
		{"failed", `@A PROMPT ideate> ideate. plan> plan! STOP PROMPT build> Edit'a'=1`, 0, "", "chain_broken -!, explicit_failure A!"},
		{"never finished", `@A PROMPT ideate> ideate. plan> Read'x' STOP PROMPT build> Edit'a'=1`, 0, "", "chain_broken -!"},
		{"the plan of the round before", `@A PROMPT ideate> ideate. plan> plan. build> build. ship> ship. STOP PROMPT ideate> ideate. STOP PROMPT build> Edit'a'=1`, 0, "", "chain_broken -!"},
		{"a second build and a second round", `@A PROMPT ideate> ideate. plan> plan. build> build. ship> ship. STOP PROMPT build> build. ship> ship. STOP PROMPT ideate> ideate. plan> plan. build> build. ship> ship.`, 0, "", ""},
		{"whole", `@A PROMPT ideate> ideate. plan> plan. build> build. ship> ship.`, 0, "", ""},
		{"begins in the middle", `@A PROMPT build> build. ship> ship.`, 0, "", ""},
		{"made up for", `@A PROMPT plan> plan! plan> plan. build> build.`, 0, "", "explicit_failure A!"},
		{"in another worktree", `@A PROMPT plan> plan. @B /feature PROMPT build> build.`, 0, "", ""},
		{"another session plans", `@A PROMPT plan> plan. build> build. @B PROMPT plan> Read'a' @A STOP PROMPT build> build. @B plan.`, 0, "", ""},
	})
}

func TestStillness(t *testing.T) {
	judged(t, []verdict{
		{"at work", `@A PROMPT build> Edit'a'=1`, 40 * minutes, "alive:A", "silence A"},
		{"a call is open", `@A PROMPT build> Bash'make'<b`, 90 * minutes, "", ""},
		{"in the background", `@A PROMPT build> Bash'make'&b Edit'a'=1`, 90 * minutes, "", ""},
		{"stopped", `@A PROMPT build> Edit'a'=1 STOP`, 90 * minutes, "", ""},
		{"no command", `@A PROMPT Edit'a'=1`, 90 * minutes, "", ""},
		{"the client says that it is idle", `@A PROMPT build> Edit'a'=1 NOTIFY'idle_prompt'`, 90 * minutes, "", ""},
		{"ended", `@A PROMPT build> Edit'a'=1 SESSION_END'logout'`, 90 * minutes, "", ""},
		{"permission", `@A PROMPT build> Write'a'<w PERMISSION`, 90 * minutes, "", "permission_wait A"},
		{"question", `@A PROMPT build> AskUserQuestion'which'<q`, 90 * minutes, "", "question_wait A"},
		{"permission given in silence", `@A PROMPT build> Bash'go test'<w PERMISSION +25m ^w build. STOP`, 0, "", ""},
		{"a build that was allowed", `@A PROMPT build> Bash'docker build .'<w PERMISSION +12m ^w build. STOP`, 0, "", ""},
		{"permission with a reminder", `@A PROMPT build> Bash'git push'<w PERMISSION +6s NOTIFY'permission_prompt'`, 20 * minutes, "", "permission_wait A"},
	})
}

func TestQuietAgents(t *testing.T) {
	judged(t, []verdict{
		{"silent", `@A PROMPT build> Agent'x'&a (tester& Read'a' STOP`, 60 * minutes, "", "agent_silence A"},
		{"abandoned", `@A PROMPT build> Agent'x'&a (tester& tester~Read'a' +2m Read'b' STOP`, 60 * minutes, "", "abandoned_agent A"},
		{"in a long call", `@A PROMPT build> Agent'x'&a (tester& tester~Bash'make'<m +2m Read'b' STOP`, 60 * minutes, "", ""},
		{"closed by the user", `@A PROMPT build> Agent'x'&a (tester& tester~Read'a' Read'b' STOP SESSION_END'prompt_input_exit'`, 60 * minutes, "", ""},
	})
}

func TestPace(t *testing.T) {
	slice := `build:RED> Write'a_test.go'=1 Bash'go test'!1 build:RED. build:GREEN> Edit'a.go'=1 Bash'go test' build:GREEN. `
	judged(t, []verdict{
		{"none", `@A PROMPT build> ` + slice + `build.`, 0, "", "missing_milestones A"},
		{"none in two rounds", `@A PROMPT build> ` + slice + slice, 0, "", "missing_milestones A"},
		{"at the end of each", `@A PROMPT build> ` + slice + `build*'a' ` + slice + `build*'b' build.`, 0, "", ""},
		{"only at the end of the first", `@A PROMPT build> ` + slice + `build*'a' ` + slice + slice, 0, "", "missing_milestones A"},
		{"the last one is said by COMPLETE", `@A PROMPT build> ` + slice + `build*'a' ` + slice + `build.`, 0, "", ""},
		{"the last one may still come", `@A PROMPT build> ` + slice + `build*'a' ` + slice + `STOP`, 0, "", ""},
		{"none is expected", `@A PROMPT plan> plan:X> plan:X. plan:Y> plan:Y. plan.`, 0, "", ""},
		{"slower and slower", `@A PROMPT build> build*'a' { +1m Read'x' +1m Read'y' +1m Grep'z' }*1 build*'b' { +1m Read'x' +1m Read'y' +1m Grep'z' }*2 build*'c' { +1m Read'x' +1m Read'y' +1m Grep'z' }*4 build*'d' { +1m Read'x' +1m Read'y' +1m Grep'z' }*8 build*'e'`, 0, "", "declining_velocity A"},
		{"slower in pairs", `@A PROMPT build> build*'a' { +20s Read'x' +20s Read'y' +20s Grep'z' }*1  build*'b' { +20s Read'x' +20s Read'y' +20s Grep'z' }*2  build*'c' { +20s Read'x' +20s Read'y' +20s Grep'z' }*2 +4s Read'v' build*'d' { +20s Read'x' +20s Read'y' +20s Grep'z' }*3  build*'e' { +20s Read'x' +20s Read'y' +20s Grep'z' }*3 +5s Read'v' build*'f' { +20s Read'x' +20s Read'y' +20s Grep'z' }*5  build*'g' { +20s Read'x' +20s Read'y' +20s Grep'z' }*5 +6s Read'v' build*'h'`, 0, "", "declining_velocity A"},
		{"one step up", `@A PROMPT build> build*'a' { +20s Read'x' +20s Read'y' +20s Grep'z' }*1 build*'b' { +20s Read'x' +20s Read'y' +20s Grep'z' }*1 build*'c' { +20s Read'x' +20s Read'y' +20s Grep'z' }*1 build*'d' { +20s Read'x' +20s Read'y' +20s Grep'z' }*4 build*'e' { +20s Read'x' +20s Read'y' +20s Grep'z' }*4 build*'f' { +20s Read'x' +20s Read'y' +20s Grep'z' }*4 build*'g' { +20s Read'x' +20s Read'y' +20s Grep'z' }*4 build*'h'`, 0, "", ""},
		{"uneven", `@A PROMPT build> build*'a' { +1m Read'x' +1m Read'y' +1m Grep'z' }*1 build*'b' { +1m Read'x' +1m Read'y' +1m Grep'z' }*3 build*'c' { +1m Read'x' +1m Read'y' +1m Grep'z' }*2 build*'d' { +1m Read'x' +1m Read'y' +1m Grep'z' }*8 build*'e'`, 0, "", ""},
		{"with pauses", `@A PROMPT build> build*'a' +2m Read'x' build*'b' STOP +4m PROMPT Read'y' build*'c' STOP +10m PROMPT Read'z' build*'d' STOP +30m PROMPT Read'v' build*'e'`, 0, "", ""},
	})
}

func TestMissing(t *testing.T) {
	judged(t, []verdict{
		{"a tag", `@A PROMPT ship> ship.[v1.2.0]`, 0, "missing:v1.2.0", ""},
		{"an output", `@A PROMPT plan> plan.[plan.md]`, 0, "missing:plan.md", "incomplete_outputs A!"},
		{"one that nobody needs any more", `@A PROMPT plan> plan.[plan.md] STOP PROMPT build> build*'x' build. [done] STOP`, 0, "missing:plan.md@done", ""},
		{"an address", `@A PROMPT plan> plan.[https://example.org/pull/3]`, 0, "missing:https://example.org/pull/3", ""},
		{"undeclared", `@A PROMPT/build Read'a' Edit'a'=1 Edit'a'=2 Edit'a'=3 Bash'go test' STOP`, 0, "", "undeclared_command A!"},
		{"declared", `@A PROMPT/build Read'a' build> Edit'a'=1 STOP`, 0, "", ""},
		{"no chain command", `@A PROMPT/review Read'a' Edit'a'=1 STOP`, 0, "", ""},
		{"asked first", `@A PROMPT/build STOP PROMPT build> Edit'a'=1 STOP`, 0, "", ""},
	})
}

func TestHardStops(t *testing.T) {
	judged(t, []verdict{
		{"killed", `@A proc=7 PROMPT build> build:RED> Bash'go test'!1 build:RED. build*'x' Bash'make'<m [k]`, 5 * minutes, "gone:A@k", "abrupt_stop A!, killed_tool A!, partial_completion A"},
		{"ended by a signal", `@A PROMPT plan> Read'a' SESSION_END'other'`, 0, "", "abrupt_stop A!"},
		{"after STOP", `@A PROMPT plan> Read'a' plan. STOP SESSION_END'other'`, 0, "", ""},
		{"by the user", `@A PROMPT build> build:RED> Bash'go test'!1 build:RED. Bash'make'<m SESSION_END'prompt_input_exit'`, 60 * minutes, "", ""},
		{"asked for permission", `@A PROMPT plan> Bash'make'<m PERMISSION SESSION_END'other'`, 0, "", ""},
		{"gone while a sub-agent worked", `@A proc=7 PROMPT plan> Agent'x'&x (coder& coder~Bash'make'<m plan. STOP [k]`, 5 * minutes, "gone:A@k", "killed_tool A"},
		{"a server dies with its session", `@A PROMPT plan> Bash'npm run dev'&d plan. STOP SESSION_END'other'`, 5 * minutes, "", ""},
		{"gone while idle", `@A proc=7 PROMPT plan> plan. STOP [k]`, 60 * minutes, "gone:A@k", ""},
		{"half of it, between turns", `@A proc=7 PROMPT build> build:RED> Bash'go test'!1 build:RED. STOP [k]`, 60 * minutes, "gone:A@k", "partial_completion A"},
		{"killed, and taken up by another process", `@A proc=7 PROMPT Bash'make'<m +5m proc=9 SESSION_START'resume' PROMPT Read'a'`, 0, "", "killed_tool A!"},
		{"taken up, which its prompt tells first", `@A proc=7 PROMPT Bash'make'<m +5m proc=9 PROMPT SESSION_START'resume' Read'a'`, 0, "", "killed_tool A!"},
		{"taken up, by which process is not known", `@A PROMPT Bash'make'<m +5m SESSION_START'resume' PROMPT Read'a'`, 0, "", "killed_tool A"},
		{"taken up by the same process", `@A proc=7 PROMPT Bash'make'<m +5m proc=7 SESSION_START'resume' PROMPT Read'a'`, 0, "", ""},
		{"taken up on another host", `@A proc=7 PROMPT Bash'make'<m +5m proc=9@h SESSION_START'resume' PROMPT Read'a'`, 0, "", ""},
		{"taken up after an exit", `@A proc=7 PROMPT Bash'make'<m SESSION_END'prompt_input_exit' +5m proc=9 SESSION_START'resume' PROMPT Read'a'`, 0, "", ""},
		{"taken up after a permission", `@A proc=7 PROMPT Bash'make'<m PERMISSION +1m proc=9 SESSION_START'resume' PROMPT Read'a'`, 0, "", ""},
		{"taken up, with a server in the background", `@A proc=7 PROMPT Bash'npm run dev'&d Read'a' +5m proc=9 SESSION_START'resume' PROMPT Read'b'`, 0, "", ""},
		{"resumed", `@A PROMPT plan> Read'a' SESSION_END'resume' SESSION_START'resume' PROMPT Read'b' plan. STOP`, 0, "", ""},
	})
}

// A lost call is mended when it is made again or ends after all, with the command, the session, or after two turns of work. That the
// earlier process still runs proves that nothing is lost.
func TestLostCalls(t *testing.T) {
	const lost = `@A proc=7 SESSION_START'startup' PROMPT build> Bash'make'<m +5m proc=9 SESSION_START'resume' PROMPT Read'a' `
	for then, want := range map[string]int{
		"":                         1,
		"STOP":                     1,
		"STOP PROMPT Read'b'":      1,
		"Bash'make'":               0,
		"Bash'make'!2":             0,
		"Bash'make'!no":            1,
		"^m":                       0,
		"build.":                   0,
		"build!":                   0,
		"SESSION_END'other'":       0,
		"STOP PROMPT Read'b' STOP": 0,
		"STOP PROMPT STOP":         1,
		"Bash'make test'":          1,
	} {
		n := 0
		for _, i := range live(t, lost+then, 0).open {
			if i.Type == limits.KilledTool {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d lost calls are told", then, n)
		}
	}
	st := live(t, lost, 0)
	was := st.state.Sessions[0].Lost.Proc
	if issues := Judge(st.state, Input{Now: st.now, Observed: state.Observed{Alive: map[state.Proc]state.Fact{was: state.Yes}}}); was.PID != 7 || len(issues) != 0 {
		t.Errorf("the process %+v runs on: %v", was, issues)
	}
}

func TestIgnoredAdvice(t *testing.T) {
	judged(t, []verdict{
		{"over turns", `@A PROMPT build> build! STOP INTERVENTION'T1 explicit_failure $explicit_failure' PROMPT DELIVERED'T1' Read'a' STOP SEEN'T1' PROMPT Read'b' STOP PROMPT Read'c' STOP PROMPT Read'd' STOP`, 0, "", "explicit_failure A!, ignored_advice A!"},
		{"not seen", `@A PROMPT build> build! STOP INTERVENTION'T1 explicit_failure $explicit_failure' PROMPT DELIVERED'T1' Read'a' STOP PROMPT Read'b' STOP PROMPT Read'c' STOP`, 0, "", "explicit_failure A!"},
		{"heeded", `@A PROMPT build> build! STOP INTERVENTION'T1 explicit_failure $explicit_failure' PROMPT DELIVERED'T1' build> build. STOP SEEN'T1' PROMPT Read'b' STOP PROMPT Read'c' STOP`, 0, "", "explicit_failure A!"},
	})
}
