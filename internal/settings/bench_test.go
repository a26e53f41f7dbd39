package settings

import (
	"os"
	"path/filepath"
	"testing"

	"aburn/internal/project"
)

// What a hook pays for settings on every tool call, with the file that init writes: the model is not in it.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	os.Mkdir(filepath.Join(dir, ".oss"), 0o700)
	os.WriteFile(filepath.Join(dir, ".oss", File), Default(), 0o600)
	b.Setenv("HOME", dir)
	b.Setenv("XDG_STATE_HOME", "")
	if err := project.Mark(dir); err != nil {
		b.Fatal(err)
	}
	p, err := project.Find(dir, os.Getenv)
	if err != nil {
		b.Fatal(err)
	}
	oss, err := p.OpenOss()
	if err != nil {
		b.Fatal(err)
	}
	defer oss.Close()
	b.ReportAllocs()
	for b.Loop() {
		LoadIn(oss, p, os.Getenv)
	}
}
