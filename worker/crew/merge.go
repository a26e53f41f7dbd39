package crew

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"aburn/internal/lockfile"
	"aburn/worker"
	"aburn/worker/ledger"
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
}

// Merge is what a merge did, or would do.
type Merge struct {
	Worker    string          `json:"worker"`
	Into      string          `json:"into"`
	How       How             `json:"how"`
	Check     bool            `json:"check,omitempty"`
	From      string          `json:"from"`         // where the branch stood
	To        string          `json:"to,omitempty"` // where it stands
	Head      string          `json:"head"`         // the worker's commit
	Commits   int             `json:"commits"`
	Files     int             `json:"files"`
	Conflicts []tree.Conflict `json:"conflicts,omitempty"`
	Stopped   string          `json:"stopped,omitempty"`  // the commit that cannot be replayed
	Included  []string        `json:"included,omitempty"` // files that were committed first
	Left      []string        `json:"left,omitempty"`     // files in the worker's tree that are in no commit
	Ahead     int             `json:"ahead"`              // commits that the branch has since the worker began
	Works     bool            `json:"works,omitempty"`    // the agent has not ended its turn
	Modules   []string        `json:"submodules,omitempty"`
}

// merging makes this process the only one of the project's that merges.
func (c *Crew) merging(do func() error) error {
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
	c        *Crew
	repo     *tree.Repo // of the checkout that the person works in
	m        *Member
	o        MergeOptions
	r        Merge
	checkout bool   // the branch is checked out in it
	packed   string // the commit of what the worker did not commit
	head     string // the worker's branch
}

// Merge brings a worker's commits into a branch. All objects are made, and all that could refuse is asked, before anything is
// touched. Then the branch moves in one step. Conflicts stand in the result and touch nothing.
func (c *Crew) Merge(ctx context.Context, repo *tree.Repo, m *Member, o MergeOptions) (Merge, error) {
	x := &merge{c: c, repo: repo, m: m, o: o, r: Merge{Worker: m.Name, Check: o.Check, How: o.How}}
	if o.Check {
		err := x.begin(ctx, x.look)
		return x.r, err
	}
	unlock, err := c.alone(c.Store.Book(m.Name), m)
	if err != nil {
		return x.r, err
	}
	defer unlock()
	err = c.merging(func() error { return x.begin(ctx, x.do) })
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
	if err := x.base(ctx); err != nil {
		return err
	}
	if x.repo.Contains(ctx, x.r.From, x.r.Head) {
		x.r.How, x.r.To = HowAlready, x.r.From
		return x.changedSomething(ctx)
	}
	return next(ctx)
}

// target is the branch that is merged into.
func (x *merge) target(ctx context.Context) error {
	here := x.repo.Branch(ctx)
	x.r.Into, x.checkout = here, true
	if x.o.Onto != "" && x.o.Onto != here {
		x.r.Into, x.checkout = x.o.Onto, false
	}
	if x.r.Into == "" {
		return refuse("this checkout is on no branch: nobody would find the merge again", "git switch BRANCH", "--onto BRANCH")
	}
	x.r.From = x.repo.Tip(ctx, x.r.Into)
	switch {
	case x.r.From == "" && x.checkout:
		return &tree.Problem{Text: "the branch " + x.r.Into + " has no commit yet", Advice: "git commit"}
	case x.r.From == "":
		return &tree.Problem{Text: fmt.Sprintf("there is no branch %q", x.r.Into), Advice: "git branch"}
	case x.r.Into == x.m.Request.Branch:
		return &tree.Problem{Text: "that is the worker's own branch", Advice: "aburn -C CHECKOUT merge " + x.m.Name + ", or --onto BRANCH"}
	case x.checkout:
		return x.cleanCheckout(ctx)
	}
	at, err := x.repo.CheckedOut(ctx, x.r.Into)
	if err == nil && at != "" {
		err = refuse(x.r.Into+" is checked out in "+at, "aburn -C "+at+" merge "+x.m.Name)
	}
	return err
}

func (x *merge) cleanCheckout(ctx context.Context) error {
	op, err := x.repo.Midway(ctx)
	if err != nil {
		return err
	}
	if op != "" {
		return refuse("a "+op+" is not finished in this checkout", "git status")
	}
	dirty, err := x.repo.Tracked(ctx)
	if err == nil && len(dirty) > 0 {
		err = refuse(fmt.Sprintf("this checkout has %d changed: %s", len(dirty), names(dirty)), "commit them, or git stash", "--onto BRANCH merges into a branch that is not checked out")
	}
	return err
}

// source is the worker's commit, and what is in no commit.
func (x *merge) source(ctx context.Context) error {
	x.head = x.repo.Tip(ctx, x.m.Request.Branch)
	if x.head == "" {
		return refuse("its branch "+x.m.Request.Branch+" is gone", "aburn diff "+x.m.Name, "aburn snapshots "+x.m.Name)
	}
	x.r.Head, x.r.Works = x.head, !x.m.Quiet()
	t := x.repo.Tree(x.m.Request.Tree)
	if !t.Exists(ctx) {
		if x.o.Include {
			return refuse("its tree is gone, and with it what --include-changes would commit", "aburn snapshots "+x.m.Name)
		}
		return nil
	}
	s, err := t.State(ctx)
	if err != nil {
		return err
	}
	if s.Head != x.head && !x.repo.Contains(ctx, x.head, s.Head) {
		return refuse(fmt.Sprintf("its tree stands on %s, which is not on its branch %s", s.Head[:8], x.m.Request.Branch), "git merge "+s.Head[:8], "git -C "+t.Path+" log --oneline -5")
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
	if err := x.c.settledTree(x.m); err != nil {
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
		return refuse("its tree is not on its branch "+x.m.Request.Branch, "git -C "+t.Path+" status")
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
func (x *merge) base(ctx context.Context) (err error) {
	base := x.m.Base()
	if base == "" {
		return nil
	}
	if !x.repo.Contains(ctx, x.r.From, base) && x.o.Onto == "" {
		return refuse(fmt.Sprintf("%s does not contain %s, the commit that %s began at: it is another branch, or somebody moved it", x.r.Into, base[:8], x.m.Name),
			"git reflog "+x.r.Into, "--onto "+x.r.Into+" says that you mean it")
	}
	x.r.Ahead, err = x.repo.Ahead(ctx, base, x.r.From)
	return err
}

// look finds out what would happen.
func (x *merge) look(ctx context.Context) error {
	_, err := x.make(ctx)
	return err
}

// make makes the commit that the branch will stand on, and asks whether the checkout can go there.
func (x *merge) make(ctx context.Context) (to string, err error) {
	if x.o.How == HowRebase {
		to, err = x.replay(ctx)
	} else {
		to, err = x.join(ctx)
	}
	if err != nil || to == "" {
		return "", err
	}
	files, err := x.repo.Files(ctx, x.r.From, to)
	if err != nil {
		return "", err
	}
	x.r.Files = len(files)
	if x.checkout {
		way, err := x.repo.InTheWay(ctx, x.r.From, to)
		if err == nil && len(way) > 0 {
			err = refuse(fmt.Sprintf("%d in this checkout would be written over, which no commit has: %s", len(way), names(way)), "move them away")
		}
		if err != nil {
			return "", err
		}
		x.r.Modules, _ = x.repo.Modules(ctx, x.r.From, to)
	}
	return to, nil
}

func (x *merge) join(ctx context.Context) (string, error) {
	var err error
	if x.r.Commits, err = x.repo.Ahead(ctx, x.r.From, x.r.Head); err != nil {
		return "", err
	}
	if x.o.How == "" {
		x.r.How = HowMerge
		if x.repo.Contains(ctx, x.r.Head, x.r.From) {
			x.r.How = HowForward
			return x.r.Head, nil
		}
	}
	j, err := x.repo.Join(ctx, x.r.From, x.r.Head)
	if errors.Is(err, tree.ErrUnrelated) {
		return "", refuse(x.r.Into + " and its branch have no history in common")
	}
	if x.r.Conflicts = j.Conflicts; err != nil || len(j.Conflicts) > 0 {
		return "", err
	}
	if has, err := x.repo.TreeOf(ctx, x.r.From); x.r.How == HowSquash && (err != nil || j.Tree == has) {
		x.r.How, x.r.To = HowAlready, x.r.From // squashed before
		return "", err
	}
	message, err := x.message(ctx)
	if err != nil {
		return "", err
	}
	if x.r.How == HowSquash {
		return x.repo.Write(ctx, j.Tree, message, x.r.From)
	}
	return x.repo.Write(ctx, j.Tree, message, x.r.From, x.r.Head)
}

func (x *merge) replay(ctx context.Context) (string, error) {
	p, err := x.repo.Replay(ctx, x.r.From, x.r.From, x.r.Head)
	x.r.Conflicts, x.r.Stopped, x.r.Commits = p.Conflicts, p.Stopped, p.Commits
	switch {
	case errors.Is(err, tree.ErrUnrelated):
		return "", refuse(x.r.Into + " and its branch have no history in common")
	case err != nil || len(p.Conflicts) > 0:
		return "", err
	case p.Head == x.r.From:
		x.r.How, x.r.To = HowAlready, x.r.From // all of it is there in other commits
		return "", nil
	}
	return p.Head, nil
}

// message is the person's, or says which worker it was.
func (x *merge) message(ctx context.Context) (string, error) {
	if x.o.Message != "" {
		return x.o.Message + "\n", nil
	}
	if x.r.How != HowSquash {
		return "Merge branch '" + x.m.Request.Branch + "' into " + x.r.Into + "\n\n" + x.subject() + "\n", nil
	}
	subjects, err := x.repo.Subjects(ctx, x.r.Head, x.r.From)
	if err != nil || len(subjects) == 1 {
		return strings.Join(subjects, "") + "\n", err
	}
	var b strings.Builder
	b.WriteString(x.subject() + "\n\n")
	for _, s := range slices.Backward(subjects) {
		b.WriteString("* " + s + "\n")
	}
	return b.String(), nil
}

// do merges. Each step leaves either nothing or something that stands for itself.
func (x *merge) do(ctx context.Context) error {
	to, err := x.make(ctx)
	if err != nil || to == "" {
		return err
	}
	if err := x.gates(ctx); err != nil {
		return err
	}
	if x.packed != "" {
		if err := x.commitPacked(ctx); err != nil {
			return err
		}
	}
	switch why := "aburn merge " + x.m.Name; {
	case !x.checkout:
		err = x.repo.Move(ctx, x.r.Into, x.r.From, to, why)
	case x.o.Hooks && x.r.How == HowMerge:
		message, _ := x.message(ctx)
		to, err = x.repo.MergeHooked(ctx, x.r.From, x.r.Head, message)
	default:
		err = x.repo.Forward(ctx, x.r.From, to, x.o.Hooks)
	}
	if errors.Is(err, tree.ErrMoved) {
		return refuse(x.r.Into+" moved meanwhile", "try again")
	}
	if err != nil {
		return err
	}
	x.r.To = to
	done := ledger.Entry{Fact: worker.Fact{Kind: worker.Merged, Gen: max(1, x.m.Ledger.Gen()), Head: x.r.Head}}
	done.Branch, done.Base, done.Commit = x.r.Into, x.r.From, to
	return x.c.Store.Book(x.m.Name).Append(done)
}

// commitPacked gives the worker's branch the commit of its changes, after a snapshot of what was staged and what was not.
func (x *merge) commitPacked(ctx context.Context) error {
	book, t := x.c.Store.Book(x.m.Name), x.repo.Tree(x.m.Request.Tree)
	k, err := t.Snapshot(ctx, book.Dir, nextRef(ctx, x.repo, x.m), "")
	if err != nil {
		return err
	}
	if err = book.Append(x.c.kept(x.m, worker.Snapshotted, k)); err == nil {
		err = t.Adopt(ctx, x.head, x.packed)
	}
	if errors.Is(err, tree.ErrMoved) {
		return refuse("its branch moved meanwhile", "try again")
	}
	return err
}
