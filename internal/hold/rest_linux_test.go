package hold

import (
	"errors"
	"io/fs"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"aburn/internal/proc"
)

// A holder that is killed writes nothing. Its agent lives on, and what it left is found and ended; strangers are not.
func TestKilledHolderLeavesOrphansThatAreFound(t *testing.T) {
	s := newStage(t)
	b := s.start("(cd / && exec setsid sleep 603) & env -i sleep 604 & setsid sh -c 'env -i sleep 605 & wait' & touch up; sleep 606; true")
	s.until("agent is up", s.exists("up"))
	s.until("six processes run", func() bool {
		all, _, _ := proc.Descendants(s.cmd.Process.Pid)
		return len(s.marked()) == 4 && len(all) == 6
	})
	strangers := map[string]*exec.Cmd{}
	for _, c := range []struct{ name, dir, mark string }{
		{"same folder", s.tree, ""}, {"other worker", s.tree, s.mark + "2"}, {"other worker elsewhere", t.TempDir(), "2" + s.mark},
	} {
		cmd := exec.Command("sleep", "605")
		cmd.Dir, cmd.Env = c.dir, []string{MarkVariable + "=" + c.mark}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		strangers[c.name] = cmd
	}
	s.cmd.Process.Kill()
	s.cmd.Wait()
	if held, err := Held(s.dir, 1); held || err != nil {
		t.Error(held, err)
	}
	if err := End(t.Context(), s.dir, 1); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	if _, err := ReadEnded(s.dir, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a killed holder certified:", err)
	}
	rest := Rest{Dir: s.dir, Began: []Began{b}, Marks: []string{s.mark}}
	found := rest.Find()
	if len(found) != 6 {
		t.Errorf("%v are found, not 6", found)
	}
	if n, err := EndRest(t.Context(), rest); n != len(found) || err != nil {
		t.Fatal(n, err)
	}
	for _, p := range found {
		if proc.Of(p, proc.Host()) != proc.Gone {
			t.Errorf("%v runs", p)
		}
	}
	for name, cmd := range strangers {
		if p, ok := proc.Lookup(cmd.Process.Pid); !ok {
			t.Errorf("%s: %v was ended", name, p)
		}
	}
	if left := s.marked(); len(left) > 0 {
		t.Error(left)
	}
}

// A number that is used again leads to nobody: the start tells the two apart.
func TestNumberUsedAgainIsNotSignalled(t *testing.T) {
	cmd := exec.Command("sleep", "606")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	p, _ := proc.Lookup(cmd.Process.Pid)
	p.Start--
	signalExactly(p, proc.Host(), syscall.SIGKILL)
	b := Began{Agent: p, Host: proc.Host()}
	b.Boot, _ = proc.Clock()
	if got := (Rest{Began: []Began{b}, Marks: []string{"x"}}).Find(); len(got) > 0 {
		t.Error(got)
	}
	if _, ok := proc.Lookup(cmd.Process.Pid); !ok {
		t.Error("the stranger was killed")
	}
}

// A ledger that lost the marks of a worker points at nobody else's process, and neither does a holder's record of another boot.
func TestRestWithoutMarks(t *testing.T) {
	s := newStage(t)
	self, _ := proc.Self()
	bystander := exec.Command("sleep", "600")
	bystander.Dir, bystander.Env = s.tree, []string{MarkVariable + "="}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		bystander.Process.Kill()
		bystander.Wait()
	})
	s.until("it sleeps", func() bool { return proc.Cwd(bystander.Process.Pid) == s.tree })
	its, _ := proc.Lookup(bystander.Process.Pid)
	boot, _ := proc.Clock()
	for _, r := range []Rest{
		{}, {Marks: []string{""}}, {Marks: []string{s.mark}}, {Began: []Began{{Agent: its, Host: proc.Host(), Boot: boot + "0"}}},
		{Began: []Began{{Agent: its, Host: proc.Host() + "0", Boot: boot}}},
		{Began: []Began{{Holder: self, Host: proc.Host(), Boot: boot}}, Marks: []string{s.mark}}, {Began: []Began{{Host: proc.Host(), Boot: boot}}},
	} {
		if list := r.Find(); len(list) > 0 {
			t.Errorf("%+v: %v of others", r, list)
		}
	}
}

// What belongs to a worker, and what does not: a table of processes as the system may show it.
func TestRelated(t *testing.T) {
	one := func(pid, parent, session int) proc.Relative {
		return proc.Relative{Process: proc.Process{PID: pid, Start: int64(pid)}, Parent: parent, Session: session}
	}
	all := []proc.Relative{
		one(10, 1, 10), one(11, 10, 10), // a shell and its child
		one(20, 1, 20), one(21, 20, 20), one(22, 1, 20), one(23, 22, 23), // a marked leader, its child, one in its session, and that one's
		one(30, 1, 10), one(31, 30, 10), // marked, in the shell's session, and its child
		one(40, 21, 40), one(41, 40, 40), // another worker's holder below it, and what that holds
		one(50, 1, 99), one(51, 1, 99), // one that is marked in the session of an agent that is gone, and one that is not
		one(60, 1, 98), // in a session with the number of a holder, where nothing is marked
	}
	is := func(pids ...int) map[proc.Process]bool {
		m := map[proc.Process]bool{}
		for _, pid := range pids {
			m[proc.Process{PID: pid, Start: int64(pid)}] = true
		}
		return m
	}
	var got []int
	for _, p := range related(all, is(20, 30, 50), is(40, 41), map[int]bool{99: true, 98: true}) {
		got = append(got, p.PID)
	}
	slices.Sort(got)
	if want := []int{20, 21, 22, 23, 30, 31, 50, 51}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
