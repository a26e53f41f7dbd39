package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"aburn/internal/run"
	"aburn/internal/scrub"
)

// Mode is how spans are seen.
type Mode string

const (
	// Recorder stands in for an SDK.
	Recorder Mode = "recorder"
	// Tap listens to the SDK that the project sets up itself.
	Tap Mode = "tap"
	// OTLP receives what any exporter sends.
	OTLP Mode = "otlp"
)

// Tool is what the mode puts beside the command, in words.
func (m Mode) Tool() string {
	switch m {
	case Tap:
		return "the tap"
	case OTLP:
		return "the receiver"
	}
	return "the recorder"
}

// Options say what is recorded, and how.
type Options struct {
	Argv    []string
	Dir     string
	Mode    Mode
	Environ []string      // the person's environment
	Pass    []string      // variables that the command sees beside the harmless ones; NAME or NAME*
	Setup   string        // a file that sets up the project's SDK, loaded by each node; "" for none
	Timeout time.Duration // of one run
	Live    io.Writer     // gets what the command prints
	Once    bool          // no second run of a command that fails
	Temp    string        // folder for the spool; "" is the system's
}

// Recording is what a command did.
type Recording struct {
	Mode      Mode
	Command   []string
	Exit      int  // -1 after a signal
	Again     *int // exit code of a second run without the recorder, of a command that failed
	Hidden    int  // variables that the command did not see
	Spans     []Span
	Processes []Process // none of OTLP
	Refused   []Span    // where a test registered an SDK of its own: only place and test count
	Providers int       // SDKs that the tap found
	Requests  int       // that the receiver took
	Rejected  []string  // why the receiver refused requests, each reason once
	Broken    int       // lines that cannot be read
	Cut       bool      // a bound was reached: there were more spans
}

// StartError says that the command could not be started.
type StartError struct {
	Program string
	Err     error
}

func (e *StartError) Error() string { return e.Program + " could not be started: " + e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// Run runs the command and records it. A command that fails runs once more without
// the recorder. Errors are a *StartError, run.ErrTimeout, the context's, or those of
// the temporary folder.
func Run(ctx context.Context, o Options) (*Recording, error) {
	r := &Recording{Mode: o.Mode, Command: o.Argv}
	if o.Temp == "" {
		o.Temp = os.TempDir()
	}
	seen := seenVariables(o)
	r.Hidden = len(o.Environ) - len(seen)
	if err := r.first(ctx, o, seen); err != nil {
		return nil, err
	}
	r.place(o.Dir)
	r.scrub()
	if r.Exit == 0 || o.Once {
		return r, nil
	}
	if o.Live != nil {
		fmt.Fprintf(o.Live, "aburn: note: the command failed (exit code %d); it runs once more without %s\n", r.Exit, o.Mode.Tool())
	}
	code, err := start(ctx, o, seen)
	if err != nil {
		return nil, err
	}
	r.Again = &code
	return r, nil
}

// first runs the command with the recorder, the tap or the receiver.
func (r *Recording) first(ctx context.Context, o Options, env []string) (err error) {
	var receive *receiver
	if o.Mode != Recorder {
		// The tap's is a sink: an SDK that asks the environment must not send tests anywhere else.
		if receive, err = newReceiver(o.Mode == OTLP); err != nil {
			return err
		}
		defer receive.close()
		env = append(env, receive.environ()...)
	}
	var s *spool
	if o.Mode != OTLP {
		if s, err = newSpool(o.Temp, o.Mode, lookPath("node", env, o.Dir)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.remove()) }()
	}
	env = prepare(env, s, o.Setup)
	if r.Exit, err = start(ctx, o, env); err != nil {
		return err
	}
	if o.Mode == OTLP {
		receive.close()
		receive.into(r)
		return nil
	}
	return s.read(r)
}

// Plain runs the command as Run does, in the same environment, and records nothing. It
// gives what the command printed.
func Plain(ctx context.Context, o Options) (run.Result, error) {
	argv, env := o.Argv, seenVariables(o)
	if path := lookPath(argv[0], env, o.Dir); path != "" {
		argv = append([]string{path}, argv[1:]...)
	}
	r, err := run.Do(ctx, run.Program{Argv: argv, Dir: o.Dir, Env: env, Live: o.Live, Output: maxPlain, Timeout: o.Timeout})
	if err != nil && ctx.Err() == nil && !errors.Is(err, run.ErrTimeout) {
		err = &StartError{o.Argv[0], err}
	}
	return r, err
}

// maxPlain bounds what Plain keeps of what a command prints, in bytes.
const maxPlain = 4 << 20

func start(ctx context.Context, o Options, env []string) (int, error) {
	argv := o.Argv
	if path := lookPath(argv[0], env, o.Dir); path != "" {
		argv = append([]string{path}, argv[1:]...)
	}
	result, err := run.Do(ctx, run.Program{Argv: argv, Dir: o.Dir, Env: env, Live: o.Live, Output: 1, Timeout: o.Timeout})
	switch {
	case err == nil:
		return result.Code, nil
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case errors.Is(err, run.ErrTimeout):
		return 0, fmt.Errorf("%s %w", o.Argv[0], run.ErrTimeout)
	}
	return 0, &StartError{o.Argv[0], err}
}

// tools are variables that node, its version managers and package managers need
// beside those that any program may see. None of them holds a key.
var tools = []string{
	"CI", "FORCE_COLOR", "NODE_ENV", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "MOCHA_OPTIONS", "JEST_WORKER_ID",
	"NVM_*", "FNM_*", "VOLTA_*", "ASDF_*", "MISE_*", "COREPACK_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR",
	"npm_config_cache", "npm_config_prefix", "npm_config_userconfig", "npm_config_globalconfig",
}

// seenVariables are the ones that the command sees of the person's environment.
func seenVariables(o Options) (env []string) {
	for _, kv := range run.Clean(o.Environ, append(tools[:len(tools):len(tools)], o.Pass...)...) {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "OTEL_") {
			env = append(env, kv)
		}
	}
	return env
}

// prepare adds what loads the recorder and the project's own set-up.
func prepare(env []string, s *spool, setup string) []string {
	var options []string
	if s != nil {
		options = append(options, s.nodeOption())
		env = extend(env, "MOCHA_OPTIONS", "--require "+mochaQuote(s.preload()), " ")
		if st, err := os.Stat(s.bin()); err == nil && st.IsDir() {
			env = set(env, "PATH", s.bin()+string(filepath.ListSeparator)+get(env, "PATH"))
		}
	}
	if setup != "" {
		flag := "--import "
		if filepath.Ext(setup) == ".cjs" {
			flag = "--require "
		}
		options = append(options, flag+optionQuote(setup))
	}
	if len(options) == 0 {
		return env
	}
	return extend(env, "NODE_OPTIONS", strings.Join(options, " "), " ")
}

func mochaQuote(path string) string {
	if strings.ContainsAny(path, " \t") {
		return `"` + path + `"`
	}
	return path
}

func get(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(env[i], "="); sameName(k, name) {
			return v
		}
	}
	return ""
}

func set(env []string, name, value string) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if k, _, _ := strings.Cut(kv, "="); !sameName(k, name) {
			out = append(out, kv)
		}
	}
	return append(out, name+"="+value)
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

func extend(env []string, name, more, between string) []string {
	if had := get(env, name); had != "" {
		more = had + between + more
	}
	return set(env, name, more)
}

// lookPath finds a program on the PATH that the command will see, "" if it is not
// there. Names with a separator are relative to dir.
func lookPath(name string, env []string, dir string) string {
	suffixes := []string{""}
	if runtime.GOOS == "windows" {
		suffixes = []string{".exe", ".cmd", ".bat", ""}
	}
	places := filepath.SplitList(get(env, "PATH"))
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		places = []string{dir}
		if filepath.IsAbs(name) {
			places = []string{""}
		}
	}
	for _, place := range places {
		for _, suffix := range suffixes {
			path := filepath.Join(place, name+suffix)
			if !filepath.IsAbs(path) {
				continue // a PATH that is relative would mean the project's own programs
			}
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0) {
				return path
			}
		}
	}
	return ""
}

// place makes file names relative to the folder, and leaves out lines that do not
// hold what they should: a runner may have changed the file before it ran.
func (r *Recording) place(dir string) {
	folders := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		folders = append(folders, real)
	}
	lines := &sourceLines{files: map[string][]string{}}
	for _, list := range [][]Span{r.Spans, r.Refused} {
		for i := range list {
			s := &list[i]
			if s.Name != "" {
				s.Line = lines.of(s.File, s.Line, s.Name)
			}
			s.File, s.Test.File = relative(folders, s.File), relative(folders, s.Test.File)
		}
	}
	for i := range r.Processes {
		r.Processes[i].Script = relative(folders, r.Processes[i].Script)
	}
}

// scrub takes secrets out of all that may be printed: names, not values.
func (r *Recording) scrub() {
	known := map[string]string{}
	clean := func(s *string) {
		text, ok := known[*s]
		if !ok {
			text, _ = scrub.Text(*s)
			known[*s] = text
		}
		*s = text
	}
	r.Command = slices.Clone(r.Command)
	for i := range r.Command {
		clean(&r.Command[i])
	}
	for _, list := range [][]Span{r.Spans, r.Refused} {
		for i := range list {
			clean(&list[i].Name)
			clean(&list[i].Scope)
			clean(&list[i].Test.Name)
			for k := range list[i].Attributes {
				clean(&list[i].Attributes[k].Key)
			}
		}
	}
}

func relative(folders []string, path string) string {
	for _, dir := range folders {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}

// sourceLines reads files that make spans, each once.
type sourceLines struct{ files map[string][]string }

// maxSource bounds a file that is read for its lines.
const maxSource = 1 << 20

func (l *sourceLines) lines(file string) []string {
	list, ok := l.files[file]
	if !ok {
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() && st.Size() <= maxSource {
			if data, err := os.ReadFile(file); err == nil {
				list = strings.Split(string(data), "\n")
			}
		}
		l.files[file] = list
	}
	return list
}

// of is where a file makes a span, 0 if that is unknown. Runners and compilers change
// files before they run them. So a line that has the span's name as a string, and is
// the only one, counts more than the line that the runtime tells.
func (l *sourceLines) of(file string, line int, name string) int {
	list := l.lines(file)
	told := line >= 1 && line <= len(list) && strings.Contains(strings.ToLower(list[line-1]), "span")
	named := 0
	for i, text := range list {
		if !hasLiteral(text, name) {
			continue
		}
		if named != 0 {
			named = 0
			break
		}
		named = i + 1
	}
	switch {
	case told && named >= line && named <= line+3: // the name may stand below the call
		return line
	case named != 0:
		return named
	case told && isScript(file):
		return line
	}
	return 0
}

// isScript says whether node runs such files as they are.
func isScript(file string) bool {
	switch filepath.Ext(file) {
	case ".js", ".mjs", ".cjs":
		return true
	}
	return false
}

func hasLiteral(text, name string) bool {
	return strings.Contains(text, "'"+name+"'") || strings.Contains(text, `"`+name+`"`) || strings.Contains(text, "`"+name+"`")
}
