//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// scenario is a session, played twice by the same agent on the same script: with aburn and without.
type scenario struct {
	script func() model.Script
	files  map[string]string
	// prepare changes a world before aburn comes in; nil = nothing.
	prepare func(*world)
	play    func(*world)
	// check looks at the world with aburn, after the general checks.
	check func(*world)
	// transcript is the truth that the log is compared with; nil = the check does it.
	transcript func(*world) []call
	// calls is the table that the log's calls must equal; see expect.
	calls string
	// storeless says that the agent was told to keep no transcript.
	storeless bool
	// unequal says why what the model is told, and says, differs between two runs, whether with aburn or without.
	unequal string
}

// run plays a scenario in both worlds.
func (s scenario) run(t *testing.T) {
	t.Helper()
	t.Parallel()
	plain := s.world(t, "native", false)
	s.play(plain)
	hooked := s.world(t, "hooked", true)
	s.play(hooked)
	if s.unequal == "" {
		sameModel(t, hooked, plain)
		if !slices.Equal(hooked.shown, plain.shown) {
			t.Errorf("the agent showed with aburn:\n%q\nwithout:\n%q", hooked.shown, plain.shown)
		}
	}
	if with, without := hooked.gitStatus(), plain.gitStatus(); with != without {
		t.Errorf("git status with aburn:\n%s\nwithout:\n%s", with, without)
	}
	if _, err := os.Lstat(filepath.Join(plain.project, ".oss")); err == nil {
		t.Error("there is an .oss in the world without aburn")
	}
	logged := loggedCalls(hooked, hooked.entries(hooked.project))
	heardToo(t, logged, hooked.heard())
	if s.transcript != nil {
		agree(t, logged, s.transcript(hooked))
	}
	if s.calls != "" {
		expect(t, logged, s.calls)
	}
	if s.check != nil {
		s.check(hooked)
	}
	if !s.storeless {
		hooked.storesAgree()
	}
}

func (s scenario) world(t *testing.T, name string, hooked bool) *world {
	t.Helper()
	w := newWorld(t, name, s.script(), s.files)
	if s.prepare != nil {
		s.prepare(w)
	}
	if hooked {
		w.install()
	}
	return w
}
