package manager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/worker/ssh"
)

// gatesWork is how long gates may take in another repository.
const gatesWork = 25 * time.Minute

// TryGatesRemote has the aburn of a far member run gates.
func TryGatesRemote(ctx context.Context, c *Manager, m *Member, order RemoteGates) (v RemoteVerdict, err error) {
	text, err := json.Marshal(order)
	if err != nil {
		return v, err
	}
	hostName, _ := RemoteHost(m.Request.Via)
	host := HostNamed(c, hostName)
	host.Works = gatesWork
	r, err := host.Do(ctx, strings.NewReader(string(text)), ssh.Aburn(m.Request.Address, "far", "--gates", m.Name))
	switch {
	case err != nil:
		return v, err
	case r.Code != 0:
		return v, fmt.Errorf("%s: %s", host, RemoteError(r))
	}
	return v, json.Unmarshal(r.Stdout, &v)
}

// HostNamed is a machine, or with an empty name this one. What runs here must find this aburn, and not the project around it.
func HostNamed(c *Manager, name string) ssh.Host {
	h := ssh.Host{Name: name, Env: c.Environ}
	if name != "" {
		return h
	}
	h.Env = slices.DeleteFunc(slices.Clone(h.Env), func(kv string) bool { return strings.HasPrefix(kv, "ABURN_PROJECT_DIR=") })
	self, err := os.Executable()
	if i := slices.IndexFunc(h.Env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }); err == nil && i >= 0 {
		h.Env[i] += string(os.PathListSeparator) + filepath.Dir(self)
	}
	return h
}

// AskRemote is the crew's way to other machines.
func AskRemote(ctx context.Context, c *Manager, host, dir string, names []string) (news []News, err error) {
	r, err := HostNamed(c, host).Do(ctx, nil, ssh.Aburn(dir, append([]string{"far"}, names...)...))
	if err == nil {
		err = json.Unmarshal(r.Stdout, &news)
		if err != nil || r.Code != 0 {
			err = fmt.Errorf("%s: %s", HostNamed(c, host), RemoteError(r))
		}
	}
	return news, err
}

// RemoteError is what aburn there said of a failure.
func RemoteError(r run.Result) string {
	text := strings.TrimSpace(string(r.Stderr))
	for line := range strings.Lines(text) {
		if _, said, ok := strings.Cut(line, "aburn: error: "); ok {
			return plain.Line(strings.TrimSpace(said))
		}
	}
	if text = plain.Line(text[strings.LastIndexByte(text, '\n')+1:]); text == "" {
		text = "exit " + strconv.Itoa(r.Code)
	}
	return text
}

// RemoteMessages are the hints or warnings that aburn there gave.
func RemoteMessages(r run.Result, what string) (list []string) {
	for line := range strings.Lines(string(r.Stderr)) {
		if _, said, ok := strings.Cut(line, "aburn: "+what+": "); ok {
			list = append(list, plain.Line(strings.TrimSpace(said)))
		}
	}
	return list
}

// RunRemote runs aburn on the machine of a member. What aburn there says of a failure is the error.
func RunRemote(ctx context.Context, c *Manager, m *Member, stdin string, args ...string) (run.Result, error) {
	host, _ := RemoteHost(m.Request.Via)
	r, err := HostNamed(c, host).Do(ctx, strings.NewReader(stdin), ssh.Aburn(m.Request.Address, args...))
	if err == nil && r.Code != 0 {
		err = errors.New(RemoteError(r))
	}
	return r, err
}
