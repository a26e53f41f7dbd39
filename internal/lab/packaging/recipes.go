package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// Homebrew, Scoop and Nix get a file each that names the release's archives and their checksums.

//go:embed recipes
var recipeTexts embed.FS

// recipeData is what the templates see.
type recipeData struct {
	Release
	Brew       []brewSystem
	Scoop, Nix []recipeArchive
}

type brewSystem struct {
	Name     string
	Archives []recipeArchive
}

// recipeArchive is an archive with its processor as the package manager names it.
type recipeArchive struct{ Processor, URL, Folder, Hex, SRI string }

// recipes writes a file for each package manager; its argument is the checksums.txt of the archives.
func recipes(_ context.Context, r Release, out string, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("recipes needs the path of checksums.txt")
	}
	sums, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	data, err := r.recipeData(string(sums))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	texts, err := template.ParseFS(recipeTexts, "recipes/*.tmpl")
	if err != nil {
		return err
	}
	for _, t := range texts.Templates() {
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
			return err
		}
		path := filepath.Join(out, strings.TrimSuffix(t.Name(), ".tmpl"))
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r Release) recipeData(sums string) (recipeData, error) {
	d := recipeData{Release: r}
	var err error
	find := func(processor, system, arch string) recipeArchive {
		a, problem := r.recipeArchive(sums, Target{system, arch})
		if problem != nil {
			err = problem
		}
		a.Processor = processor
		return a
	}
	for _, system := range [][2]string{{"macos", "darwin"}, {"linux", "linux"}} {
		d.Brew = append(d.Brew, brewSystem{system[0], []recipeArchive{find("arm", system[1], "arm64"), find("intel", system[1], "amd64")}})
		d.Nix = append(d.Nix, find("aarch64-"+system[1], system[1], "arm64"), find("x86_64-"+system[1], system[1], "amd64"))
	}
	d.Scoop = []recipeArchive{find("64bit", "windows", "amd64"), find("arm64", "windows", "arm64")}
	return d, err
}

// recipeArchive finds the archive of a target among the lines of checksums.txt.
func (r Release) recipeArchive(sums string, t Target) (recipeArchive, error) {
	folder := r.Name(t)
	for line := range strings.Lines(sums) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if name != folder+".tar.gz" && name != folder+".zip" {
			continue
		}
		raw, err := hex.DecodeString(sum)
		if err != nil || len(raw) != 32 {
			return recipeArchive{}, fmt.Errorf("the sum of %s is no SHA-256: %s", name, sum)
		}
		url := r.Homepage() + "/releases/download/" + r.Version + "/" + name
		return recipeArchive{URL: url, Folder: folder, Hex: sum, SRI: "sha256-" + base64.StdEncoding.EncodeToString(raw)}, nil
	}
	return recipeArchive{}, fmt.Errorf("no archive of %s %s is listed", r.Version, t)
}
