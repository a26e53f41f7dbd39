package scenario

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"aburn/logfmt"
	"aburn/supervisor/limits"
)

const testdata = "../../../supervisor/testdata"

// frozenSum is what `sha256sum frozen/* | sha256sum` says of the unpacked archive: those scenarios were there before the
// rules were tuned, and stay as they are.
const frozenSum = "bce523ece18c040d25364d2b060de80c2cab2d599dc1cc696c482fe4d2127fce"

// blindSum is the same of blind/*: those scenarios were there before the rules were changed for what they try.
const blindSum = "65cb4c982735e366fea75c66d532544bf11b5862c832aa6dda00d342f42a19b1"

func load(t *testing.T) []*Scenario {
	t.Helper()
	var all []*Scenario
	for _, part := range []string{"tuned", "frozen"} {
		list, err := Load(filepath.Join(testdata, part+".txtar"))
		if err != nil {
			t.Error(err)
		}
		all = append(all, list...)
	}
	return all
}

// TestParts counts the scenarios: an archive that lost a marker line would lose one without a word.
func TestParts(t *testing.T) {
	want := map[string]int{
		"tuned": 373, "frozen": 167, "examiner-2": 201, "examiner-2-reworded": 68, "examiner-2-after": 46, "generated": 113, "probes": 69, "blind": 56, "proof": 44,
		"young": 93,
	}
	for part, n := range want {
		if all, err := Load(filepath.Join(testdata, part+".txtar")); len(all) != n || err != nil {
			t.Errorf("%s has %d scenarios, want %d: %v", part, len(all), n, err)
		}
	}
}

// TestCorpus: every scenario can be read, makes a log as the format wants it, and names known types only.
func TestCorpus(t *testing.T) {
	known := limits.Types()
	seen := map[string]bool{}
	for _, s := range load(t) {
		checkLog(t, s)
		if seen[s.Name] {
			t.Errorf("there are two scenarios %s", s.Name)
		}
		seen[s.Name] = true
		if sum := sha256.Sum256([]byte(s.Name)); s.Frozen != (sum[0]%3 == 0) {
			t.Errorf("%s is in the wrong archive", s.Name)
		}
		checkClaims(t, s, known)
	}
}

// queued are the types that should be sure enough to reach the queue.
var queued = strings.Fields(`loop explicit_failure agent_failed tool_failure_run killed_tool abrupt_stop out_of_order tdd_violation regression chain_broken
	permission_wait phase_stuck edit_churn undeclared_command incomplete_outputs ignored_advice`)

// TestCounts: a rate over a handful of cases says nothing.
func TestCounts(t *testing.T) {
	type count struct{ all, woven, healthy int }
	var whole, frozen count
	types, frozenTypes, agents := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, s := range load(t) {
		for _, c := range []*count{&whole, &frozen} {
			if c == &frozen && !s.Frozen {
				continue
			}
			c.all++
			if len(s.Recordings) > 0 {
				c.woven++
			}
			if s.Healthy() {
				c.healthy++
			}
		}
		found := map[string]bool{}
		for _, c := range s.Expect {
			found[c.Type] = true
		}
		for typ := range found {
			types[typ]++
			if s.Frozen {
				frozenTypes[typ]++
			}
			for _, e := range s.Entries() {
				agents[typ+" "+e.Source] = true
			}
		}
	}
	if whole.all < 200 || whole.woven*2 < whole.all || whole.healthy < 100 {
		t.Errorf("the corpus has %+v", whole)
	}
	if frozen.all*4 < whole.all || frozen.woven*2 < frozen.all || frozen.healthy < 40 {
		t.Errorf("of these are frozen %+v", frozen)
	}
	for _, typ := range limits.Types() {
		if slices.Contains(Younger, typ) {
			continue
		}
		least := 4
		if slices.Contains(queued, typ) {
			least = 12
		}
		if types[typ] < least || frozenTypes[typ] < 2 {
			t.Errorf("%s: %d scenarios, %d of them frozen", typ, types[typ], frozenTypes[typ])
		}
		if !agents[typ+" claude"] || !agents[typ+" codex"] && typ != "undeclared_command" { // Codex has no commands
			t.Errorf("%s: not of both agents", typ)
		}
	}
	t.Logf("%+v, frozen %+v, %v", whole, frozen, types)
}

// TestFrozen: nobody changes a question after having seen the answer.
func TestFrozen(t *testing.T) {
	for part, want := range map[string]string{"frozen": frozenSum, "blind": blindSum} {
		archive, err := txtar.ParseFile(filepath.Join(testdata, part+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		var list bytes.Buffer
		for _, f := range archive.Files {
			fmt.Fprintf(&list, "%x  %s/%s\n", sha256.Sum256(f.Data), part, f.Name)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(list.Bytes())); sum != want {
			t.Errorf("%s scenarios were changed: %s", part, sum)
		}
	}
}

// TestRecordings: they are logs without gaps, both agents', and tell nothing of the machine that made them.
func TestRecordings(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(testdata, "recordings", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	machine := regexp.MustCompile(`/root|/home/[^u]|record-[0-9]|/runs/|"host":"[^h]|\bsk-|/tmp/[^t]`)
	sources := map[string]int{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := machine.Find(text); found != nil {
			t.Errorf("%s tells %q", name, found)
		}
		of := map[string]bool{}
		seq := logfmt.Seq(0)
		for line := range bytes.Lines(text) {
			if logfmt.Classify(line) != logfmt.EntryLine {
				continue
			}
			line = bytes.TrimSpace(line)
			e, err := logfmt.Parse(line)
			if err := logfmt.Check(line); err != nil || e.Edited {
				t.Errorf("%s: %s: %v", name, line, err)
			}
			if seq++; err != nil || e.Seq != seq {
				t.Errorf("%s: seq %d, want %d: %v", name, e.Seq, seq, err)
			}
			of[e.Source] = true
		}
		for source := range of {
			sources[source]++
		}
	}
	if len(names) < 12 || sources["claude"] < 6 || sources["codex"] < 6 || sources["prompt"] < 12 {
		t.Errorf("%d recordings, %v", len(names), sources)
	}
	used := map[string]bool{}
	for _, s := range load(t) {
		for _, r := range s.Recordings {
			used[r] = true
		}
	}
	for _, name := range names {
		if name := strings.TrimSuffix(filepath.Base(name), ".log"); !used[name] {
			t.Errorf("nothing is woven from %s", name)
		}
	}
}
