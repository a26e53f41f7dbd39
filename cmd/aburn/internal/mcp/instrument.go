package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"aburn/cmd/aburn/internal/record"
	"aburn/internal/mcpserver"
	"aburn/internal/plain"
	"aburn/internal/scrub"
)

// instrumenting answers by aburn-instrument, which it starts. It gives an agent what the commands print, of its own
// project only. Only instrument_start writes, and only what a person approved.
type instrumenting struct {
	dir  string
	find func() string // the executable; "" for none
}

// Arguments of its tools.
type (
	pathsAsk struct {
		Paths []string `json:"paths" jsonschema:"files and folders of the project, such as src"`
	}
	checkAsk struct {
		Orig string `json:"original" jsonschema:"the file as it was, in the project"`
		New  string `json:"instrumented" jsonschema:"the file with spans, in the project"`
	}
	runAsk struct {
		Run  string `json:"run,omitempty" jsonschema:"the id of a run; without it all of them"`
		Wait int    `json:"wait,omitempty" jsonschema:"seconds to wait while a run goes on, at most 50; progress is told meanwhile, if you asked for it"`
	}
	startAsk struct {
		Token string   `json:"token" jsonschema:"of instrument_ceiling, for the same paths; a person has to approve it first: aburn instrument approve TOKEN"`
		Paths []string `json:"paths" jsonschema:"the same as for instrument_ceiling"`
	}
)

// Times and bounds of a call.
const (
	instrumentTime  = 2 * time.Minute
	startPatience   = 5 * time.Second  // in which a run that is refused says so
	beat            = 10 * time.Second // a client that wants to know hears this often that a tool still works
	look            = time.Second      // between two looks at a run that is waited for
	maxWait         = 50               // seconds; clients give up after 60
	maxPaths        = 50
	maxInstrumented = 4 << 20
)

func (i *instrumenting) tools() []mcpserver.Tool {
	raw := mcpserver.NewTool[pathsAsk, json.RawMessage]
	tools := []mcpserver.Tool{
		raw("instrument_scan", "Which functions deserve an OpenTelemetry span",
			"Looks at the JavaScript of the paths: candidates for a span, what libraries cover, what is never wrapped, each with its reason. Calls no model.",
			func(ctx context.Context, who mcpserver.Asker, ask pathsAsk) (*mcpserver.Answer, error) {
				return i.paths(ctx, who, ask.Paths, "scan")
			}),
		raw("instrument_ceiling", "The most that instrumenting could cost",
			"The ceiling of a run on the paths, and a token for it. The token starts nothing until the user has approved it in a terminal with aburn instrument "+
				"approve TOKEN, or the ceiling lies below the user's own setting. Calls no model.",
			func(ctx context.Context, who mcpserver.Asker, ask pathsAsk) (*mcpserver.Answer, error) {
				return i.paths(ctx, who, ask.Paths, "cost", "--token")
			}),
		mcpserver.NewTool[checkAsk, json.RawMessage]("instrument_check", "Was only instrumentation added?",
			"Compares the syntax trees of a file before and after: findings with rule, line, why and a right example. No findings: only instrumentation was added, "+
				"and it is right.", i.check),
		mcpserver.NewTool[runAsk, json.RawMessage]("instrument_status", "How far runs are",
			"The runs of aburn instrument in this project: phase, files done, tokens, branch, whether one is running. With wait it answers when the run ends, or "+
				"after so many seconds.", i.status),
		mcpserver.NewTool[startAsk, started]("instrument_start", "Start a run that the user approved",
			"Starts aburn instrument on the paths, with a token of instrument_ceiling that the user has approved. It answers at once with the run's id; "+
				"instrument_status says how it goes. It makes a branch, and pushes nothing.", i.start).Writing(),
	}
	for n := range tools[:len(tools)-1] { // of starts one waits for the other: a token is good for one
		tools[n] = tools[n].Apart()
	}
	return tools
}

// telling tells a client that wants to know that a tool works, until stop is called.
func telling(who mcpserver.Asker, what string) (stop func()) {
	if who.Tell == nil {
		return func() {}
	}
	begin, ticker, ended := time.Now(), time.NewTicker(beat), make(chan struct{})
	who.Tell(what + " began")
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				who.Tell(fmt.Sprintf("%s works, %d s", what, int(time.Since(begin).Seconds())))
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(ended)
	}
}

// argv is the beginning of a command line of ours.
func (i *instrumenting) argv(args ...string) ([]string, error) {
	exe := i.find()
	if exe == "" {
		return nil, errors.New("aburn-instrument is neither next to aburn nor on PATH\nhint: install aburn anew")
	}
	return append([]string{exe, "-C", i.dir, "--no-color"}, args...), nil
}

// inside gives paths of the project, behind -- so that none is a flag.
func (i *instrumenting) inside(paths []string) ([]string, error) {
	if len(paths) == 0 || len(paths) > maxPaths {
		return nil, fmt.Errorf("paths: name 1 to %d files or folders of the project", maxPaths)
	}
	top, err := filepath.EvalSymlinks(i.dir)
	if err != nil {
		return nil, err
	}
	list := []string{"--"}
	for _, p := range paths {
		at := p
		if !filepath.IsAbs(at) {
			at = filepath.Join(top, at)
		}
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return nil, fmt.Errorf("%s: there is no such file or folder", plain.OneLine(p, 200))
		}
		rel, err := filepath.Rel(top, real)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("%s: lies outside of the project", plain.OneLine(p, 200))
		}
		list = append(list, real)
	}
	return list, nil
}

func (i *instrumenting) paths(ctx context.Context, who mcpserver.Asker, paths []string, command ...string) (*mcpserver.Answer, error) {
	list, err := i.inside(paths)
	if err != nil {
		return nil, err
	}
	return i.answer(ctx, who, append(append(command, "--json"), list...))
}

func (i *instrumenting) check(ctx context.Context, who mcpserver.Asker, ask checkAsk) (*mcpserver.Answer, error) {
	list, err := i.inside([]string{ask.Orig, ask.New})
	if err != nil {
		return nil, err
	}
	return i.answer(ctx, who, append([]string{"check", "--json"}, list...))
}

func (i *instrumenting) status(ctx context.Context, who mcpserver.Asker, ask runAsk) (*mcpserver.Answer, error) {
	args := []string{"status", "--json"}
	if ask.Run != "" {
		if !runForm.MatchString(ask.Run) {
			return nil, errors.New("run: is no id of a run")
		}
		args = append(args, ask.Run)
	}
	if ask.Wait < 0 || ask.Wait > maxWait {
		return nil, fmt.Errorf("wait: is 0 to %d seconds", maxWait)
	}
	if ask.Wait > 0 {
		defer telling(who, "instrument status")()
	}
	end := time.Now().Add(time.Duration(ask.Wait) * time.Second)
	for told := ""; ; {
		data, err := i.output(ctx, args)
		if err != nil {
			return nil, err
		}
		text, running := progressOf(data)
		if who.Tell != nil && ask.Wait > 0 && running && text != told {
			who.Tell(text)
			told = text
		}
		if !running || time.Now().Add(look).After(end) {
			return answerOf(args[0], data)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(look):
		}
	}
}

// progressOf words how far the newest run is that goes on, of what status prints.
func progressOf(data []byte) (text string, running bool) {
	var list struct {
		Runs []struct {
			Run, Phase            string
			Running               bool
			Files, Done           int
			Failed, Calls, Tokens int
		}
	}
	if json.Unmarshal(data, &list) != nil {
		return "", false
	}
	for _, r := range list.Runs {
		if r.Running {
			return fmt.Sprintf("run %s, %s: %d of %d files, %d failed, %d calls, %d tokens", r.Run, r.Phase, r.Done, r.Files, r.Failed, r.Calls, r.Tokens), true
		}
	}
	return "", false
}

var (
	runForm   = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{6}$`)
	tokenForm = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

// answer is what a command prints as JSON. A client that wants to know hears that it works.
func (i *instrumenting) answer(ctx context.Context, who mcpserver.Asker, args []string) (*mcpserver.Answer, error) {
	defer telling(who, "instrument "+args[0])()
	data, err := i.output(ctx, args)
	if err != nil {
		return nil, err
	}
	return answerOf(args[0], data)
}

func answerOf(command string, data []byte) (*mcpserver.Answer, error) {
	text, _ := scrub.Text(plain.ModelText(string(data)))
	return fenced("instrument "+command, &mcpserver.Answer{Markdown: text, Data: json.RawMessage(data)}, nil)
}

// output is the JSON that a command prints, without secrets. Exit code 1 is bad news, and an answer.
func (i *instrumenting) output(ctx context.Context, args []string) ([]byte, error) {
	argv, err := i.argv(args...)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, instrumentTime)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !json.Valid(out.Bytes()) || out.Len() == 0) {
		return nil, errors.New(said(&errs, err))
	}
	if out.Len() > maxInstrumented {
		return nil, errors.New("the answer is too long\nhint: name fewer paths")
	}
	return record.WithoutSecrets(out.Bytes()), nil
}

// said is what a command told on stderr.
func said(errs *bytes.Buffer, err error) string {
	text, _ := scrub.Text(plain.ModelText(errs.String()))
	if text = strings.TrimSpace(text); text == "" {
		return err.Error()
	}
	return text[:min(len(text), 2000)]
}

// started is the answer of instrument_start.
type started struct {
	Run string `json:"run"`
}

// newRun is an id as aburn-instrument makes them.
func newRun(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

// start starts a run that goes on after this call, and after this server. One that is
// refused ends within a moment, with its reason.
func (i *instrumenting) start(_ context.Context, _ mcpserver.Asker, ask startAsk) (*mcpserver.Answer, error) {
	if !tokenForm.MatchString(ask.Token) {
		return nil, errors.New("token: has 16 hex digits\nhint: instrument_ceiling gives one")
	}
	list, err := i.inside(ask.Paths)
	if err != nil {
		return nil, err
	}
	run := newRun(time.Now())
	argv, err := i.argv(append([]string{"--approved", ask.Token, "--run", run, "--no-pr", "--json"}, list...)...)
	if err != nil {
		return nil, err
	}
	told, err := os.CreateTemp("", "aburn-instrument-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(told.Name())
	defer told.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = told // a file, which outlives this process
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	timer := time.NewTimer(startPatience)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			text, _ := os.ReadFile(told.Name())
			return nil, errors.New(said(bytes.NewBuffer(text), err))
		}
	case <-timer.C:
	}
	return &mcpserver.Answer{Markdown: "run " + run + " began; instrument_status says how it goes", Data: started{run}}, nil
}
