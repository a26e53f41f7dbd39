package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// What the executables say of themselves is the truth: each module in them has its licence in every package.
func TestLicencesOfAllModules(t *testing.T) {
	world.Slow(t)
	r := testRelease(t)
	others, err := r.others(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if again, err := r.others(ended); err != nil || !bytes.Equal(again.data, others.data) {
		t.Errorf("licences are looked for again, or differ: %v", err)
	}
	programs, err := r.native(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	dir, seen := t.TempDir(), 0
	if err := write(dir, programs); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		info, err := buildinfo.ReadFile(filepath.Join(dir, p.name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range info.Deps {
			if seen++; !strings.Contains(string(others.data), "\n"+m.Path+" "+m.Version+"\n") {
				t.Errorf("%s holds %s %s, whose licence is not there", p.name, m.Path, m.Version)
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d modules were found", seen)
	}
	if of := strings.Count(string(others.data), "Permission is hereby granted") + strings.Count(string(others.data), "Redistribution and use"); of < 20 {
		t.Errorf("only %d licences were found", of)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	goes, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	if err != nil {
		t.Skip("this Go brings no licence: ", err)
	}
	if !strings.Contains(string(others.data), "Go and its standard library\n") || !strings.Contains(string(others.data), strings.TrimSpace(string(goes))) {
		t.Error("Go's own licence is not there")
	}
}

// A licence that comes with foreign code into the source is brought by the packages too.
func TestLicencesOfForeignCode(t *testing.T) {
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard")
	cmd.Dir = rootOfSource
	out, err := cmd.Output()
	if err != nil {
		t.Skip("this source is in no repository: ", err)
	}
	known := map[string]bool{"LICENSE": true}
	for _, pattern := range embedded {
		paths, err := filepath.Glob(filepath.Join(rootOfSource, pattern))
		if err != nil || len(paths) == 0 {
			t.Errorf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			name, _ := filepath.Rel(rootOfSource, path)
			known[filepath.ToSlash(name)] = true
		}
	}
	name := regexp.MustCompile(`(?i)(^|/)(licen[cs]es?|copying)(\.(md|txt))?$`)
	for path := range strings.Lines(string(out)) {
		if path = strings.TrimSpace(path); name.MatchString(path) && !known[path] && !strings.Contains(path, "/testdata/") {
			t.Errorf("no package brings %s: name it in embedded", path)
		}
	}
}
