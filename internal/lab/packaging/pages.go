package main

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Manual pages and completions come from the executables themselves: from what their --help says.

// pages writes manual pages, completions and licences below out, and what packages of systems hold instead.
func pages(ctx context.Context, r Release, out string, _ []string) error {
	files, err := r.pages(ctx)
	if err != nil {
		return err
	}
	others, err := r.others(ctx)
	if err != nil {
		return err
	}
	system, err := r.system(files, others)
	if err != nil {
		return err
	}
	return write(out, slices.Concat(files, []file{others}, system))
}

func write(dir string, files []file) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// completions are the files in which shells look for a program's completions.
var completions = map[string]string{"bash": "aburn.bash", "zsh": "_aburn", "fish": "aburn.fish"}

func (r Release) pages(ctx context.Context) ([]file, error) {
	dir, err := os.MkdirTemp("", "aburn-pages-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	here := Target{runtime.GOOS, runtime.GOARCH}
	programs, err := r.native(ctx, here)
	if err != nil {
		return nil, err
	}
	if err := write(dir, programs); err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "home") // help must not depend on whose machine this is
	say := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(dir, here.exe("aburn")), args...)
		cmd.Dir, cmd.Env, cmd.Stderr = dir, []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + dir, "NO_COLOR=1"}, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("aburn %s: %w", strings.Join(args, " "), err)
		}
		return string(out), err
	}
	var files []file
	for _, shell := range []string{"bash", "fish", "zsh"} {
		script, err := say("completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + completions[shell], 0o644, []byte(script)})
	}
	manual, err := r.manual(say)
	return append(files, manual...), err
}

// manual is the page of aburn, one for each of its commands, and one for each executable that is no command.
func (r Release) manual(say func(args ...string) (string, error)) ([]file, error) {
	top, err := readHelp(say, nil, false)
	if err != nil {
		return nil, err
	}
	files := []file{{"man/aburn.1", 0o644, top.roff(r)}}
	paged := map[string]bool{"aburn": true}
	for _, name := range top.commandNames() {
		one, err := readHelp(say, []string{name}, true)
		if err != nil {
			return nil, err
		}
		paged[one.page()] = true
		files = append(files, file{"man/" + one.page() + ".1", 0o644, one.roff(r)})
	}
	for _, name := range r.Executables {
		if paged[name] {
			continue
		}
		doc, err := packageDoc(filepath.Join(r.Root, "cmd", name, "main.go"))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/" + name + ".1", 0o644, commentRoff(r, name, doc)})
	}
	return files, nil
}

// packageDoc is the comment above the package of a file.
func packageDoc(path string) (string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return "", err
	}
	return f.Doc.Text(), nil
}
