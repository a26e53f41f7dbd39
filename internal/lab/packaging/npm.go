package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// npm gets one package of executables for each platform, and the package aburn, which depends on all of them optionally: npm installs the one
// that fits. What few people start has packages of its own, which aburn names when it is asked for. None has a script that an install would
// run. Only aburn has a launcher in JavaScript, for people; hooks call a native executable, which `aburn install-hooks` puts where npm moves
// nothing.

var (
	//go:embed npm/aburn.js
	npmLauncher []byte
	//go:embed npm/README.md
	npmReadme []byte
)

// npmScope holds the packages of platforms. It is a placeholder: nobody has registered it.
const npmScope = "@aburn/"

// npmApart are the executables with packages of their own: they are as large as all others together.
var npmApart = []string{"aburn-instrument", "aburn-push"}

// npmNames are how Node calls systems and processors where Go does otherwise.
var npmNames = map[string]string{"windows": "win32", "amd64": "x64"}

func npmName(goName string) string {
	if name := npmNames[goName]; name != "" {
		return name
	}
	return goName
}

func npmPlatform(t Target) string { return npmName(t.OS) + "-" + npmName(t.Arch) }

// manifest is package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Homepage    string            `json:"homepage"`
	Repository  string            `json:"repository"` // npm compares it with who publishes, for provenance
	License     string            `json:"license"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Files       []string          `json:"files"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Unplugged   bool              `json:"preferUnplugged,omitempty"` // Yarn must unpack executables
}

func (r Release) manifest(name, about string) manifest {
	return manifest{Name: name, Version: r.Number(), Description: about, Homepage: r.Homepage(), Repository: "git+" + r.Homepage() + ".git", License: "MIT",
		Files: []string{"bin"}}
}

// npm writes the packages of all targets, and aburn itself last, as it must be published.
func npm(ctx context.Context, r Release, out string, _ []string) error {
	license, err := os.ReadFile(filepath.Join(r.Root, "LICENSE"))
	if err != nil {
		return err
	}
	others, err := r.others(ctx)
	if err != nil {
		return err
	}
	aburn := r.manifest("aburn", r.About())
	aburn.Bin = map[string]string{"aburn": "bin/aburn.js"}
	aburn.Engines = map[string]string{"node": ">=18"}
	aburn.Optional = map[string]string{}
	for _, t := range r.Targets {
		files, err := r.native(ctx, t)
		if err != nil {
			return err
		}
		native := func(name, about string, files ...file) (manifest, error) {
			m := r.manifest(npmScope+name, about+" for "+npmPlatform(t))
			m.OS, m.CPU, m.Unplugged = []string{npmName(t.OS)}, []string{npmName(t.Arch)}, true
			if len(files) == 1 {
				m.Bin = map[string]string{strings.TrimSuffix(files[0].name, ".exe"): "bin/" + files[0].name}
			}
			for i := range files {
				files[i].name = "bin/" + files[i].name
			}
			return m, r.npmPackage(out, "aburn-"+name, m, append(files, file{"LICENSE", 0o644, license}, others))
		}
		var together []file
		for _, f := range files {
			name := strings.TrimSuffix(f.name, ".exe")
			if !slices.Contains(npmApart, name) {
				together = append(together, f)
			} else if _, err := native(strings.TrimPrefix(name, "aburn-")+"-"+npmPlatform(t), "The executable of "+strings.Replace(name, "-", " ", 1), f); err != nil {
				return err
			}
		}
		m, err := native(npmPlatform(t), "The executables of aburn", together...)
		if err != nil {
			return err
		}
		aburn.Optional[m.Name] = m.Version
	}
	return r.npmPackage(out, "aburn", aburn, []file{
		{"bin/aburn.js", 0o755, npmLauncher}, {"LICENSE", 0o644, license}, {"README.md", 0o644, npmReadme},
	})
}

// npmPackage writes what `npm publish ./FILE` takes.
func (r Release) npmPackage(out, name string, m manifest, files []file) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(m); err != nil {
		return err
	}
	files = append([]file{{"package.json", 0o644, text.Bytes()}}, files...)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	var b bytes.Buffer
	if err := writeTarGz(&b, files, r.Time); err != nil {
		return err
	}
	path := filepath.Join(out, fmt.Sprintf("%s-%s.tgz", name, r.Number()))
	return os.WriteFile(path, b.Bytes(), 0o644)
}
