//go:build unix

package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/internal/lab/world"
)

// What the child that kills itself works on.
const (
	childDir   = "ABURN_TEST_RUN_DIR"
	childState = "ABURN_TEST_RUN_STATE"
	childLog   = "ABURN_TEST_RUN_LOG"
	childStep  = "ABURN_TEST_RUN_STEP" // the step before whose end it dies; 0 is none
	childTests = "ABURN_TEST_RUN_TESTS"
	childHow   = "ABURN_TEST_RUN_HOW" // mode and concurrency; dry writes nothing
)

func TestMain(m *testing.M) {
	if os.Getenv(childDir) != "" {
		child()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child makes or goes on with a run, and kills itself at a step. It prints how many there were.
func child() {
	var steps atomic.Int64
	at := 0
	if n, err := strconv.Atoi(os.Getenv(childStep)); err == nil {
		at = n
	}
	c := instrument.Defaults()
	c.SchemaPath, c.Weaver, c.SchemaCheckpointInterval = "telemetry", "never", 2
	how := strings.Fields(os.Getenv(childHow))
	var err error
	c.Mode = how[0]
	c.Concurrency, err = strconv.Atoi(how[1])
	die(err)
	s, err := instrument.Select(context.Background(), os.Getenv(childDir), []string{"src"}, c, os.Environ())
	die(err)
	folder, err := os.OpenRoot(os.Getenv(childState))
	die(err)
	o := Options{
		Dir: os.Getenv(childDir), Selection: s, Config: c, Environ: os.Environ(), Run: "r1", Folder: folder, Engine: jsast.NewGoja(),
		Provider: &planner{log: os.Getenv(childLog)},
		Trusted:  true, NoPR: true, Version: "0", Now: time.Now, Sleep: func(ctx context.Context, d time.Duration) error { time.Sleep(d); return ctx.Err() },
		step: func(string) {
			if steps.Add(1) == int64(at) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		},
	}
	if tests := os.Getenv(childTests); tests != "" {
		o.Tests = []string{"sh", "-c", tests}
	}
	o.DryRun = len(how) > 2
	r, err := Run(context.Background(), o, Callbacks{OnCeiling: func(Ceiling) bool { return true }})
	die(err)
	plan, err := json.Marshal(r.Plan)
	die(err)
	fmt.Printf("steps %d succeeded %d\n%s\n", steps.Load(), r.Succeeded, plan)
}

func die(err error) {
	if err != nil {
		fmt.Println("child:", err)
		os.Exit(1)
	}
}

// spawn runs a child that dies at a step; how many steps there were, if it did not.
func (p *project) spawn(step int, log, how string) (steps int, killed bool) {
	p.Helper()
	steps, _, killed = p.child(step, log, how)
	return steps, killed
}

func (p *project) child(step int, log, how string) (steps int, plan string, killed bool) {
	p.Helper()
	exe, err := os.Executable()
	if err != nil {
		p.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childDir+"="+p.dir, childState+"="+p.state, childLog+"="+log, childStep+"="+strconv.Itoa(step), childTests+"="+guiltyTests,
		childHow+"="+how)
	out, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok && exit.Sys().(syscall.WaitStatus).Signaled() {
		return 0, "", true
	}
	if err != nil {
		p.Fatalf("step %d: %v\n%s", step, err, out)
	}
	if _, err := fmt.Sscanf(string(out), "steps %d", &steps); err != nil {
		p.Fatalf("%v\n%s", err, out)
	}
	_, plan, _ = strings.Cut(string(out), "\n")
	return steps, plan, false
}

const killFiles = 4

// guiltyTests fail where work2 has a span: that file is searched for, and taken back.
const guiltyTests = "! grep -q startActiveSpan src/f2.mjs"

// TestKilledAtAnyStep: after kill -9 at any step of a run, twice in a row, each file is the original or a form that the
// rules accept; the run that goes on ends as one that nobody killed, and no answer is paid for twice.
func TestKilledAtAnyStep(t *testing.T) { killed(t, "plan 1", 4) } // make test-long: about 60 kills, and as many under the race detector

// TestKilledWithWholeFiles: the same where the model gives them.
func TestKilledWithWholeFiles(t *testing.T) { killed(t, "rewrite 1", 2) }

// TestKilledWithQuestionsOut: the same where three are out at once. A kill loses those, and no answer.
func TestKilledWithQuestionsOut(t *testing.T) { killed(t, "plan 3", 2) }

func killed(t *testing.T, how string, rounds int) {
	if strings.HasSuffix(how, " 1") {
		world.Slow(t)
	}
	world.SlowUnraced(t) // with questions out, goroutines share the journal
	whole := newProject(t, killFiles, nil)
	steps, _ := whole.spawn(0, whole.TempDir()+"/log", how)
	if steps < 30 {
		t.Fatalf("a run has %d steps", steps)
	}
	total, out := 0, int(how[len(how)-1]-'0')
	defer func() { t.Logf("%d kills at random ones of %d steps", total, steps) }()
	for i := range world.Storm(rounds) {
		first, second := 1+rand.IntN(steps), 1+rand.IntN(steps)
		p := newProject(t, killFiles, nil)
		log := p.TempDir() + "/log"
		kills := 0
		for _, step := range []int{first, second} {
			if ended(p) != "" { // it was killed behind its last word
				break
			}
			if _, killed := p.spawn(step, log, how); killed {
				kills++
			} else {
				break
			}
			p.unharmed(fmt.Sprintf("round %d, killed at %d and %d", i, first, second))
		}
		total += kills
		if ended(p) == "" {
			p.spawn(0, log, how)
		}
		p.asWhole(whole, fmt.Sprintf("round %d, killed at %d and %d", i, first, second))
		asked := lines(t, log)
		if len(asked) > killFiles+kills*out { // a question that was out when the kill came is asked again
			t.Fatalf("round %d: %d questions after %d kills: %v", i, len(asked), kills, asked)
		}
		p.paidOnce(fmt.Sprintf("round %d", i))
	}
}

// TestKilledWhilePlanning: a run that writes nothing goes on from what was paid for, and ends with the whole plan.
func TestKilledWhilePlanning(t *testing.T) {
	world.SlowUnraced(t)
	whole := newProject(t, killFiles, nil)
	steps, want, _ := whole.child(0, whole.TempDir()+"/log", "plan 2 dry")
	if steps < 15 || strings.Count(want, `"action":"span"`) != killFiles {
		t.Fatalf("%d steps, %s", steps, want)
	}
	for i := range world.Storm(3) {
		p, kills := newProject(t, killFiles, nil), 0
		log := p.TempDir() + "/log"
		for range 2 {
			if _, killed := p.spawn(1+rand.IntN(steps), log, "plan 2 dry"); !killed || ended(p) != "" {
				break
			}
			kills++
		}
		if ended(p) == "" {
			if _, plan, _ := p.child(0, log, "plan 2 dry"); plan != want {
				t.Errorf("round %d: the plan is\n%s\nand should be\n%s", i, plan, want)
			}
		}
		if asked := lines(t, log); len(asked) > killFiles+2*kills || p.git("status", "--porcelain") != "" || p.git("branch", "--list", "aburn/*") != "" {
			t.Errorf("round %d: asked %v after %d kills; %s", i, asked, kills, p.git("status", "--porcelain"))
		}
		p.paidOnce(fmt.Sprintf("round %d", i))
	}
}

// paidOnce wants one answer a file in the journal, and an end.
func (p *project) paidOnce(when string) {
	p.Helper()
	data, err := os.ReadFile(filepath.Join(p.state, JournalFile))
	if err != nil {
		p.Fatal(err)
	}
	paid := map[string]int{}
	for line := range bytes.Lines(data) {
		var e entry
		if json.Unmarshal(line, &e) == nil && e.Kind == kAnswer {
			paid[fmt.Sprint(e.Path, e.Attempt)]++
		}
	}
	for what, n := range paid {
		if n != 1 {
			p.Errorf("%s: %s has %d answers", when, what, n)
		}
	}
	if len(paid) != killFiles || ended(p) != "done" {
		p.Fatalf("%s: %v, ended %q", when, paid, ended(p))
	}
}

func ended(p *project) string {
	folder, err := os.OpenRoot(p.state)
	if err != nil {
		p.Fatal(err)
	}
	defer folder.Close()
	s, err := ReadState(folder)
	if err != nil {
		p.Fatal(err)
	}
	return s.End
}

func lines(t *testing.T, file string) []string {
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(data))
}

// unharmed wants each file to be the original, or accepted.
func (p *project) unharmed(when string) {
	p.Helper()
	for i := range killFiles {
		path, original := work(i)
		if !p.accepted(path, original) {
			p.Fatalf("%s: %s is neither the original nor accepted:\n%s", when, path, p.read(path))
		}
	}
}

// asWhole wants the files, the registry and the branch to be as after a run that nobody killed.
func (p *project) asWhole(whole *project, when string) {
	p.Helper()
	names := []string{"telemetry/aburn-spans.yaml", "telemetry/a.yaml"}
	for i := range killFiles {
		path, _ := work(i)
		names = append(names, path)
	}
	for _, name := range names {
		if p.read(name) != whole.read(name) {
			p.Fatalf("%s: %s is\n%s\nand should be\n%s", when, name, p.read(name), whole.read(name))
		}
	}
	if got := p.git("status", "--porcelain"); got != "" {
		p.Fatalf("%s: left over:\n%s", when, got)
	}
	if got, want := p.git("log", "--format=%s", "main..HEAD"), whole.git("log", "--format=%s", "main..HEAD"); got != want {
		p.Fatalf("%s: the branch has\n%s\nand should have\n%s", when, got, want)
	}
}
