package manager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"aburn/internal/lockfile"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// claimName takes a name, and the lock that says that this process still spawns. A name that the person chose must be free; one
// that is made of the task gets a number.
func claimName(c *Manager, p Plan, s *Spawned) (*ledger.Book, error) {
	name := cmp.Or(p.Name, p.stem())
	for n := 1; ; n++ {
		try := p.numbered(name, n)
		book := c.Store.Book(try)
		err := book.Create(s.hold)
		if err == nil {
			return book, nil
		}
		s.release()
		switch {
		case !errors.Is(err, ledger.ErrTaken) || p.Name != "" || n > 1000:
			return nil, err
		}
	}
}

// numbered is the n-th name that begins so.
func (p *Plan) numbered(name string, n int) string {
	if n > 1 || p.Number && p.Name == "" {
		name += "-" + strconv.Itoa(n)
	}
	return name
}

// stem is what a name that the person did not choose begins with.
func (p *Plan) stem() string { return cmp.Or(p.Stem, Slug(p.Task)) }

// Slug is a name made of the first words of a task.
func Slug(task string) string {
	const most = 28 // leaves room for a number
	words := strings.FieldsFunc(strings.ToLower(task), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	name := ""
	for _, w := range words {
		if len(name)+1+len(w) > most || strings.Count(name, "-") > 3 {
			break
		}
		name += "-" + w
	}
	if name == "" && len(words) > 0 {
		name = "-" + words[0][:most-1]
	}
	if name == "" {
		return "worker"
	}
	return name[1:]
}

func (s *Spawned) hold(dir string) (err error) {
	if s.root, err = os.OpenRoot(dir); err != nil {
		return err
	}
	s.lock, err = lockfile.Acquire(s.root, spawnLock, patience)
	return err
}

func (s *Spawned) release() {
	if s.lock != nil {
		s.lock.Release()
		s.lock = nil
	}
	if s.root != nil {
		s.root.Close()
		s.root = nil
	}
}

// chooseBranch is the branch that the person wants, which must be new, or a free one of the worker's name.
func chooseBranch(ctx context.Context, repo *tree.Repo, name string, p Plan) (string, error) {
	if p.Tip != "" && p.Taken {
		return p.Branch, notCheckedOut(ctx, repo, p.Branch)
	}
	want, wanted := p.Branch, p.Branch
	if want == "" {
		want = cmp.Or(p.Prefix, "aburn/") + name
	}
	free, err := repo.FreeBranch(ctx, want)
	if err == nil && wanted != "" && free != wanted {
		err = &tree.Problem{Text: fmt.Sprintf("the branch %q exists already", wanted), Advice: "--branch with another name"}
	}
	return free, err
}
