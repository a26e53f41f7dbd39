package install

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// killHome makes this process install and uninstall in that home directory, over and over, until it is killed.
const killHome = "ABURN_INSTALL_KILL_HOME"

// killAgent names the agent for whom it does so.
const killAgent = "ABURN_INSTALL_KILL_AGENT"

func TestMain(m *testing.M) {
	if home := os.Getenv(killHome); home != "" {
		if err := installForEver(home); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if home := os.Getenv(onceHome); home != "" {
		if err := installOnce(home); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(fakeCodexDir); dir != "" {
		fakeCodex(dir)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// onceHome makes this process install once in that home directory.
const onceHome = "ABURN_INSTALL_ONCE_HOME"

func installOnce(home string) error {
	b := bench{home: home}
	c, err := Plan(Options{Agents: []Agent{Claude}, Dir: home, NoInit: true, AllowLog: true, Env: b.env})
	if err != nil {
		return err
	}
	_, err = c.Apply()
	return err
}

func installForEver(home string) error {
	b := bench{home: home}
	of := func(a Agent) bool { return a.Name != os.Getenv(killAgent) }
	o := Options{Agents: slices.DeleteFunc(Agents(), of), Dir: home, NoInit: true, AllowLog: true, Env: b.env}
	for {
		for _, plan := range []func(Options) (*Change, error){Plan, PlanUninstall} {
			c, err := plan(o)
			if err != nil {
				return err
			}
			if _, err := c.Apply(); err != nil {
				return err
			}
		}
	}
}

// victim is a running installForEver.
type victim struct {
	*exec.Cmd
	stderr bytes.Buffer
}

func (b *bench) startVictim() *victim {
	b.Helper()
	v := &victim{Cmd: exec.Command(os.Args[0])}
	v.Env = []string{killHome + "=" + b.home, killAgent + "=" + b.options.Agents[0].Name}
	v.Stderr = &v.stderr
	if err := v.Start(); err != nil {
		b.Fatal(err)
	}
	return v
}

// kill ends it with SIGKILL. That it ended by itself is a failure.
func (b *bench) kill(v *victim) {
	b.Helper()
	_ = v.Process.Kill()
	_ = v.Wait()
	if v.ProcessState.Exited() && (runtime.GOOS != "windows" || v.stderr.Len() > 0) { // a killed process has an exit code there
		b.Fatalf("ended by itself: %s", v.stderr.Bytes())
	}
}

// killed are the two states a kill may leave, and what must hold afterwards.
type killed struct {
	*bench
	original, installed []byte
}

// newKilled takes a file so large that a write of it takes time. One that no install found has original nil.
func newKilled(t *testing.T, a Agent, exists bool) *killed {
	k := &killed{bench: newBench(t, a, nil)}
	k.options.AllowLog = true
	if exists {
		k.original = bytes.Replace(draw(7, Claude), []byte("{"), append([]byte(`{"big": "`), append(bytes.Repeat([]byte("x"), 100<<10), `",`...)...), 1)
		k.write(k.original)
	}
	k.install()
	k.installed = k.read()
	k.uninstall()
	k.want("before the first kill", k.read(), k.original)
	return k
}

// check demands the old or the new bytes, that uninstall finds the way back, and that nothing is left lying about.
func (k *killed) check() {
	k.Helper()
	if now := k.read(); !bytes.Equal(now, k.original) && !bytes.Equal(now, k.installed) {
		k.Fatalf("neither the old nor the new bytes, but %d others: %.300q", len(now), now)
	}
	k.uninstall()
	k.want("uninstalled", k.read(), k.original)
	k.install()
	k.uninstall()
	k.empty()
	if k.Failed() {
		k.FailNow()
	}
}

func TestKillAtAnyMoment(t *testing.T) {
	world.Slow(t)
	for _, c := range []struct {
		agent  Agent
		exists bool
	}{{Claude, true}, {Claude, false}, {Copilot, false}, {Opencode, false}, {Pi, false}} {
		t.Run(fmt.Sprintf("%s, file exists=%t", c.agent, c.exists), func(t *testing.T) {
			k := newKilled(t, c.agent, c.exists)
			for range world.Storm(20) {
				v := k.startVictim()
				time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
				k.kill(v)
				k.check()
			}
		})
	}
}

// The kill comes as soon as anything about the settings file changes, or anything appears beside it: an installer that
// truncates and writes would be caught with half a file.
func TestKillAtTheFirstChange(t *testing.T) {
	for _, aim := range []string{"file", "folder"} {
		t.Run(aim, func(t *testing.T) {
			k := newKilled(t, Claude, true)
			path := k.path
			if aim == "folder" {
				path = filepath.Dir(path)
			}
			for range world.Storm(10) {
				before, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				v := k.startVictim()
				k.await(path, before)
				k.kill(v)
				k.check()
			}
		})
	}
}

// await returns when path is not what it was.
func (b *bench) await(path string, before os.FileInfo) {
	b.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		now, err := os.Stat(path)
		if err != nil || !os.SameFile(before, now) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
			return
		}
		runtime.Gosched()
	}
	b.Fatal("nothing changed for 2 min")
}

// Many installs at once leave the file as one would; those that found it changed under them say so.
func TestManyInstallsAtOnce(t *testing.T) {
	k := newKilled(t, Claude, true)
	for range world.Storm(3) {
		var all []*exec.Cmd
		var stderr [8]bytes.Buffer
		for i := range stderr {
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{onceHome + "=" + k.home}
			cmd.Stderr = &stderr[i]
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			all = append(all, cmd)
		}
		for i, cmd := range all {
			if err := cmd.Wait(); err != nil && !bytes.Contains(stderr[i].Bytes(), []byte(ErrChanged.Error())) {
				t.Errorf("%v: %s", err, stderr[i].Bytes())
			}
		}
		k.want("installed", k.read(), k.installed)
		k.uninstall()
		k.want("uninstalled", k.read(), k.original)
		k.empty()
	}
}
