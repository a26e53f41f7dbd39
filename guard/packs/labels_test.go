package packs

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math/big"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/guard"
)

var frozen = flag.Bool("frozen", false, "judge the frozen third of the labels too, which is for the end")

// label is one line of a file of labels.
type label struct {
	line   int
	text   string
	hit    bool
	frozen bool
	call   guard.Call
	facts  *facts
}

// facts are those that about.text beside the labels states, changed by a line.
type facts struct {
	branch, cluster string
	dirty, pushed   bool
	counts          guard.Counts
}

var tracked = []string{"README.md", "main.go", "go.mod", "src/app.ts", "docs/guide.md", ".github/workflows/ci.yml"}

const root = "/home/u/p"

func (f *facts) Dirty(string) guard.Truth  { return guard.TruthOf(f.dirty) }
func (f *facts) Pushed(string) guard.Truth { return guard.TruthOf(f.pushed) }
func (f *facts) Branch(string) string      { return f.branch }
func (f *facts) Tracked(p string) guard.Truth {
	return guard.TruthOf(slices.ContainsFunc(tracked, func(t string) bool { return p == root+"/"+t }))
}
func (f *facts) Ignored(p string) guard.Truth {
	return guard.TruthOf(strings.HasPrefix(p, root+"/build") || strings.HasPrefix(p, root+"/dist") || path.Ext(p) == ".log" || path.Base(p) == ".env")
}
func (f *facts) Resolve(p string) string      { return p }
func (f *facts) Cluster() string              { return f.cluster }
func (f *facts) Counts() (guard.Counts, bool) { return f.counts, true }

var place = guard.Place{Root: root, Home: "/home/u", Config: "/home/u/.config/aburn", Temp: []string{"/tmp"}}

func readLabels(t *testing.T, pack string) (list []label) {
	text, err := os.ReadFile(filepath.Join("testdata", "labels", pack+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		sum := sha256.Sum256([]byte(line))
		third := new(big.Int).Mod(new(big.Int).SetBytes(sum[:]), big.NewInt(3))
		l := label{line: i + 1, text: line, hit: line[0] == '+', frozen: third.Sign() == 0, facts: &facts{branch: "work", cluster: "kind-dev", dirty: true}}
		rest := line[2:]
		if rest[0] == '[' {
			words, after, _ := strings.Cut(rest[1:], "] ")
			l.facts.set(t, words)
			rest = after
		}
		l.call = callOf(t, l.facts, rest)
		list = append(list, l)
	}
	return list
}

func (f *facts) set(t *testing.T, words string) {
	for word := range strings.FieldsSeq(words) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "clean":
			f.dirty = false
		case "pushed":
			f.pushed = true
		case "branch":
			f.branch = value
		case "context":
			f.cluster = value
		case "secret-read":
			f.counts.SecretRead = true
		default:
			t.Fatalf("unknown fact %q", word)
		}
	}
}

func callOf(t *testing.T, f *facts, text string) guard.Call {
	c := guard.Call{Dir: root}
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "$":
		c.Kind, c.Tool, c.Command = guard.Shell, "Bash", strings.ReplaceAll(rest, "␤", "\n")
	case "read":
		c.Kind, c.Tool, c.Paths = guard.ReadKind, "Read", []string{rest}
	case "edit", "write":
		c.Kind, c.Tool, c.Paths = guard.Edit, "Edit", []string{rest}
	case "fetch":
		c.Kind, c.Tool, c.URL = guard.Web, "WebFetch", rest
	case "count":
		c.Kind, c.Tool, c.Command = guard.Shell, "Bash", "go test ./..."
		for part := range strings.FieldsSeq(rest) {
			name, value, _ := strings.Cut(part, "=")
			n := 0
			fmt.Sscan(value, &n)
			switch name {
			case "calls":
				f.counts.Turn = n
			case "session":
				f.counts.Session = n
			case "repeats":
				f.counts.Repeats = n
			case "failures":
				f.counts.Failures = n
			case "agents":
				f.counts.Agents, c.Kind, c.Tool, c.Command = n, guard.Agent, "Agent", ""
			}
		}
	default:
		t.Fatalf("unknown call %q", text)
	}
	return c
}

// TestLabels holds every pack to its labels: at least 0.98 of its hits are true, and it hits at least 0.95 of the true calls.
func TestLabels(t *testing.T) {
	for _, pack := range Names() {
		rules, err := Rules(pack)
		if err != nil {
			t.Fatal(err)
		}
		labels := readLabels(t, pack)
		yes, no := 0, 0
		for _, l := range labels {
			if l.hit {
				yes++
			} else {
				no++
			}
		}
		if yes < 40 || no < 80 {
			t.Errorf("%s has %d true calls and %d look-alikes: 40 and 80 are wanted", pack, yes, no)
		}
		for _, third := range []bool{false, true} {
			if third && !*frozen {
				continue
			}
			score(t, pack, rules, labels, third)
		}
	}
}

func score(t *testing.T, pack string, rules []guard.Rule, labels []label, third bool) {
	hits, wrong, missed, looks := 0, 0, 0, 0
	for _, l := range labels {
		if l.frozen != third {
			continue
		}
		v := guard.Judge(rules, &l.call, place, l.facts)
		hit := len(v.Hits) > 0
		switch {
		case hit && l.hit:
			hits++
		case hit:
			wrong++
			t.Logf("%s.txt:%d: hit by %s: %s", pack, l.line, v.Hits[0].Rule.Name, l.text)
		case l.hit:
			missed++
			t.Logf("%s.txt:%d: missed: %s (opaque %q, open %d)", pack, l.line, l.text, v.Opaque, len(v.Open))
		default:
			looks++
		}
	}
	precision, recall := float64(hits)/float64(max(hits+wrong, 1)), float64(hits)/float64(max(hits+missed, 1))
	t.Logf("%s, frozen %v: precision %.3f (%d of %d), recall %.3f (%d of %d), look-alikes %d of %d left alone", pack, third, precision, hits, hits+wrong,
		recall, hits, hits+missed, looks, looks+wrong)
	if precision < 0.98 || recall < 0.95 {
		t.Errorf("%s, frozen %v: precision %.3f and recall %.3f, wanted are 0.98 and 0.95", pack, third, precision, recall)
	}
}
