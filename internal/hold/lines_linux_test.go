package hold

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// speak starts an agent that is spoken to in lines.
func (s *stage) speak(script string) Began {
	s.Helper()
	s.offer()
	s.cmd = exec.Command(os.Args[0], s.dir, "1")
	s.cmd.Env = append(os.Environ(), "BE_A_HOLDER=1")
	if err := s.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	l := Launch{Dir: s.tree, Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH"), MarkVariable + "=" + s.mark}, Lines: true}
	if err := Hand(s.Context(), s.dir, 1, l); err != nil {
		s.Fatal(err)
	}
	b, err := Await(s.Context(), s.dir, 1)
	if err != nil {
		s.Fatal(err)
	}
	return b
}

// said is all that stands in said.1: o and i, and the text.
func (s *stage) said() (list []string) {
	s.Helper()
	_, _, err := Said(s.dir, 1, 0, func(h Heard) {
		if h.Tag != "" {
			list = append(list, "i "+h.Tag)
		} else {
			list = append(list, "o "+string(h.Line))
		}
	})
	if err != nil {
		s.Fatal(err)
	}
	return list
}

// Lines reach the agent whole and in order, those from before its start too. Each leaves its tag before its file goes.
func TestLinesReachTheAgent(t *testing.T) {
	s := newStage(t)
	long := strings.Repeat("x", 300<<10)
	for i, line := range []string{"one", long} {
		if err := Say(s.dir, 1, fmt.Sprint("m-", i), []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	s.speak(`echo oops >&2; while read -r l; do echo "got $l"; [ "$l" != end ] || exit 5; done`)
	s.until("two answers", func() bool {
		return len(slices.DeleteFunc(s.said(), func(l string) bool { return l[0] == 'i' })) == 2
	})
	if err := Say(s.dir, 1, "last", []byte("end")); err != nil {
		t.Fatal(err)
	}
	if err := Poke(s.dir, 1); err != nil {
		t.Fatal(err)
	}
	if e := s.over(); e.Code != 5 {
		t.Errorf("%+v", e)
	}
	got := s.said()
	printed := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return l[0] == 'i' })
	told := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return l[0] == 'o' })
	if !slices.Equal(printed, []string{"o got one", "o got " + long, "o got end"}) || !slices.Equal(told, []string{"i m-0", "i m-1", "i last"}) {
		t.Errorf("%.200q", got)
	}
	if left, err := Sayings(s.dir, 1); len(left) > 0 || err != nil {
		t.Error(left, err)
	}
	if e := Errs(s.dir, 1); e != "oops\n" {
		t.Errorf("%q", e)
	}
	for _, bad := range []string{"", "a b", "../x", strings.Repeat("a", 81)} {
		if Say(s.dir, 1, bad, nil) == nil {
			t.Errorf("%q is a tag", bad)
		}
	}
	if Say(s.dir, 1, "a", []byte("two\nlines")) == nil {
		t.Error("two lines were said as one")
	}
	if err := Poke(s.dir, 1); err != ErrGone {
		t.Error(err)
	}
}

// What the agent prints is bounded: the oldest goes, and whoever reads on loses nothing that is still there.
func TestSaidIsBounded(t *testing.T) {
	world.Slow(t)
	s := newStage(t)
	const n = 3000
	s.speak(fmt.Sprintf(`i=0; x=$(head -c 8192 /dev/zero | tr '\0' x); while [ $i -lt %d ]; do echo $i $x; i=$((i+1)); while [ $((i %% 500)) = 0 ] && [ ! -e `+
		`read.$i ]; do sleep 0.01; done; done`, n))
	next, seen, wrong := int64(0), 0, 0
	read := func() {
		var lost bool
		var err error
		next, lost, err = Said(s.dir, 1, next, func(h Heard) {
			if !strings.HasPrefix(string(h.Line), fmt.Sprint(seen, " x")) {
				wrong++
			}
			seen++
			if seen%500 == 0 { // so that it is never more than said.1.old behind
				os.WriteFile(filepath.Join(s.tree, fmt.Sprint("read.", seen)), nil, 0o600)
			}
		})
		if lost || err != nil {
			t.Fatal(lost, err)
		}
	}
	s.until("all is printed", func() bool { read(); return seen >= n })
	s.over()
	if read(); wrong > 0 || seen != n {
		t.Errorf("%d lines, %d wrong", seen, wrong)
	}
	size := int64(0)
	for _, name := range []string{"said.1", "said.1.old"} {
		st, err := os.Stat(filepath.Join(s.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		size += st.Size()
	}
	if size > 2*maxSaid+1<<20 {
		t.Errorf("%d bytes", size)
	}
	first := ""
	if _, lost, err := Said(s.dir, 1, 0, func(h Heard) {
		if first == "" {
			first, _, _ = strings.Cut(string(h.Line), " ")
		}
	}); !lost || err != nil || first == "0" {
		t.Error(lost, err, first)
	}
}

// An agent without a terminal ends with its holder: its input ends, and what it prints has nobody.
func TestLinesEndWithAKilledHolder(t *testing.T) {
	s := newStage(t)
	b := s.speak(`touch up; while read -r l; do :; done; touch ended`)
	s.until("agent is up", s.exists("up"))
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s.until("the agent ended by itself", s.exists("ended"))
	if _, err := EndRest(t.Context(), Rest{Dir: s.dir, Began: []Began{b}, Marks: []string{s.mark}}); err != nil {
		t.Fatal(err)
	}
}
