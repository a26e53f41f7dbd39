package commits

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/history"
	"aburn/internal/lab/world"
)

// author is who made a commit: "a" and "b" are sessions, "" is the person.
type author struct {
	degree   history.Degree
	sessions []string
	sure     bool // the records suffice, so that a miss is a miss
}

// generated is a history that agents and a person make in turns, with a clock of its own, and the truth about each commit.
type generated struct {
	*testing.T
	rnd      *rand.Rand
	dir      string
	now      int64
	files    int
	sessions map[string]*history.Session
	texts    map[*history.Session]map[int]history.Texts
	truth    map[string]author
}

func generate(t *testing.T, seed uint64) *generated {
	g := &generated{T: t, rnd: rand.New(rand.NewPCG(seed, 1)), dir: filepath.Join(t.TempDir(), "repo"), now: 1_790_000_000,
		sessions: map[string]*history.Session{}, texts: map[*history.Session]map[int]history.Texts{}, truth: map[string]author{}}
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	g.git("init", "-q", "-b", "main")
	for _, name := range []string{"a", "b"} {
		s := &history.Session{ID: name, Dir: g.dir}
		g.sessions[name], g.texts[s] = s, map[int]history.Texts{}
	}
	g.write()
	g.git("commit", "-qm", "the first")
	g.known("", history.None)
	for range 6 + g.rnd.IntN(10) {
		g.step()
	}
	return g
}

func (g *generated) env() []string {
	date := fmt.Sprintf("@%d +0000", g.now)
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=x",
		"GIT_AUTHOR_EMAIL=x@x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@x", "GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date,
		"GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true"}
}

func (g *generated) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = g.dir, g.env()
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (g *generated) git(args ...string) string {
	g.Helper()
	out, err := g.try(args...)
	if err != nil {
		g.Fatalf("git %v: %s", args, out)
	}
	return out
}

func (g *generated) head() string { return g.git("rev-parse", "HEAD") }

func (g *generated) wait() { g.now += int64(1 + g.rnd.IntN(5)) }

// write changes a file that no other commit touches.
func (g *generated) write() {
	g.files++
	if err := os.WriteFile(filepath.Join(g.dir, fmt.Sprintf("f%d", g.files)), []byte(strconv.Itoa(g.files)+"\n"+strconv.FormatUint(g.rnd.Uint64(), 36)+"\n"),
		0o600); err != nil {
		g.Fatal(err)
	}
	g.git("add", "-A")
}

// known notes the truth about HEAD. None stands for a commit of the person, whose degree depends on who worked meanwhile.
func (g *generated) known(session string, degree history.Degree) {
	a := author{degree: degree, sure: true}
	if session != "" {
		a.sessions = []string{session}
	}
	g.truth[g.head()] = a
}

// call has an agent run what run does, and prints what run returns. texts are known or not.
func (g *generated) call(session, command string, known bool, run func() string) {
	s := g.sessions[session]
	start := time.Unix(g.now, g.rnd.Int64N(1e9))
	output := run()
	end := start.Add(time.Duration(g.rnd.IntN(900)) * time.Millisecond)
	if least := time.Unix(g.now, 0); end.Before(least) {
		end = least.Add(time.Duration(1+g.rnd.IntN(900)) * time.Millisecond)
	}
	c := history.Call{Event: len(s.Calls) + 1, Start: start, End: end, Head: command[:min(len(command), 120)]}
	s.Calls = append(s.Calls, c)
	t := history.Texts{}
	if known {
		t = history.Texts{Command: command, Output: output, Whole: true}
	}
	g.texts[s][c.Event] = t
	turn := history.Turn{Start: start.Add(-time.Second), End: end.Add(time.Second)}
	if n := len(s.Turns); n > 0 && g.rnd.IntN(3) > 0 {
		s.Turns[n-1].End = turn.End
	} else {
		s.Turns = append(s.Turns, turn)
	}
}

func (g *generated) agent() string { return []string{"a", "b"}[g.rnd.IntN(2)] }

// agentCommits: in one of the ways that agents have.
func (g *generated) agentCommits(session string) {
	g.write()
	subject := fmt.Sprintf("change %d", g.files)
	known := g.rnd.IntN(10) > 0
	switch g.rnd.IntN(6) {
	case 0, 1:
		g.call(session, `git add -A && git commit -m "`+subject+`"`, known, func() string { return g.git("commit", "-m", subject) })
	case 2:
		g.call(session, `git commit -q -m '`+subject+`' && go test ./...`, known, func() string { g.git("commit", "-qm", subject); g.wait(); return "ok" })
	case 3: // no message in the command, and nothing in the output
		g.call(session, `git commit -qF message.txt`, known, func() string { g.git("commit", "-qm", subject); return "" })
		g.known(session, history.Made)
		if !known {
			g.truth[g.head()] = author{history.Made, []string{session}, false}
		}
		return
	case 4:
		g.call(session, `./release.sh`, known, func() string { return "releasing\n" + g.git("commit", "-m", subject) })
		g.known(session, history.Made)
		if !known {
			g.truth[g.head()] = author{history.Made, []string{session}, false}
		}
		return
	case 5:
		g.call(session, `bash -lc "git -C . commit -qm '`+subject+`'"; git log -1 --oneline`, known, func() string {
			g.git("commit", "-qm", subject)
			return g.git("log", "-1", "--oneline")
		})
	}
	g.known(session, history.Made)
}

func (g *generated) personCommits() {
	g.write()
	g.git("commit", "-qm", fmt.Sprintf("mine %d", g.files))
	g.known("", history.None)
}

func (g *generated) step() {
	g.wait()
	s := g.agent()
	switch g.rnd.IntN(13) {
	case 0, 1, 2, 3:
		g.agentCommits(s)
	case 4:
		g.personCommits()
	case 5: // while an agent's tests run
		g.call(s, "go test ./...", true, func() string { g.wait(); g.personCommits(); g.wait(); return "ok" })
	case 6: // in the second of an agent's commit that fails
		g.call(s, `git commit -m "nothing"`, true, func() string { g.personCommits(); return "nothing to commit, working tree clean" })
	case 7: // in the second of an agent's quiet commit
		g.call(s, `git commit -qam "other"; git log --oneline -3`, true, func() string { g.personCommits(); return "" })
	case 8:
		g.amend(s)
	case 9:
		g.rebase(s)
	case 10:
		g.squash()
	case 11: // two agents in one tree, one commits while the other's command runs
		other := map[string]string{"a": "b", "b": "a"}[s]
		g.call(s, "make", true, func() string { g.agentCommits(other); return "done" })
	case 12:
		g.cherryPick(s)
	}
}

// copied notes that HEAD is a copy of a commit.
func (g *generated) copied(original string) {
	a := g.truth[original]
	if a.degree == history.Made {
		a.degree = history.Rewritten
	}
	g.truth[g.head()] = a
}

func (g *generated) amend(session string) {
	was := g.head()
	switch g.rnd.IntN(3) {
	case 0: // the person gives another message
		g.git("commit", "-q", "--amend", "-m", fmt.Sprintf("reworded %d", g.now))
		g.copied(was)
	case 1: // the agent adds to it
		g.write()
		g.call(session, "git commit --amend --no-edit", true, func() string { return g.git("commit", "--amend", "--no-edit") })
		g.known(session, history.Made)
	case 2: // the person adds to it
		g.write()
		g.git("commit", "-q", "--amend", "--no-edit")
		g.known("", history.None)
	}
}

// branch makes a branch with some commits, and moves main on.
func (g *generated) branch() (tip string, list []string) {
	g.git("checkout", "-qb", fmt.Sprintf("topic%d", g.now))
	for range 2 + g.rnd.IntN(2) {
		g.wait()
		if g.rnd.IntN(4) == 0 {
			g.personCommits()
		} else {
			g.agentCommits(g.agent())
		}
		list = append(list, g.head())
	}
	tip = g.git("branch", "--show-current")
	g.git("checkout", "-q", "main")
	g.wait()
	g.personCommits()
	g.wait()
	return tip, list
}

func (g *generated) rebase(session string) {
	tip, list := g.branch()
	g.git("checkout", "-q", tip)
	run := func() string { return g.git("rebase", "-q", "main") }
	if g.rnd.IntN(2) == 0 {
		run()
	} else {
		g.call(session, "git rebase main", true, run)
	}
	for i := range list {
		g.truth[g.git("rev-parse", fmt.Sprintf("HEAD~%d", len(list)-1-i))] = g.copyOf(list[i])
	}
	g.git("checkout", "-q", "main")
	g.git("merge", "-q", "--ff-only", tip)
}

func (g *generated) copyOf(hash string) author {
	a := g.truth[hash]
	if a.degree == history.Made {
		a.degree = history.Rewritten
	}
	return a
}

func (g *generated) squash() {
	tip, list := g.branch()
	g.git("merge", "-q", "--squash", tip)
	g.git("commit", "-qm", fmt.Sprintf("squashed %d", g.now))
	a := author{degree: history.None, sure: true}
	for _, hash := range list {
		one := g.truth[hash]
		a.sure = a.sure && one.sure
		for _, s := range one.sessions {
			if a.degree = history.Rewritten; !slices.Contains(a.sessions, s) {
				a.sessions = append(a.sessions, s)
			}
		}
	}
	g.truth[g.head()] = a
	if g.rnd.IntN(2) == 0 {
		g.git("branch", "-qD", tip)
	}
}

func (g *generated) cherryPick(session string) {
	tip, list := g.branch()
	pick := list[g.rnd.IntN(len(list))]
	run := func() string { return g.git("cherry-pick", pick) }
	if g.rnd.IntN(2) == 0 {
		run()
	} else {
		g.call(session, "git cherry-pick "+tip, true, run)
	}
	g.copied(pick)
}

func (g *generated) linker() *history.Linker {
	r, err := Open(g.Context(), g.dir, g.env())
	if err != nil {
		g.Fatal(err)
	}
	l, err := r.Linker(g.Context(), nil)
	if err != nil {
		g.Fatal(err)
	}
	l.Active = func(time.Time) []*history.Session { return []*history.Session{g.sessions["a"], g.sessions["b"]} }
	l.Texts = func(s *history.Session, c *history.Call) history.Texts { return g.texts[s][c.Event] }
	return l
}

// TestGeneratedHistories: in histories of agents and a person, no commit is said to be made, or rewritten, of a session that did not make
// it, and of the true ones at most 2 % are missed.
func TestGeneratedHistories(t *testing.T) {
	var judged, true_, missed, during int
	for seed := range world.Storm(20) {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			g := generate(t, uint64(seed))
			l := g.linker()
			for hash, want := range g.truth {
				judged++
				got := l.Of(hash)
				var sessions []string
				for _, m := range got.Makers {
					if !slices.Contains(sessions, m.Session.ID) {
						sessions = append(sessions, m.Session.ID)
					}
				}
				slices.Sort(sessions)
				slices.Sort(want.sessions)
				belongs := want.degree == history.Made || want.degree == history.Rewritten
				if belongs && want.sure {
					true_++
				}
				switch {
				case got.Degree == history.Made && (want.degree != history.Made || !slices.Equal(sessions, want.sessions)):
					t.Errorf("%s %q: made by %v, in truth %v %v", hash, l.Commits[hash].Subject, sessions, want.degree, want.sessions)
				case got.Degree == history.Rewritten && (want.degree != history.Rewritten || slices.ContainsFunc(sessions, func(s string) bool {
					return !slices.Contains(want.sessions, s)
				})):
					t.Errorf("%s %q: rewritten of %v, in truth %v %v", hash, l.Commits[hash].Subject, sessions, want.degree, want.sessions)
				case got.Degree == history.During:
					during++
					fallthrough
				case got.Degree == history.None:
					if belongs && want.sure {
						missed++
						t.Logf("missed %s %q: %v, in truth %v %v", hash, l.Commits[hash].Subject, got.Degree, want.degree, want.sessions)
					}
				}
			}
		})
	}
	t.Logf("%d commits, %d of sessions (records suffice), %d of them missed; %d made during a session", judged, true_, missed, during)
	if missed*50 > true_ {
		t.Errorf("%d of %d are missed", missed, true_)
	}
}
