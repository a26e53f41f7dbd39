package install

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// wholeFiles are the agents with a file of aburn's own.
func wholeFiles() (list []Agent) {
	for _, a := range Agents() {
		if a.own != nil {
			list = append(list, a)
		}
	}
	return list
}

// A file of aburn's own is made whole, brought up to date by the next install, and goes as long as nobody has changed it,
// with the folders that the install made. It goes even if the record is lost.
func TestOwnFile(t *testing.T) {
	for _, a := range wholeFiles() {
		for _, lost := range []bool{false, true} {
			b := newBench(t, a, nil)
			top := filepath.Dir(b.path)
			os.Remove(top)
			b.install()
			s := InspectFile(a, b.path, "", b.env)
			if s.Err != nil || len(s.Missing()) > 0 || len(s.Own()) != len(a.events()) || s.Others != 0 {
				t.Fatalf("%s: %+v", a, s)
			}
			for _, r := range s.Own() {
				if r.Path != filepath.Join(b.home, "bin", programFile(hookName)) || strings.Join(r.Args, " ") != a.Name+" --home "+filepath.ToSlash(b.home) {
					t.Errorf("%s: %+v", a, r)
				}
			}
			if st, err := os.Stat(b.path); err != nil || world.HasModes() && st.Mode().Perm() != 0o600 {
				t.Errorf("%s: mode %v, %v", a, st.Mode(), err)
			}
			if c := b.install(); !c.Files[0].Same() || c.Files[0].Moved != 0 {
				t.Errorf("%s: a second install changes something", a)
			}
			if lost {
				os.RemoveAll(filepath.Join(b.home, ".local"))
			}
			env := b.options.Env
			b.options.Env = func(name string) string {
				if name == "ABURN_HOME" {
					return filepath.FromSlash(filepath.VolumeName(b.home) + "/my archive")
				}
				return env(name)
			}
			if c := b.install(); c.Files[0].Moved == 0 || !bytes.Contains(b.read(), []byte("/my archive")) {
				t.Errorf("%s: another folder is not registered:\n%s", a, b.read())
			}
			if lost {
				os.RemoveAll(filepath.Join(b.home, ".local"))
			}
			if c := b.uninstall(); !c.Files[0].Remove || !c.Files[0].Exact || exists(b.path) {
				t.Errorf("%s: the file is still there", a)
			}
			if !lost && exists(top) {
				t.Errorf("%s: a folder that the install made is still there", a)
			}
		}
	}
}

// A file of that name that is somebody else's, or that somebody changed, stays as it is.
func TestOwnFileOfOthers(t *testing.T) {
	for _, a := range wholeFiles() {
		b := newBench(t, a, nil)
		b.install()
		ours := b.read()
		for _, other := range [][]byte{nil, []byte("{}\n"), append(bytes.Clone(ours), ' '), bytes.Replace(ours, []byte(hookName), []byte("x"), 1), ours[1:]} {
			b.write(other)
			if _, err := Plan(b.options); !errors.Is(err, ErrOthersFile) {
				t.Errorf("%s: install over %q: %v", a, other, err)
			}
			c := b.uninstall()
			if f := c.Files[0]; !f.Same() || len(f.Notes) != 1 {
				t.Errorf("%s: uninstall of %q: %v", a, other, f.Notes)
			}
			b.want("left alone", b.read(), other)
		}
		b.write(ours) // put back, it is as an install left it
		b.uninstall()
		if exists(b.path) {
			t.Errorf("%s: the file is still there", a)
		}
	}
}

// The registered command succeeds whatever is wrong with the executable: Copilot takes any failure for a refusal.
func TestCopilotLineSurvives(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ name, program string }{
		{"gone", ""}, {"fails", "#!/bin/sh\nexit 2\n"}, {"is killed", "#!/bin/sh\nkill -9 $$\n"}, {"is no program", "\x00"},
	} {
		b := newBench(t, Copilot, nil)
		b.install()
		hook := filepath.Join(b.home, "bin", programFile(hookName))
		os.Remove(hook)
		if c.program != "" {
			if err := os.WriteFile(hook, []byte(c.program), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		s := InspectFile(Copilot, b.path, "", b.env)
		for _, r := range s.Own() {
			if out, err := exec.Command("sh", "-c", r.Shell).Output(); err != nil || len(out) > 0 {
				t.Errorf("%s: %s: %v %q", c.name, r.Shell, err, out)
			}
			if !r.Guarded || !strings.Contains(r.Shell, " copilot "+r.Event+" ") {
				t.Errorf("%s", r.Shell)
			}
		}
	}
}

// A project's file is for everybody: it names no folders, and has a line for each system.
func TestCopilotProject(t *testing.T) {
	b := newBench(t, Copilot, nil)
	root := filepath.Join(b.home, "src")
	makeRepository(t, root)
	if err := os.Mkdir(filepath.Join(root, ".oss"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.options.Scope, b.options.Dir = Project, root
	c := b.install()
	path := filepath.Join(root, ".github", "hooks", "aburn.json")
	data, err := os.ReadFile(path)
	if err != nil || c.Files[0].Path != path || len(c.Files[0].Notes) != 1 {
		t.Fatalf("%v %+v", err, c.Files[0])
	}
	for _, want := range []string{`"bash": "aburn-hook copilot preToolUse 2>/dev/null || true"`,
		`"powershell": "try { & 'aburn-hook' 'copilot' 'preToolUse' 2>$null } catch {}; exit 0"`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("%s is not in %s", want, data)
		}
	}
	if s := InspectFile(Copilot, path, root, b.env); len(s.Missing()) > 0 {
		t.Errorf("missing %v", s.Missing())
	}
	b.uninstall()
	if exists(filepath.Join(root, ".github")) {
		t.Error(".github is still there")
	}
}
