package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/run"
)

// CLI asks through the user's own coding agent, with the login that it has. It is given
// no tools, and works in an empty folder of its own.
type CLI struct {
	Environ []string // the person's; the agent sees what is harmless of it and its own variables
	agent   *agent
}

// agent is what differs between coding agents.
type agent struct {
	name      string
	variables []string // that it needs, beside those that any program may see
	without   []string // of these, the ones that would say it runs inside of a session
	more      func(environ []string) (names []string)
	// call is the command line and what is added to the environment, for files in a folder.
	call func(r Request, dir string) (argv, env []string)
	// read makes an answer of what it printed. dir is the folder of call.
	read func(r Request, said run.Result, dir string) (Response, error)
	// lines is how many lines it may print; 0 is any number. An agent that cannot be told
	// how many turns it may take is ended by it.
	lines int
	// model is the one that it takes by the user's own settings; "" where they name none.
	model  func(environ []string) string
	vendor string // whose models those are
}

var agents = []*agent{&claude, &codex}

// Names are the providers by which a configuration can choose, beside auto and none.
func Names() (names []string) {
	for _, a := range agents {
		names = append(names, a.name)
	}
	return append(names, (&API{}).Name())
}

// Bounds of one call of an agent.
const (
	cliTime   = 10 * time.Minute
	cliOutput = 8 << 20
)

// Files of a question, in the folder of a call.
const (
	systemFile = "system.md"
	schemaFile = "schema.json"
	answerFile = "answer.json"
)

// Find gives the provider that a configuration names. auto takes the first that is
// there: a coding agent on PATH, then a key for the Messages API in the environment.
func Find(name string, environ []string) (Provider, error) {
	api := &API{Key: valueOf(environ, "ANTHROPIC_API_KEY"), URL: valueOf(environ, "ANTHROPIC_BASE_URL")}
	for _, a := range agents {
		if name == a.name {
			return &CLI{environ, a}, nil
		}
		if _, err := exec.LookPath(a.name); name == "auto" && err == nil {
			return &CLI{environ, a}, nil
		}
	}
	switch {
	case name == api.Name(), name == "auto" && api.Key != "":
		return api, nil
	case name == "auto":
		return nil, fmt.Errorf("none of %s is on PATH, and there is no ANTHROPIC_API_KEY", strings.Join(Names()[:len(agents)], ", "))
	case name == "none":
		return nil, errors.New("provider is none: plans are only applied")
	}
	return nil, fmt.Errorf("there is no provider %q", name)
}

func valueOf(environ []string, name string) (value string) {
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

func (c *CLI) Name() string { return c.agent.name }

// Ready says whether the agent starts. It asks nothing.
func (c *CLI) Ready(ctx context.Context) error {
	said, err := run.Do(ctx, run.Program{Argv: []string{c.agent.name, "--version"}, Dir: os.TempDir(), Env: c.env(), Timeout: 30 * time.Second})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not on PATH", c.agent.name)
	case err != nil:
		return err
	case said.Code != 0:
		return fmt.Errorf("%s --version has the exit code %d", c.agent.name, said.Code)
	}
	return nil
}

func (c *CLI) env() []string {
	names := c.agent.variables
	if c.agent.more != nil {
		names = append(slices.Clone(names), c.agent.more(c.Environ)...)
	}
	env := run.Clean(c.Environ, append(slices.Clone(names), "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR")...)
	env = slices.DeleteFunc(env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return run.Matches(name, c.agent.without)
	})
	return append(env, "ABURN=0") // our hooks record nothing of it
}

// Complete starts the agent for one question.
func (c *CLI) Complete(ctx context.Context, r Request) (Response, error) {
	dir, err := os.MkdirTemp("", "aburn-ask-")
	if err != nil {
		return Response{}, err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{systemFile: r.System, schemaFile: string(r.Schema)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return Response{}, err
		}
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		return Response{}, err
	}
	question := inOne(r.Turns)
	argv, env := c.agent.call(r, dir)
	within, stop := context.WithCancel(ctx)
	defer stop()
	watch := &bounded{lines: c.agent.lines, stop: stop}
	said, err := run.Do(within, run.Program{Argv: argv, Dir: empty, Env: append(c.env(), env...), Stdin: strings.NewReader(question), Timeout: cliTime,
		Output: cliOutput, Live: watch})
	switch {
	case ctx.Err() != nil:
		return Response{}, ctx.Err()
	case watch.over, errors.Is(err, run.ErrTimeout):
		// What it took is not known: at least the question, once a turn.
		return Response{Usage: Usage{Input: (len(r.System) + len(question)) * 2 / 7 * max(1, watch.seen/3)}},
			fmt.Errorf("%w: %s came to no end", ErrSchema, c.agent.name)
	case err != nil:
		return Response{}, err
	}
	return c.agent.read(r, said, dir)
}

// inOne is a dialogue as one text: an agent is asked once. An answer is one line of JSON,
// so nothing in it looks like another turn.
func inOne(turns []Turn) string {
	var b strings.Builder
	for _, t := range turns {
		if t.Role == "assistant" {
			b.WriteString("\nYou answered:\n" + strings.ReplaceAll(t.Text, "\n", " ") + "\n\n")
			continue
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// bounded ends a program that prints more lines than it may.
type bounded struct {
	lines, seen int
	over        bool
	stop        func()
}

func (b *bounded) Write(p []byte) (int, error) {
	b.seen += bytes.Count(p, []byte("\n"))
	if b.lines > 0 && b.seen > b.lines && !b.over {
		b.over = true
		b.stop()
	}
	return len(p), nil
}

// said is a text of an agent, for an error.
func said(text string) string {
	r := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
	return string(r[:min(len(r), 300)])
}
