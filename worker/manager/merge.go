package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"aburn/internal/lockfile"
	"aburn/worker/tree"
)

// How says how a worker's commits come into a branch.
type How string

// The ways. Without a wish a branch is moved forward where that is enough, and else a merge commit is made, as git does.
const (
	HowForward How = "forward"
	HowMerge   How = "merge"
	HowSquash  How = "squash"
	HowRebase  How = "rebase"
	HowAlready How = "already" // nothing had to be done
)

// MergeOptions are a person's wishes.
type MergeOptions struct {
	Onto    string // a branch; "" is the one that is checked out
	How     How    // "" leaves it to what is there
	Check   bool   // only say what would happen
	Include bool   // commit first what the worker did not
	Hooks   bool   // run the repository's hooks
	Message string
	Gates   Gates
	Seen    Seen // by the person who asked for it; something else is refused
}

// Seen is the worker's commit and the branch that a person was shown. What is empty may be anything.
type Seen struct{ Head, Into string }

// Merge is what a merge did, or would do.
type Merge struct {
	Worker    string          `json:"worker"`
	Into      string          `json:"into"`
	How       How             `json:"how"`
	Check     bool            `json:"check,omitempty"`
	From      string          `json:"from"`             // where the branch stood
	To        string          `json:"to,omitempty"`     // where it stands
	Head      string          `json:"head"`             // the worker's commit
	Branch    string          `json:"branch"`           // that is merged
	Behind    []string        `json:"behind,omitempty"` // the worker's former branches with commits that it does not have
	Commits   int             `json:"commits"`
	Files     int             `json:"files"`
	Conflicts []tree.Conflict `json:"conflicts,omitempty"`
	Stopped   string          `json:"stopped,omitempty"`  // the commit that cannot be replayed
	Included  []string        `json:"included,omitempty"` // files that were committed first
	Left      []string        `json:"left,omitempty"`     // files in the worker's tree that are in no commit
	Ahead     int             `json:"ahead"`              // commits that the branch has since the worker began
	Works     bool            `json:"works,omitempty"`    // the agent has not ended its turn
	Modules   []string        `json:"submodules,omitempty"`
	Cleanup   *Cleanup        `json:"cleanup,omitempty"` // of the worktree and the branch, if that was asked for
}

// mergingOf makes this process the only one of the project's that merges.
func mergingOf(c *Manager, do func() error) error {
	root, err := os.OpenRoot(c.Store.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, "merge.lock", treesWait)
	if err != nil {
		return err
	}
	defer lock.Release()
	return do()
}

// merge is one merge on its way.
type merge struct {
	c        *Manager
	repo     *tree.Repo // of the checkout that the person works in
	m        *Member
	o        MergeOptions
	r        Merge
	checkout bool   // the branch is checked out in it
	lacks    int    // commits of the branch that the worker's has not
	packed   string // the commit of what the worker did not commit
	head     string // the worker's branch
}

// MergeBranch brings a worker's commits into a branch. All objects are made, and all that could refuse is asked, before anything is
// touched. Then the branch moves in one step. Conflicts stand in the result and touch nothing.
func MergeBranch(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, o MergeOptions) (Merge, error) {
	x := &merge{c: c, repo: repo, m: m, o: o, r: Merge{Worker: m.Name, Branch: m.Request.Branch, Check: o.Check, How: o.How}}
	if o.Check {
		err := x.begin(ctx, x.look)
		return x.r, err
	}
	unlock, err := lockMember(c, c.Store.Book(m.Name), m)
	if err != nil {
		return x.r, err
	}
	defer unlock()
	err = mergingOf(c, func() error { return x.begin(ctx, x.do) })
	return x.r, err
}

// begin finds what is merged into what, and goes on if there is something to merge.
func (x *merge) begin(ctx context.Context, next func(context.Context) error) error {
	if err := x.target(ctx); err != nil {
		return err
	}
	if err := x.source(ctx); err != nil {
		return err
	}
	x.r.Behind = x.m.Behind(ctx, x.repo)
	if err := x.asSeen(); err != nil {
		return err
	}
	if err := x.base(ctx); err != nil {
		return err
	}
	var err error
	if x.lacks, x.r.Commits, err = tree.CountApart(ctx, x.repo, x.r.From, x.r.Head); err != nil {
		return err
	}
	if x.r.Commits == 0 {
		x.r.How, x.r.To = HowAlready, x.r.From
		return x.changedSomething(ctx)
	}
	return next(ctx)
}

// asSeen refuses what the person was not asked about.
func (x *merge) asSeen() error {
	switch seen := x.o.Seen; {
	case seen.Into != "" && x.r.Into != seen.Into:
		return refuse("this checkout stands on "+x.r.Into+" now, and you were asked about "+seen.Into, "look at it again")
	case seen.Head != "" && x.head != seen.Head:
		return refuse(fmt.Sprintf("its branch stands on %.8s now, and you were asked about %.8s", x.head, seen.Head), "look at it again")
	}
	return nil
}

// target is the branch that is merged into.
func (x *merge) target(ctx context.Context) error {
	at, here, dirty, err := tree.CheckoutWithChanges(ctx, x.repo)
	x.r.Into, x.r.From, x.checkout = here, at, true
	if x.o.Onto != "" && x.o.Onto != here {
		x.r.Into, x.r.From, x.checkout = x.o.Onto, x.repo.Tip(ctx, x.o.Onto), false
	}
	switch {
	case x.checkout && err != nil:
		return err
	case x.r.Into == "":
		return refuse("this checkout is on no branch: nobody would find the merge again", "git switch BRANCH", "--onto BRANCH")
	case x.r.From == "":
		return &tree.Problem{Text: fmt.Sprintf("there is no branch %q", x.r.Into), Advice: "git branch"}
	case x.r.Into == x.m.Request.Branch:
		return &tree.Problem{Text: "that is the worker's own branch", Advice: "aburn -C CHECKOUT merge " + x.m.Name + ", or --onto BRANCH"}
	case x.checkout:
		return x.cleanCheckout(dirty)
	}
	at, err = x.repo.CheckedOut(ctx, x.r.Into)
	if err == nil && at != "" {
		err = refuse(x.r.Into+" is checked out in "+at, "aburn -C "+at+" merge "+x.m.Name)
	}
	return err
}

func (x *merge) cleanCheckout(dirty []string) error {
	if op := x.repo.Midway(); op != "" {
		return refuse("a "+op+" is not finished in this checkout", "git status")
	}
	if len(dirty) > 0 {
		return refuse(fmt.Sprintf("this checkout has %d changed: %s", len(dirty), names(dirty)), "commit them, or git stash",
			"--onto BRANCH merges into a branch that is not checked out")
	}
	return nil
}

// source is the worker's commit, and what is in no commit.
func (x *merge) source(ctx context.Context) error {
	t := x.repo.Tree(x.m.Request.Tree)
	look := t.Brief
	if x.o.Include {
		look = t.State // of which all would be committed
	}
	s, err := look(ctx)
	if err == nil && s.Branch == x.m.Request.Branch {
		x.head = s.Head
	} else if x.head = x.repo.Tip(ctx, x.m.Request.Branch); x.head == "" {
		return refuse("its branch "+x.m.Request.Branch+" is gone", "aburn diff "+x.m.Name, "aburn snapshots "+x.m.Name)
	}
	x.r.Head, x.r.Works = x.head, !x.m.Quiet()
	if errors.Is(err, tree.ErrGone) {
		if x.o.Include && x.m.IsRemote() {
			return refuse("its tree is in another repository, where --include-changes commits nothing", "aburn send "+x.m.Name+" \"commit what you changed\"")
		}
		if x.o.Include {
			return refuse("its tree is gone, and with it what --include-changes would commit", "aburn snapshots "+x.m.Name)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if s.Head != x.head && !x.repo.Contains(ctx, x.head, s.Head) {
		if s.Branch != "" {
			return notItsBranch(x.m, s.Branch)
		}
		return refuse(fmt.Sprintf("its tree stands on %s, which is not on its branch %s", s.Head[:8], x.m.Request.Branch), "git merge "+s.Head[:8],
			"git -C "+t.Path+" log --oneline -5")
	}
	if x.r.Left = s.Changes; x.o.Include {
		return x.pack(ctx, t, s)
	}
	if x.head == x.m.Base() && len(s.Changes) > 0 {
		return refuse(fmt.Sprintf("it committed nothing, and has %d changed: %s", len(s.Changes), names(s.Changes)), "--include-changes commits them first")
	}
	return nil
}

// pack makes the commit of what the worker did not commit. It is the worker's only when nothing else can refuse.
func (x *merge) pack(ctx context.Context, t *tree.Tree, s *tree.State) error {
	if err := requireSettledTree(x.c, x.m); err != nil {
		return err
	}
	switch {
	case len(s.Changes) == 0:
		return nil
	case s.Midway != "":
		return refuse("a "+s.Midway+" is not finished in its tree", "git -C "+t.Path+" status")
	case len(s.Nested) > 0:
		return refuse("a repository of its own lies in its tree: "+names(s.Nested), "commit there, and then its place in "+t.Path)
	case s.Branch != x.m.Request.Branch:
		return notItsBranch(x.m, s.Branch)
	}
	packed, err := t.Pack(ctx, x.c.Store.Book(x.m.Name).Dir, x.subject()+"\n\nWhat the worker "+x.m.Name+" had not committed.\n")
	if err == nil && packed != "" {
		x.packed, x.r.Head, x.r.Included, x.r.Left = packed, packed, s.Changes, nil
	}
	return err
}

// subject is a line that says what the worker was to do.
func (x *merge) subject() string {
	line, _, _ := strings.Cut(x.m.Request.Task, "\n")
	if line = strings.TrimSpace(line); line == "" {
		line = x.m.Name
	}
	if r := []rune(line); len(r) > 72 {
		line = strings.TrimSpace(string(r[:71])) + "…"
	}
	return line
}

// base compares the branches with the commit that the ledger knows: an agent can move a branch.
func (x *merge) base(ctx context.Context) error {
	base := x.m.Base()
	if base == "" {
		return nil
	}
	missing, ahead, err := tree.CountApart(ctx, x.repo, base, x.r.From)
	if err != nil {
		return err
	}
	if missing > 0 && x.o.Onto == "" {
		return refuse(fmt.Sprintf("%s does not contain %s, the commit that %s began at: it is another branch, or somebody moved it", x.r.Into, base[:8], x.m.Name),
			"git reflog "+x.r.Into, "--onto "+x.r.Into+" says that you mean it")
	}
	x.r.Ahead = ahead
	return nil
}

// look finds out what would happen.
func (x *merge) look(ctx context.Context) error {
	_, err := x.make(ctx)
	return err
}
