package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"aburn/install"
)

// A full disk: the doctor says so and how many entries are lost. With room again, the log tells it.
func TestFullDisk(t *testing.T) {
	w := newWorld(t)
	w.install(install.User, install.Claude)
	if os.Getuid() != 0 {
		t.Skip("only root may mount")
	}
	oss := w.path("src/.oss")
	if err := syscall.Mount("tmpfs", oss, "tmpfs", 0, "size=128k,mode=0700"); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	defer syscall.Unmount(oss, 0)
	if _, err := install.InitProject(w.root, os.Getenv, install.InitOptions{}); err != nil { // it is another .oss now
		t.Fatal(err)
	}
	hook := func(n int) {
		t.Helper()
		cmd := exec.Command(w.path("bin/aburn-hook"), "claude")
		cmd.Dir, cmd.Env = w.root, append(os.Environ(), "CLAUDE_PROJECT_DIR="+w.root)
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"true"},`+
			`"tool_use_id":"t%d","tool_response":{"stdout":""}}`, n))
		if err := cmd.Run(); err != nil {
			t.Fatalf("the hook did not exit 0: %v", err)
		}
	}
	hook(0)
	w.expect(w.run(w.root), "log ok writable; the last entry is TOOL of ")
	filler, err := os.Create(oss + "/filler")
	if err != nil {
		t.Fatal(err)
	}
	for _, err = filler.Write(make([]byte, 512)); err == nil; {
		_, err = filler.Write(make([]byte, 512))
	}
	filler.Close()
	// What the log's last page has left is used up, then entries are refused.
	log := oss + "/workflow.log"
	n := 1
	for refused := 0; refused < 7; n++ {
		before, _ := os.Stat(log)
		hook(n)
		if after, err := os.Stat(log); err != nil || after.Size() == before.Size() || after.Size()%4096 == 0 {
			refused++
		}
		if n > 100 {
			t.Fatal("the disk does not fill")
		}
	}
	report := w.run(w.root)
	w.expect(report, "log bad disk full: there is no room for an entry (64 KiB) in ~/src/.oss")
	w.expect(report, "log bad 7 entries could not be written since 2")
	if _, err := os.Lstat(oss + "/.doctor.tmp"); err == nil {
		t.Error("the doctor left its file behind")
	}
	if err := os.Remove(oss + "/filler"); err != nil {
		t.Fatal(err)
	}
	hook(n)
	w.expect(w.run(w.root), "log ok writable; the last entry is TOOL of ")
	text, err := os.ReadFile(log)
	if err != nil || strings.Count(string(text), `"event":"UNWRITTEN"`) != 1 || !strings.Contains(string(text), `"data":{"entries":7,"from":"2`) {
		t.Errorf("the log says\n%s\n%v", text, err)
	}
}
