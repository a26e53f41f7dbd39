//go:build agents

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/testkit/model"
)

// What a session leaves running goes on until the recording ends. Until then its group's number is nobody else's.
func TestGroupKeepsItsNumber(t *testing.T) {
	dir := t.TempDir()
	server, err := model.Start(model.Script{}, filepath.Join(dir, "requests"))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := &studio{home: dir, project: dir, model: server}
	p := s.start("sh", "-c", "sleep 600 & echo $! > child; exit 3")
	s.wait(p)
	if s.err != nil || p.ProcessState != nil {
		t.Fatalf("it is reaped, or %v", s.err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(child, 0) != nil {
		t.Error("what it left was ended with it")
	}
	s.end(p)
	s.end(p) // the second time there is nothing to signal
	if p.ProcessState.ExitCode() != 3 || s.err != nil {
		t.Errorf("%v, %v", p.ProcessState, s.err)
	}
	for late := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		if time.Now().After(late) {
			t.Fatal("what it left runs on")
		}
	}
}
