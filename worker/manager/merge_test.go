//go:build unix

package manager

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// yard is a repository with one worker whose agent has ended.
type yard struct {
	testing.TB
	dir, main, tree string
	crew            *Manager
	repo            *tree.Repo
}

// prelude gives the words that the cases are written in.
const prelude = `set -e
lines() { i=1; while [ $i -le $1 ]; do echo "line $i"; i=$((i+1)); done; }
edit() { sed "s/^line $2\$/line $2 $3/" "$1" > "$1.new"; cat "$1.new" > "$1"; rm "$1.new"; }
save() { git add -A; git commit -q --allow-empty -m "${1:-change}"; }
`

func (y *yard) sh(dir, script string) {
	y.Helper()
	cmd := exec.Command("sh", "-c", prelude+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-11-01T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-01T10:00:00Z", "GIT_EDITOR=true")
	if out, err := cmd.CombinedOutput(); err != nil {
		y.Fatalf("%s: %v: %s", script, err, out)
	}
}

func (y *yard) git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSuffix(string(out), "\n"), err
}

func (y *yard) must(err error) {
	y.Helper()
	if err != nil {
		y.Fatal(err)
	}
}

func newYard(t testing.TB, first string) *yard {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	y := &yard{TB: t, dir: dir, main: filepath.Join(dir, "main")}
	y.must(errors.Join(os.Mkdir(home, 0o700), os.Mkdir(y.main, 0o755)))
	config := filepath.Join(home, ".gitconfig")
	y.must(os.WriteFile(config,
		[]byte("[user]\nname=T\nemail=t@example.com\n[init]\ndefaultBranch=main\ntemplateDir=\n[maintenance]\nauto=false\n[protocol "+
			"\"file\"]\nallow=always\n[advice]\ndetachedHead=false\n"), 0o600))
	environ := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	setenv(t, "HOME", home)
	setenv(t, "XDG_CONFIG_HOME", "")
	setenv(t, "XDG_STATE_HOME", filepath.Join(dir, "state"))
	y.sh(y.main, "git init -q .\n"+first+"\nsave first")
	store, err := ledger.Open(y.main, os.Getenv)
	y.must(err)
	y.crew = &Manager{Root: y.main, Checkout: y.main, Store: store, Environ: environ}
	y.repo, err = tree.Open(t.Context(), y.main, environ)
	y.must(err)
	y.worker("w")
	return y
}

func setenv(t testing.TB, name, value string) {
	if t, ok := t.(*testing.T); ok {
		t.Setenv(name, value)
	}
}

// worker adds a worker that was certified to have ended.
func (y *yard) worker(name string) {
	y.Helper()
	ctx := y.Context()
	base, on, err := tree.CurrentCheckout(ctx, y.repo)
	y.must(err)
	y.tree = y.crew.Store.Tree(name)
	_, err = tree.CreateWorktree(ctx, y.repo, y.tree, "aburn/"+name, base)
	y.must(err)
	book := y.crew.Store.Book(name)
	y.must(book.Create(nil))
	asked := ledger.Entry{Fact: worker.Fact{Kind: worker.Requested, Gen: 1}}
	asked.Task, asked.Repo, asked.Tree, asked.Branch, asked.Base, asked.BaseRef = "do the task", y.main, y.tree, "aburn/"+name, base, on
	code, p := 0, &worker.Process{PID: 1, Start: 1}
	y.must(book.Append(asked,
		ledger.Entry{Fact: worker.Fact{Kind: worker.Prepared, Gen: 1}},
		ledger.Entry{Fact: worker.Fact{Kind: worker.Launched, Gen: 1, Proc: p}},
		ledger.Entry{Fact: worker.Fact{Kind: worker.Certificate, Gen: 1, Proc: p, Exit: &code}}))
}

func (y *yard) member(name string) *Member {
	y.Helper()
	list, err := y.crew.Load(y.Context(), name)
	y.must(err)
	y.must(list[0].Err)
	return list[0]
}

// picture is everything that a merge may not touch if it refuses.
func (y *yard) picture() string {
	y.Helper()
	var b strings.Builder
	for _, dir := range []string{y.main, y.tree} {
		for _, args := range [][]string{{"status", "--porcelain", "--ignored", "-uall"}, {"ls-files", "--stage"}} {
			out, _ := y.git(dir, args...)
			b.WriteString(out + "\n")
		}
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				fmt.Fprintln(&b, err)
			case d.Name() == ".git" && d.IsDir():
				return fs.SkipDir
			case d.Name() != ".git" && d.Type().IsRegular():
				data, err := os.ReadFile(path)
				fmt.Fprintf(&b, "%x %s %v\n", sha256.Sum256(data), path, err)
			}
			return nil
		})
	}
	heads, err := filepath.Glob(filepath.Join(y.main, ".git", "worktrees", "*", "HEAD"))
	y.must(err)
	for _, path := range append(heads, filepath.Join(y.main, ".git", "HEAD")) {
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %s %v\n", path, data, err)
	}
	refs, _ := y.git(y.main, "for-each-ref", "refs/heads")
	return b.String() + refs
}

// mergeCase is one situation, in the shell, and what must come of it.
type mergeCase struct {
	name   string
	first  string // the first commit
	main   string // in the person's checkout
	worker string // in the worker's tree
	want   string // merged, already, "conflict PATH…", "refused TEXT"
	ways   string // beside the default: s squash, r rebase, m merge; R: rebase conflicts too
	o      MergeOptions
}

// mergeCases is the corpus. What plain git says of it is asked in the test.
var mergeCases = []mergeCase{
	// What goes together.
	{name: "nothing happened here", first: "lines 9 > a", worker: "edit a 5 x; save", want: "merged", ways: "msr"},
	{name: "other files", first: "lines 9 > a; lines 9 > b", main: "edit a 1 m; save", worker: "edit b 1 w; save", want: "merged", ways: "msr"},
	{name: "other lines of one file", first: "lines 30 > a", main: "edit a 2 m; save", worker: "edit a 28 w; save", want: "merged", ways: "sr"},
	{name: "the same change on both sides", first: "lines 9 > a", main: "edit a 5 x; save", worker: "edit a 5 x; save", want: "merged", ways: "s"},
	{name: "several commits", first: "lines 30 > a", main: "lines 3 > b; save", worker: "edit a 1 w; save one; edit a 15 w; save two; edit a 29 w; save three",
		want: "merged", ways: "sr"},
	{name: "renamed here, edited there", first: "lines 30 > a", main: "git mv a b; save", worker: "edit a 15 w; save", want: "merged", ways: "sr"},
	{name: "edited here, renamed there", first: "lines 30 > a", main: "edit a 15 m; save", worker: "git mv a b; save", want: "merged", ways: "sr"},
	{name: "a folder renamed here, a file added to it there", first: "mkdir d; lines 30 > d/a; lines 20 > d/b", main: "git mv d e; save",
		worker: "lines 3 > d/new; save", want: "conflict e/new", ways: "sR"},
	{name: "deleted on both sides", first: "lines 9 > a; lines 9 > b", main: "git rm -q a; save", worker: "git rm -q a; edit b 1 w; save", want: "merged",
		ways: "s"},
	{name: "deleted there, untouched here", first: "lines 9 > a; lines 9 > b", main: "edit b 2 m; save", worker: "git rm -q a; save", want: "merged", ways: "sr"},
	{name: "made executable there, edited here", first: "lines 9 > a", main: "edit a 5 m; save", worker: "chmod +x a; save", want: "merged", ways: "sr"},
	{name: "a binary file there only", first: "lines 9 > a", main: "edit a 5 m; save", worker: `printf '\0\1\2' > b.bin; save`, want: "merged", ways: "sr"},
	{name: "a link added there", first: "lines 9 > a", main: "edit a 5 m; save", worker: "ln -s a l; save", want: "merged", ways: "sr"},
	{name: "a file becomes a folder there", first: "lines 9 > a; lines 9 > z", main: "edit z 5 m; save", worker: "git rm -q a; mkdir a; lines 3 > a/b; save",
		want: "merged", ways: "sr"},
	{name: "a folder becomes a file there", first: "mkdir a; lines 9 > a/b; lines 9 > z", main: "edit z 5 m; save", worker: "git rm -qr a; lines 3 > a; save",
		want: "merged", ways: "sr"},
	{name: "names with blanks, quotes and newlines", first: "lines 9 > z", main: "edit z 5 m; save",
		worker: "lines 3 > 'a b'; lines 3 > 'q\"t'; lines 3 > 'n\nl'; lines 3 > ä; lines 3 > -dash; save", want: "merged", ways: "sr"},
	{name: "union by attribute", first: "echo 'log merge=union' > .gitattributes; lines 3 > log", main: "echo m >> log; save", worker: "echo w >> log; save",
		want: "merged", ways: "sr"},
	{name: "line ends by attribute", first: "echo '* text=auto eol=crlf' > .gitattributes; lines 9 > a", main: "lines 3 > b; save", worker: "lines 3 > c; save",
		want: "merged", ways: "sr"},
	{name: "a submodule moved there",
		first: "git init -q ../sub; (cd ../sub; git commit -q --allow-empty -m 1); git submodule -q add ../sub sub 2>/dev/null; lines 3 > z",
		main:  "edit z 1 m; save", worker: "git update-index --cacheinfo 160000,$(git rev-parse HEAD),sub; git commit -q -m sub", want: "merged", ways: "s"},
	{name: "the worker merged main itself", first: "lines 30 > a", main: "edit a 2 m; save",
		worker: "edit a 28 w; save; git merge -q --no-edit main; edit a 15 w; save", want: "merged", ways: "msr"},
	{name: "the worker rebased itself", first: "lines 30 > a", main: "edit a 2 m; save", worker: "edit a 28 w; save; git rebase -q main", want: "merged",
		ways: "msr"},
	{name: "main cherry-picked one of its commits", first: "lines 30 > a; lines 9 > b", main: "edit b 8 m; save",
		worker: "edit a 2 w; save one; edit b 2 w; save two; git -C \"$OLDMAIN\" cherry-pick aburn/w~1 >/dev/null", want: "merged", ways: "sr"},
	{name: "criss-cross", first: "lines 40 > a", main: "edit a 2 m; save; git branch m1",
		worker: "edit a 30 w; save; git branch w1; git merge -q --no-edit m1; edit a 20 w; save; git -C \"$OLDMAIN\" merge -q --no-edit w1", want: "merged",
		ways: "s"},
	{name: "untracked files here that are not in the way", first: "lines 9 > a", main: "lines 3 > mine", worker: "edit a 5 w; save", want: "merged", ways: "sr"},
	{name: "a tag of the branch's name", first: "lines 9 > a; lines 9 > b", main: "git tag main; edit a 5 m; save", worker: "edit b 5 w; save", want: "merged",
		ways: "msr"},
	{name: "many files", first: "for i in $(lines 200 | tr -d ' '); do echo $i > f$i; done", main: "for i in 1 2 3 4 5; do echo m > fline$i; done; save",
		worker: "for i in 100 101 102; do echo w > fline$i; done; git rm -q fline50; save", want: "merged", ways: "sr"},

	// What does not.
	{name: "the same line", first: "lines 9 > a", main: "edit a 5 m; save", worker: "edit a 5 w; save", want: "conflict a", ways: "sR"},
	{name: "two of three files", first: "lines 9 > a; lines 9 > b; lines 9 > c", main: "edit a 5 m; edit b 5 m; save",
		worker: "edit a 5 w; edit b 5 w; edit c 5 w; save", want: "conflict a b", ways: "sR"},
	{name: "deleted here, edited there", first: "lines 9 > a", main: "git rm -q a; save", worker: "edit a 5 w; save", want: "conflict a", ways: "sR"},
	{name: "edited here, deleted there", first: "lines 9 > a", main: "edit a 5 m; save", worker: "git rm -q a; save", want: "conflict a", ways: "sR"},
	{name: "renamed to two names", first: "lines 30 > a", main: "git mv a b; save", worker: "git mv a c; save", want: "conflict a b c", ways: "sR"},
	{name: "two files to one name", first: "lines 30 > a; seq 100 130 > b", main: "git mv a x; save", worker: "git mv b x; save", want: "conflict x", ways: "sR"},
	{name: "added on both sides", first: "lines 9 > z", main: "lines 3 > a; save", worker: "lines 4 > a; save", want: "conflict a", ways: "sR"},
	{name: "a binary file on both sides", first: `printf '\0\1\2' > b.bin`, main: `printf '\0\1\3' > b.bin; save`, worker: `printf '\0\1\4' > b.bin; save`,
		want: "conflict b.bin", ways: "sR"},
	{name: "a file against a folder", first: "lines 9 > z", main: "lines 3 > a; save", worker: "mkdir a; lines 3 > a/b; save", want: "conflict a~%s", ways: ""},
	{name: "links to two places", first: "ln -s x l", main: "ln -sf m l; save", worker: "ln -sf w l; save", want: "conflict l", ways: "sR"},
	{name: "only the second of its commits", first: "lines 30 > a", main: "edit a 5 m; save", worker: "edit a 28 w; save one; edit a 5 w; save two",
		want: "conflict a", ways: "sR"},
	{name: "a conflict that a later commit takes back", first: "lines 9 > a; lines 9 > b", main: "edit a 5 m; save",
		worker: "edit a 5 w; save one; git checkout -q HEAD~1 -- a; edit b 1 w; save two", want: "merged", ways: "R"},

	// What is not begun.
	{name: "a changed file here", first: "lines 9 > a; lines 9 > b", main: "edit b 5 m", worker: "edit a 5 w; save",
		want: "refused this checkout has 1 changed: b"},
	{name: "a staged file here", first: "lines 9 > a", main: "lines 3 > n; git add n", worker: "edit a 5 w; save", want: "refused this checkout has 1 changed: n"},
	{name: "an untracked file in the way", first: "lines 9 > a", main: "echo mine > n", worker: "lines 3 > n; save",
		want: "refused 1 in this checkout would be written over, which no commit has: n"},
	{name: "an ignored file in the way", first: "echo .env > .gitignore; lines 9 > a", main: "echo mine > .env", worker: "lines 3 > .env; git add -f .env; save",
		want: "refused 1 in this checkout would be written over, which no commit has: .env"},
	{name: "an untracked file where a folder comes", first: "lines 9 > a", main: "echo mine > d", worker: "mkdir d; lines 3 > d/n; save",
		want: "refused 1 in this checkout would be written over, which no commit has: d"},
	{name: "a change that is hidden from git", first: "lines 9 > a", main: "git update-index --assume-unchanged a; echo mine >> a", worker: "edit a 5 w; save",
		want: "refused 1 in this checkout would be written over, which no commit has: a"},
	{name: "an unfinished merge here", first: "lines 9 > a",
		main: "git branch o; edit a 5 m; save; git checkout -q o; edit a 5 o; save; git checkout -q main; git merge -q o || true", worker: "edit a 1 w; save",
		want: "refused a merge is not finished in this checkout"},
	{name: "on no branch here", first: "lines 9 > a", main: "git checkout -q --detach", worker: "edit a 5 w; save", want: "refused this checkout is on no branch"},
	{name: "main was set back", first: "lines 9 > a; save zero; edit a 9 x", main: "git reset -q --hard HEAD~1", worker: "edit a 5 w; save",
		want: "refused main does not contain"},
	{name: "no common history", first: "lines 9 > a", main: "git checkout -q --orphan other; git rm -qrf .; lines 3 > z; save", worker: "edit a 5 w; save",
		want: "refused other does not contain"},
	{name: "no common history, and the person means it", first: "lines 9 > a", main: "git checkout -q --orphan other; git rm -qrf .; lines 3 > z; save",
		worker: "edit a 5 w; save", o: MergeOptions{Onto: "other"}, want: "refused other and its branch have no history in common"},
	{name: "nothing was committed", first: "lines 9 > a", worker: "edit a 5 w; lines 3 > n", want: "refused it committed nothing, and has 2 changed: a, n"},
	{name: "a tree on another branch", first: "lines 9 > a", worker: "git checkout -q -b elsewhere; edit a 5 w; save", want: "refused its worktree is on"},
	{name: "nothing happened", first: "lines 9 > a", main: "edit a 5 m; save", want: "already"},
	{name: "merged already", first: "lines 9 > a", worker: "edit a 5 w; save; cd \"$OLDMAIN\"; git merge -q aburn/w", want: "already", ways: "sr"},
	{name: "a branch that is checked out elsewhere", first: "lines 9 > a", main: "git branch o; git worktree add -q ../o o", worker: "edit a 5 w; save",
		o: MergeOptions{Onto: "o"}, want: "refused o is checked out in"},
}

func TestMergeCorpus(t *testing.T) {
	world.Slow(t)
	if len(mergeCases) < 40 {
		t.Fatalf("%d cases", len(mergeCases))
	}
	const part = 6 // a sixth of the cases, another one each time, takes all ways: the others take two thirds of the time
	all := rand.IntN(part)
	for i, c := range mergeCases {
		t.Run(c.name, func(t *testing.T) {
			y := newYard(t, c.first)
			setenv(t, "OLDMAIN", y.main)
			y.sh(y.main, c.main)
			y.sh(y.tree, c.worker)
			ways := "d" + c.ways
			if i%part != all && os.Getenv("ABURN_STORM") == "" {
				ways = "d"
			}
			for _, way := range ways {
				y.judge(c, way)
			}
		})
	}
}

// judge runs one way of one case on a copy, and plain git on another.
func (y *yard) judge(c mergeCase, way rune) {
	o, want := c.o, c.want
	o.How = map[rune]How{'d': "", 'm': HowMerge, 's': HowSquash, 'r': HowRebase, 'R': HowRebase}[way]
	kind, rest, _ := strings.Cut(want, " ")
	o.Check = true
	before := y.picture()
	asked, errAsked := MergeBranch(y.Context(), y.crew, y.repo, y.member("w"), o)
	if after := y.picture(); after != before {
		y.Errorf("%c: --check touched something:\n%s\n%s", way, before, after)
	}
	var refused *Refused
	switch {
	case kind == "refused":
		if !errors.As(errAsked, &refused) || !strings.HasPrefix(refused.Text, rest) {
			y.Errorf("%c: %+v, %v", way, asked, errAsked)
		}
		o.Check = false
		if _, err := MergeBranch(y.Context(), y.crew, y.repo, y.member("w"), o); !errors.As(err, &refused) || y.picture() != before {
			y.Errorf("%c: not refused, or touched: %v", way, err)
		}
		return
	case errAsked != nil:
		y.Errorf("%c: %v", way, errAsked)
		return
	}
	clean, treeOf, conflicts := y.plainGit(way)
	if clean != (len(asked.Conflicts) == 0) || clean != (kind != "conflict" && way != 'R') {
		y.Errorf("%c: git merges: %v, we: %+v, wanted %s", way, clean, asked, want)
		return
	}
	if !clean {
		var ours []string
		for _, f := range asked.Conflicts {
			ours = append(ours, f.Path)
			if f.Kind == "" {
				y.Errorf("%c: no kind: %+v", way, f)
			}
		}
		if way != 'R' && !strings.Contains(rest, "%") && (!slices.Equal(ours, conflicts) || strings.Join(ours, " ") != rest) {
			y.Errorf("%c: conflicts %q, git's %q, wanted %s", way, ours, conflicts, rest)
		}
	}
	if (kind == "already") != (asked.How == HowAlready) && kind == "already" {
		y.Errorf("%c: %+v", way, asked)
	}
	o.Check = false
	y.keeping(func() {
		r, err := MergeBranch(y.Context(), y.crew, y.repo, y.member("w"), o)
		if err != nil || len(r.Conflicts) != len(asked.Conflicts) {
			y.Errorf("%c: %+v, %v", way, r, err)
			return
		}
		after := y.picture()
		if !clean && after != before {
			y.Errorf("%c: a conflict touched something:\n%s\n%s", way, before, after)
		}
		if clean {
			y.whole(way, r, treeOf)
		}
	})
}

// whole checks that the merge is the tree of plain git, and that branch, index and files agree.
func (y *yard) whole(way rune, r Merge, want string) {
	y.Helper()
	if got, _ := y.git(y.main, "rev-parse", "HEAD^{tree}"); got != want {
		diff, _ := y.git(y.main, "diff", "--stat", want, got)
		y.Errorf("%c: tree %s, git's is %s: %s", way, got, want, diff)
	}
	if dirty, _ := y.git(y.main, "status", "--porcelain", "-uno", "--ignore-submodules=all"); dirty != "" {
		y.Errorf("%c: dirty afterwards: %s", way, dirty)
	}
	head, _ := y.git(y.main, "rev-parse", "HEAD")
	if head != r.To || r.To == "" {
		y.Errorf("%c: HEAD %s, said %+v", way, head, r)
	}
	again, err := MergeBranch(y.Context(), y.crew, y.repo, y.member("w"), MergeOptions{How: r.How, Check: true})
	if r.How == HowForward || r.How == HowAlready {
		again, err = MergeBranch(y.Context(), y.crew, y.repo, y.member("w"), MergeOptions{Check: true})
	}
	if err != nil || again.How != HowAlready && r.How != HowAlready {
		y.Errorf("%c: not merged for good: %+v, %v", way, again, err)
	}
}

// keeping runs do and brings the person's checkout back.
func (y *yard) keeping(do func()) {
	y.Helper()
	kept := filepath.Join(y.dir, "kept")
	y.must(exec.Command("cp", "-a", y.main, kept).Run())
	do()
	y.must(os.RemoveAll(y.main))
	y.must(os.Rename(kept, y.main))
}

// plainGit is what a person's own git makes of it, in a copy.
func (y *yard) plainGit(way rune) (clean bool, treeOf string, conflicts []string) {
	y.Helper()
	copied := filepath.Join(y.dir, "copy")
	y.must(exec.Command("cp", "-a", y.main, copied).Run())
	defer os.RemoveAll(copied)
	switch way {
	case 's':
		_, err := y.git(copied, "merge", "-q", "--squash", "aburn/w")
		if clean = err == nil; clean {
			y.git(copied, "commit", "-q", "--allow-empty", "-m", "squash")
		}
	case 'r', 'R':
		y.git(copied, "checkout", "-q", "--detach", "aburn/w")
		_, err := y.git(copied, "rebase", "-q", "refs/heads/main")
		clean = err == nil
	default:
		_, err := y.git(copied, "merge", "-q", "--no-edit", "aburn/w")
		clean = err == nil
	}
	list, _ := y.git(copied, "diff", "--name-only", "--diff-filter=U")
	treeOf, _ = y.git(copied, "rev-parse", "HEAD^{tree}")
	conflicts = strings.Fields(list)
	slices.Sort(conflicts)
	return clean, treeOf, conflicts
}

// TestIncludeChanges: what was staged, unstaged, untracked and deleted is committed on the worker's branch and merged, and a
// snapshot holds how it was.
func TestIncludeChanges(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a; lines 9 > b; lines 9 > c; echo '*.ign' > .gitignore")
	y.sh(y.tree, "edit a 1 w; git add a; edit a 9 w; rm b; lines 3 > new; echo secret > x.ign")
	status, _ := y.git(y.tree, "status", "--porcelain")
	ctx := t.Context()
	before := y.picture()
	r, err := MergeBranch(ctx, y.crew, y.repo, y.member("w"), MergeOptions{Include: true, Check: true})
	if err != nil || !slices.Equal(r.Included, []string{"a", "b", "new"}) || y.picture() != before {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err = MergeBranch(ctx, y.crew, y.repo, y.member("w"), MergeOptions{Include: true}); err != nil || r.How != HowForward || r.To != r.Head {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, dir := range []string{y.main, y.tree} {
		if out, _ := y.git(dir, "status", "--porcelain"); out != "" {
			t.Errorf("%s: %s", dir, out)
		}
	}
	if out, _ := y.git(y.main, "show", "--stat", "--format=%s%n%b"); !strings.Contains(out, "do the task\nWhat the worker w had not committed.") ||
		strings.Contains(out, "x.ign") {
		t.Errorf("%s", out)
	}
	kept := Snapshots(y.member("w").Ledger)
	if len(kept) != 1 {
		t.Fatalf("%+v", kept)
	}
	back := filepath.Join(y.dir, "back")
	y.git(y.main, "worktree", "add", "-q", "--detach", back, r.From)
	if _, err := y.git(back, "stash", "apply", "-q", "--index", kept[0].Commit); err != nil {
		t.Fatal(err)
	}
	if out, _ := y.git(back, "status", "--porcelain"); out != status {
		t.Errorf("%q, was %q", out, status)
	}
}

// TestIncludeChangesThatConflict leaves the worker's tree as it was.
func TestIncludeChangesThatConflict(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a")
	y.sh(y.main, "edit a 5 m; save")
	y.sh(y.tree, "edit a 5 w")
	before := y.picture()
	r, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), MergeOptions{Include: true})
	if err != nil || len(r.Conflicts) != 1 || y.picture() != before {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHooksRunOnlyIfSaid: hooks of the repository and options of its branch change nothing, until a person says --hooks.
func TestHooksRunOnlyIfSaid(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a; lines 9 > b")
	y.sh(y.main, `edit b 1 m; save; mkdir -p .git/hooks
for h in pre-merge-commit commit-msg post-merge post-checkout pre-commit reference-transaction prepare-commit-msg; do printf '#!/bin/sh\necho $(basename $0) >> "$HOME/ran"\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done
printf '#!/bin/sh\necho fsmonitor >> "$HOME/ran"\n' > .git/fs; chmod +x .git/fs; git config core.fsmonitor .git/fs
git config branch.main.mergeOptions '--squash --no-commit'; rm -f "$HOME/ran"`)
	ran := filepath.Join(y.dir, "home", "ran")
	y.sh(y.tree, "edit a 5 w; git -c core.hooksPath=/dev/null -c core.fsmonitor=false commit -qam change; rm -f \"$HOME/ran\"")
	y.keeping(func() {
		r, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), MergeOptions{})
		if did, _ := os.ReadFile(ran); err != nil || r.To == "" || len(did) > 0 {
			t.Errorf("%+v, %v, ran %s", r, err, did)
		}
	})
	os.Remove(ran)
	y.sh(y.main, "git config --unset core.fsmonitor; git config --unset branch.main.mergeOptions; rm .git/hooks/reference-transaction; rm -f \"$HOME/ran\"")
	y.keeping(func() {
		r, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), MergeOptions{Hooks: true})
		did, _ := os.ReadFile(ran)
		if err != nil || r.To == "" || !strings.Contains(string(did), "pre-merge-commit") || !strings.Contains(string(did), "post-merge") {
			t.Errorf("%+v, %v, ran %s", r, err, did)
		}
	})
	y.sh(y.main, `printf '#!/bin/sh\nexit 1\n' > .git/hooks/pre-merge-commit`)
	before := y.picture()
	if r, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), MergeOptions{Hooks: true}); err == nil || y.picture() != before {
		t.Errorf("a hook that refuses: %+v, %v", r, err)
	}
}

// TestMergeOnto moves a branch that is checked out nowhere, whatever stands in the checkout.
func TestMergeOnto(t *testing.T) {
	y := newYard(t, "lines 9 > a; lines 9 > b")
	y.sh(y.main, "git branch release; edit b 5 m")
	y.sh(y.tree, "edit a 5 w; save")
	dirty, _ := y.git(y.main, "status", "--porcelain")
	r, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), MergeOptions{Onto: "release", How: HowSquash})
	if err != nil || r.Into != "release" {
		t.Fatalf("%+v, %v", r, err)
	}
	at, _ := y.git(y.main, "rev-parse", "release")
	still, _ := y.git(y.main, "status", "--porcelain")
	if parents, _ := y.git(y.main, "log", "-1", "--format=%P %s", "release"); at != r.To || still != dirty || parents != r.From+" change" {
		t.Errorf("%s: %+v; %q, was %q", parents, r, still, dirty)
	}
}

// TestSync sets commits onto the base as it stands now, and goes away from nothing else.
func TestSync(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 30 > a; lines 9 > b")
	ctx := t.Context()
	y.sh(y.tree, "edit a 5 w; save one; edit a 28 w; save two")
	y.sh(y.main, "edit b 5 m; save")
	before := y.picture()
	s, err := RebaseBranch(ctx, y.crew, y.repo, y.member("w"), "", true)
	if err != nil || s.Commits != 2 || s.Ahead != 1 || y.picture() != before {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err = RebaseBranch(ctx, y.crew, y.repo, y.member("w"), "", false); err != nil || y.member("w").Base() != s.Base {
		t.Fatalf("%+v, %v", s, err)
	}
	y.sh(y.tree,
		`test -z "$(git status --porcelain)"; test "$(git symbolic-ref --short HEAD)" = aburn/w; test "$(git rev-parse HEAD~2)" = "$(git rev-parse main)"; grep `+
			`-q 'line 5 m' b; grep -q 'line 28 w' a`)
	if s, err = RebaseBranch(ctx, y.crew, y.repo, y.member("w"), "", false); err != nil || s.To != s.From || s.Ahead != 0 {
		t.Errorf("again: %+v, %v", s, err)
	}

	y.sh(y.main, "edit a 28 m; save")
	before = y.picture()
	s, err = RebaseBranch(ctx, y.crew, y.repo, y.member("w"), "", false)
	if err != nil || s.Subject != "two" || len(s.Conflicts) != 1 || y.picture() != before {
		t.Errorf("a conflict: %+v, %v", s, err)
	}
	refused := func(text string) {
		t.Helper()
		before := y.picture()
		var r *Refused
		if s, err := RebaseBranch(ctx, y.crew, y.repo, y.member("w"), "", false); !errors.As(err, &r) || !strings.HasPrefix(r.Text, text) || y.picture() != before {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
	y.sh(y.main, "git reset -q --hard HEAD~1")
	y.sh(y.tree, "lines 3 > n")
	refused("its tree has 1 not committed: n")
	y.sh(y.tree, "rm n")
	y.sh(y.main, "git reset -q --hard HEAD~1")
	refused("main does not contain")
	y.sh(y.tree, "git checkout -q --detach")
	refused("its tree is not on its branch")
	y.sh(y.tree, "git checkout -q aburn/w")
	y.must(y.crew.Store.Book("w").Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Launched, Gen: 2, Proc: &worker.Process{PID: os.Getpid(), Start: 1}}}))
	refused("its agent is not idle")
}

// TestSyncKeepsIgnoredFiles: a file that git ignores in the worker's tree is not written over by one that comes with the base.
func TestSyncKeepsIgnoredFiles(t *testing.T) {
	y := newYard(t, "lines 9 > a; echo .env > .gitignore")
	y.sh(y.tree, "edit a 5 w; save; echo mine > .env")
	y.sh(y.main, "lines 3 > .env; git add -f .env; save")
	before := y.picture()
	var r *Refused
	if s, err := RebaseBranch(t.Context(), y.crew, y.repo, y.member("w"), "", false); !errors.As(err, &r) || y.picture() != before {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestGatesHaveOneBudget: an earlier engine of this kind ran a failing check 2,267 times, as going round again was not counted.
// Here each run is counted when it begins, also one that nobody saw end, and only a pass gives the budget back.
func TestGatesHaveOneBudget(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a; echo runs > .gitignore")
	y.sh(y.tree, "edit a 5 w; save")
	o := MergeOptions{Gates: Gates{Run: []string{"echo x >> runs; echo why >&2; test -e ok"}, Retries: 2}}
	before, _ := y.git(y.main, "rev-parse", "HEAD")
	book := y.crew.Store.Book("w")
	y.must(book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Gated, Gen: 1, Is: worker.GateStarted}})) // and was killed
	for i, want := range []string{"a gate failed with 1", "a gate failed with 1", "its gates ran 3 times and never passed", "its gates ran 3 times"} {
		var r *Refused
		if _, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), o); !errors.As(err, &r) || !strings.HasPrefix(r.Text, want) {
			t.Fatalf("%d: %v", i, err)
		} else if i < 2 && !slices.Equal(r.Hints, []string{"why"}) {
			t.Errorf("%q", r.Hints)
		}
	}
	ran, _ := os.ReadFile(filepath.Join(y.tree, "runs"))
	if head, _ := y.git(y.main, "rev-parse", "HEAD"); string(ran) != "x\nx\n" || head != before {
		t.Errorf("ran %q, merged: %v", ran, head != before)
	}
	o.Gates.Retries = 3
	o.Gates.Run = []string{"true"}
	if r, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), o); err != nil || r.To == "" {
		t.Errorf("%+v, %v", r, err)
	}
	if n := y.member("w").Worker.Tries(); n != 0 {
		t.Errorf("%d runs after a pass", n)
	}
}

// TestNothingPassesNoGate: an earlier engine passed a run whose agent had changed nothing, as a way led past the check.
func TestNothingPassesNoGate(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a")
	o := MergeOptions{Gates: Gates{Run: []string{"true"}, Retries: 2}}
	refused := func(text string) {
		t.Helper()
		before := y.picture()
		var r *Refused
		if m, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), o); !errors.As(err, &r) || !strings.HasPrefix(r.Text, text) || y.picture() != before {
			t.Errorf("%q: %+v, %v", text, m, err)
		}
	}
	refused("it changed nothing")
	y.sh(y.main, "lines 3 > b; save")
	refused("it changed nothing")
	y.sh(y.tree, "git commit -q --allow-empty -m empty")
	refused("it changed nothing")
	y.sh(y.tree, "edit a 5 w; save; edit a 1 w")
	refused("gates would try files that are not merged: a")
	y.sh(y.tree, "save")
	o.Gates.Run = []string{"echo more >> a"}
	var r *Refused
	if _, err := MergeBranch(t.Context(), y.crew, y.repo, y.member("w"), o); !errors.As(err, &r) || r.Text != "a gate changed files of its tree" {
		t.Errorf("%v", err)
	}
	o.Gates = Gates{Run: []string{"sleep 600"}, Retries: 5, Timeout: 1}
	y.sh(y.tree, "git checkout -q a")
	refused("a gate did not end within")
}
