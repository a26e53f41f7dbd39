package hold

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"aburn/internal/lab/world"
)

// TestHolderAsProcessOne: in a container the holder is the first process of its namespace. It is asked from outside, adopts what
// the agent left, and its certificate is read outside.
func TestHolderAsProcessOne(t *testing.T) {
	world.Slow(t)
	if exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").Run() != nil {
		t.Skip("no right to make a namespace of processes")
	}
	s := newStage(t)
	s.offer()
	s.cmd = exec.Command("unshare", "--pid", "--fork", "--mount-proc", os.Args[0], s.dir, "1")
	s.cmd.Env = append(os.Environ(), "BE_A_HOLDER=1")
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := s.hand("/bin/sh", "-c", family+"touch up; while :; do sleep 1; done")
	s.until("agent is up", s.exists("up"))
	if b.Holder.PID != 1 {
		t.Errorf("the holder is process %d there", b.Holder.PID)
	}
	if left := (Rest{Dir: s.dir, Began: []Began{b}}).Find(); len(left) > 0 {
		t.Errorf("numbers of another namespace are taken for processes of this one: %v", left)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := End(ctx, s.dir, 1); err != nil {
		t.Fatal(err)
	}
	if e := s.over(); !e.Asked || e.Signal != int(syscall.SIGTERM) || e.Left < 3 {
		t.Errorf("%+v", e)
	}
}

// TestHolderInAContainer needs podman, an image with a shell (ABURN_IMAGE) and a holder that it can run (ABURN_HOLDER, static).
func TestHolderInAContainer(t *testing.T) {
	image, holder := os.Getenv("ABURN_IMAGE"), os.Getenv("ABURN_HOLDER")
	if _, err := exec.LookPath("podman"); err != nil || image == "" || holder == "" {
		t.Skip("no podman, or no ABURN_IMAGE and ABURN_HOLDER")
	}
	s := newStage(t)
	s.offer()
	s.cmd = exec.Command("podman", "run", "--rm", "-v", s.dir+":"+s.dir, "-v", s.tree+":"+s.tree, "-v", holder+":/aburn-hold:ro", image, "/aburn-hold", s.dir, "1")
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if b := s.hand("/bin/sh", "-c", "touch up; sleep 600"); b.Holder.PID != 1 {
		t.Errorf("the holder is process %d there", b.Holder.PID)
	}
	s.until("agent is up", s.exists("up"))
	if err := End(t.Context(), s.dir, 1); err != nil {
		t.Fatal(err)
	}
	if e := s.over(); !e.Asked {
		t.Errorf("%+v", e)
	}
}
