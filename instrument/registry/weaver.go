package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/internal/run"
)

// Weaver is a program that judges registries beside aburn.
type Weaver interface {
	// Name is the program with its version.
	Name() string
	Check(ctx context.Context, dir string) ([]Finding, error)
	Resolve(ctx context.Context, dir string) (*Resolved, error)
	Diff(ctx context.Context, base, head string) ([]Change, error)
}

// WeaverDiffers is the rule of a difference between aburn and Weaver.
const WeaverDiffers = "WeaverDiffers"

// Report is what was found, and who looked.
type Report struct {
	Findings []Finding
	Judges   []string // "aburn", and the name of a Weaver
}

// Judge checks the registry in dir, with Weaver too unless w is nil. Where the two
// differ in errors both count, and the difference is a finding: the stricter wins.
// What aburn could not judge Weaver has judged. The error is a *LoadError, or
// Weaver's.
func Judge(ctx context.Context, dir string, o Options, w Weaver) (*Report, error) {
	r, err := Load(dir, o)
	if err != nil {
		return nil, err
	}
	native, err := r.Check()
	if err != nil {
		return nil, err
	}
	report := &Report{native, []string{"aburn"}}
	if w == nil {
		return report, nil
	}
	theirs, err := w.Check(ctx, dir)
	if err != nil {
		return report, fmt.Errorf("%s: %w", w.Name(), err)
	}
	return &Report{merge(native, theirs, w.Name()), []string{"aburn", w.Name()}}, nil
}

// merge adds Weaver's errors that aburn has not. They differ only if aburn judged all
// and has no error in that file: one mistake may have two names. Weaver stops after a
// stage with errors, so errors that only aburn reports differ only if Weaver reports
// none.
func merge(native, theirs []Finding, name string) []Finding {
	var all []Finding
	have, files := map[string]int{}, map[string]bool{}
	for _, f := range native {
		if f.Severity != NotJudged {
			all = append(all, f)
		}
		if f.Severity == Error {
			have[f.Rule]++
			files[f.File] = true
		}
	}
	whole, strict := len(all) == len(native), 0
	for _, f := range theirs {
		if f.Severity != Error {
			continue
		}
		strict++
		if have[f.Rule]--; have[f.Rule] >= 0 {
			continue
		}
		all = append(all, f)
		if whole && !files[f.File] && refusing[name] != f.Rule {
			all = append(all, found(WeaverDiffers, Place{f.File, f.Line, f.Column}, "%s reports %s here, and aburn does not", name, f.Rule))
		}
	}
	for _, f := range native {
		if f.Severity == Error && strict == 0 {
			all = append(all, found(WeaverDiffers, Place{f.File, f.Line, f.Column}, "aburn reports %s here, and %s finds no error", f.Rule, name))
		}
	}
	return order(all)
}

// refusing has the rule by which some versions refuse what others take: a dependency
// without schema_url. That is no difference.
var refusing = map[string]string{"weaver 0.25.0": "InvalidRegistryManifest", "weaver 0.25.1": "InvalidRegistryManifest"}

// Binary is a Weaver that is started for each question.
type Binary struct {
	Path    string
	Version string // "0.25.1"
	Timeout time.Duration
	// Dir is the folder that a dependency's relative path counts from: Options.Root.
	// "" is the current one.
	Dir string
}

// maxAnswer bounds what a Weaver may print. The resolved semantic conventions are
// some megabytes.
const maxAnswer = 64 << 20

// ErrNoWeaver means that there is no weaver on PATH.
var ErrNoWeaver = errors.New("weaver is not on PATH")

// FindWeaver finds the weaver on PATH and asks its version. A version below minimum,
// and one that is known to be bad, is an error.
func FindWeaver(ctx context.Context, minimum string) (*Binary, error) {
	path, err := exec.LookPath("weaver")
	if err != nil {
		return nil, ErrNoWeaver
	}
	b := &Binary{Path: path, Timeout: 2 * time.Minute}
	out, err := b.run(ctx, "--version")
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", path, err)
	}
	words := strings.Fields(string(out))
	if len(words) < 2 || words[0] != "weaver" {
		return nil, fmt.Errorf("%s --version prints no version", path)
	}
	b.Version = strings.TrimPrefix(words[1], "v")
	return b, Usable(b.Version, minimum)
}

// Wanted finds the Weaver that a configuration asks for. "never" looks for none. "auto"
// takes one that is there and can be used; why then says why it took none, "" where
// there is none. "required" fails without one. w is nil without a Weaver. dir is its Dir.
func Wanted(ctx context.Context, mode, minimum, dir string) (w Weaver, why string, err error) {
	if mode == "never" {
		return nil, "", nil
	}
	b, err := FindWeaver(ctx, minimum)
	switch {
	case err == nil:
		b.Dir = dir
		return b, "", nil
	case mode == "required":
		return nil, "", err
	case errors.Is(err, ErrNoWeaver):
		return nil, "", nil
	}
	return nil, err.Error(), nil
}

// bad are versions that cannot be used, with the reason.
var bad = map[string]string{
	"0.24.0": "its flags take the next argument away",
	"0.24.1": "its flags take the next argument away",
}

// Usable tells whether a version of Weaver can be used.
func Usable(version, minimum string) error {
	v, ok := numbers(version)
	if !ok {
		return fmt.Errorf("weaver has the version %.40q, which is none", version)
	}
	if why := bad[fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])]; why != "" {
		return fmt.Errorf("weaver %s cannot be used: %s", version, why)
	}
	m, _ := numbers(minimum)
	if cmp.Or(cmp.Compare(v[0], m[0]), cmp.Compare(v[1], m[1]), cmp.Compare(v[2], m[2])) < 0 {
		return fmt.Errorf("weaver %s is older than %s", version, minimum)
	}
	return nil
}

func numbers(version string) (v [3]int, ok bool) {
	core, _, _ := strings.Cut(version, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

// Name is the program with its version.
func (b *Binary) Name() string { return "weaver " + b.Version }

// passed are the variables that Weaver gets beside those that any program may see: what a
// download needs, no keys.
var passed = []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"}

// run gives standard output. An exit code of 1 is no error if there is output: that
// is how Weaver says that it found something.
func (b *Binary) run(ctx context.Context, args ...string) ([]byte, error) {
	r, err := run.Do(ctx, run.Program{
		Argv: append([]string{b.Path}, args...), Dir: b.Dir, Env: append(run.Clean(os.Environ(), passed...), "NO_COLOR=1"),
		Timeout: cmp.Or(b.Timeout, time.Minute), Output: maxAnswer,
	})
	found := r.Code == 1 && len(bytes.TrimSpace(r.Stdout)) > 0
	switch {
	case err != nil:
		return nil, fmt.Errorf("gave no answer: %w", err)
	case r.Cut && len(r.Stdout) >= maxAnswer:
		return nil, fmt.Errorf("printed more than %d MB", maxAnswer>>20)
	case r.Code != 0 && !found:
		first, _, _ := strings.Cut(strings.TrimSpace(string(r.Stderr)), "\n")
		return nil, fmt.Errorf("failed with exit code %d: %.300s", r.Code, first)
	}
	return r.Stdout, nil
}

// folder is absolute, so that none reads as a flag.
func folder(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// Check asks for diagnostics.
func (b *Binary) Check(ctx context.Context, dir string) ([]Finding, error) {
	out, err := b.run(ctx, "registry", "check", "-r", folder(dir), "--diagnostic-format", "json", "--diagnostic-stdout")
	if err != nil {
		return nil, err
	}
	return parseDiagnostics(out, folder(dir))
}

type diagnostic struct {
	Error      json.RawMessage `json:"error"`
	Diagnostic struct {
		Message  string `json:"message"`
		Severity string `json:"severity"` // absent: an error
		Help     string `json:"help"`
	} `json:"diagnostic"`
}

// parseDiagnostics reads Weaver's list. A line without it is left out: logs may
// stand before.
func parseDiagnostics(out []byte, dir string) (list []Finding, err error) {
	out = bytes.TrimSpace(out)
	if len(out) == 0 {
		return nil, nil
	}
	var all []diagnostic
	for len(out) > 0 && json.NewDecoder(bytes.NewReader(out)).Decode(&all) != nil {
		i := bytes.Index(out, []byte("\n["))
		if i < 0 {
			return nil, errors.New("printed no list of diagnostics")
		}
		out, all = out[i+1:], nil
	}
	for _, d := range all {
		var variant map[string]json.RawMessage
		name := "Weaver"
		var fields struct {
			Path       string `json:"path_or_url"`
			Provenance string `json:"provenance"`
		}
		if json.Unmarshal(d.Error, &variant) == nil && len(variant) == 1 {
			for key, value := range variant {
				name = key
				_ = json.Unmarshal(value, &fields) // a variant without a place has none
			}
		}
		f := Finding{Rule: name, Severity: Error, Message: d.Diagnostic.Message, File: cmp.Or(fields.Path, fields.Provenance), Why: "Weaver says so",
			Example: d.Diagnostic.Help}
		if known, ok := rules[name]; ok {
			f.Why, f.Example = known.why, cmp.Or(d.Diagnostic.Help, known.example)
		}
		if rel, err := filepath.Rel(dir, f.File); err == nil && filepath.IsLocal(rel) && f.File != "" {
			f.File = filepath.ToSlash(rel)
		}
		if d.Diagnostic.Severity != "" && d.Diagnostic.Severity != "Error" {
			f.Severity = Warning
		}
		list = append(list, f)
	}
	return list, nil
}

// Resolve asks for the resolved registry. It has no places, and no definitions beside
// its groups: [Diff] needs the native one.
func (b *Binary) Resolve(ctx context.Context, dir string) (*Resolved, error) {
	out, err := b.run(ctx, "registry", "resolve", "-r", folder(dir), "-f", "json", "--quiet")
	if err != nil {
		return nil, err
	}
	var r Resolved
	if err := json.Unmarshal(out, &r); err != nil {
		return nil, fmt.Errorf("printed no resolved registry: %w", err)
	}
	r.Name, r.Version = "default", "0.1.0"
	if r.URL != "" {
		r.Name, r.Version = splitURL(r.URL)
	}
	r.Hash = r.hash()
	return &r, nil
}

// Diff asks what changed. Weaver sees neither changed fields nor spans without a name.
func (b *Binary) Diff(ctx context.Context, base, head string) ([]Change, error) {
	format := "--format"
	if v, ok := numbers(b.Version); ok && v[0] == 0 && v[1] < 22 {
		format = "--diff-format"
	}
	out, err := b.run(ctx, "registry", "diff", "-r", folder(head), "--baseline-registry", folder(base), format, "json")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Changes map[string][]struct {
			Type string `json:"type"`
			Name string `json:"name"`
			Old  string `json:"old_name"`
			New  string `json:"new_name"`
			Note string `json:"note"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, fmt.Errorf("printed no changes: %w", err)
	}
	items := map[string]string{"registry_attributes": "attribute", "metrics": "metric", "events": "event", "spans": "span", "entities": "entity",
		"resources": "entity"}
	list := []Change{}
	for _, key := range sortedKeys(answer.Changes) {
		for _, c := range answer.Changes[key] {
			list = append(list, Change{Kind: ChangeKind(c.Type), Item: cmp.Or(items[key], key), Name: cmp.Or(c.Name, c.Old), New: cmp.Or(c.New, c.Note)})
		}
	}
	return list, nil
}
