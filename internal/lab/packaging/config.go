package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// config is what .goreleaser.yaml says of all packages. Nothing here repeats it.
type config struct {
	Builds []build
	Nfpms  []struct{ Homepage, Maintainer, Description string }
}

type build struct {
	Main, Binary                                        string
	Env, Flags, Ldflags, Goos, Goarch, Goamd64, Goarm64 []string
}

func readConfig(root string) (c config, err error) {
	path := filepath.Join(root, ".goreleaser.yaml")
	data, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("%w: is %s the root of aburn's source?", err, root)
	}
	if err = yaml.Unmarshal(data, &c); err == nil && (len(c.Builds) == 0 || len(c.Nfpms) == 0) {
		err = errors.New("it builds nothing")
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// targets are the systems and processors of the first build. All builds share them.
func (c config) targets() (list []Target) {
	for _, system := range c.Builds[0].Goos {
		for _, arch := range c.Builds[0].Goarch {
			list = append(list, Target{system, arch})
		}
	}
	return list
}

// executables are the names of all builds, aburn first.
func (c config) executables() (names []string) {
	for _, b := range c.Builds {
		names = append(names, b.Binary)
	}
	return names
}

// about is the summary that every package shows.
func (c config) about() string {
	line, _, _ := strings.Cut(c.Nfpms[0].Description, "\n")
	return line
}

// command is the go command that builds all executables into dir, and its environment beyond the caller's.
func (c config) command(number string, t Target, dir string) (args, env []string) {
	b := c.Builds[0]
	flags := strings.ReplaceAll(strings.Join(b.Ldflags, " "), "{{ .Version }}", number)
	args = append(append([]string{"build"}, b.Flags...), "-ldflags="+flags, "-o", dir+string(filepath.Separator))
	for _, each := range c.Builds {
		args = append(args, each.Main)
	}
	env = append(env, b.Env...)
	return args, append(env, "GOOS="+t.OS, "GOARCH="+t.Arch, "GOAMD64="+b.Goamd64[0], "GOARM64="+b.Goarm64[0])
}
