package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/instrument/coordinator"
	"aburn/instrument/provider"
	"aburn/internal/plain"
	"aburn/internal/scrub"
)

// watchFlags say how much of a run is seen, and what happens after a bad checkpoint.
func watchFlags(local bool) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "keep-going", Usage: "go on after a checkpoint that failed; else a terminal is asked, and without one the run stops", Local: local},
		&cli.BoolFlag{Name: "verbose", Usage: "tell of each phase, question and mistake", Local: local},
		&cli.BoolFlag{Name: "debug", Usage: "keep questions and answers, scrubbed, in the run's folder", Local: local},
	}
}

// debugFolder is where --debug keeps what was said, in a run's folder.
const debugFolder = "debug"

// goesOn says whether a run goes on after a checkpoint that failed. --yes does not: it
// accepts the ceiling.
func (j *job) goesOn(c coordinator.Checkpoint) bool {
	text := fmt.Sprintf("a checkpoint failed after %s: %s", countOf(c.After, "file"), plain.Line(c.Why()))
	if len(c.Radius) > 0 {
		text += "; since the last good one: " + plain.Line(strings.Join(c.Radius, ", "))
	}
	switch {
	case j.cmd.Bool("keep-going"):
		j.app.Warn(text)
		return true
	case j.cmd.Bool("json") || !j.app.CanAsk(j.cmd):
		j.app.Warn(text, "--keep-going goes on")
		return false
	}
	fmt.Fprintln(j.app.Stdout, text)
	return j.app.Confirm("go on with the other files?")
}

// watch adds to the callbacks what --verbose tells and --debug keeps.
func (j *job) watch(cb *coordinator.Callbacks, who provider.Provider) {
	said := &keeper{job: j}
	if j.cmd.Bool("verbose") {
		phase := cb.OnPhase
		cb.OnPhase = func(p coordinator.Phase, e coordinator.Event, d coordinator.Data) {
			phase(p, e, d)
			j.app.Note(strings.TrimSpace(fmt.Sprintf("%s %s %s", p, strings.ToLower(string(e)), members(d))))
		}
		cb.OnAsk = func(path string, attempt, tokens int) {
			j.app.Note(fmt.Sprintf("%s is asked about %s, attempt %d, at most %s tokens", who.Name(), plain.Line(path), attempt, plain.Count(int64(tokens))))
		}
	}
	cb.OnAttempt = func(a coordinator.Attempt) {
		if j.cmd.Bool("verbose") {
			j.tellAttempt(a)
		}
		if j.cmd.Bool("debug") && len(a.Request.Turns) > 0 {
			said.keep(a)
		}
	}
}

func (j *job) tellAttempt(a coordinator.Attempt) {
	text := fmt.Sprintf("%s, attempt %d: %s tokens, %s", plain.Line(a.Path), a.N, plain.Count(int64(a.Answer.Usage.Total())), countOf(len(a.Facts), "mistake"))
	if len(a.Request.Turns) == 0 {
		text += "; the journal had the answer"
	}
	j.app.Note(text)
	for _, f := range a.Facts {
		j.app.Note("  " + plain.Line(f))
	}
}

// members are data on one line, by name.
func members(d coordinator.Data) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(d)) {
		list = append(list, k+"="+plain.Line(fmt.Sprint(d[k])))
	}
	return strings.Join(list, " ")
}

// keeper writes questions and answers into the run's folder. What cannot be written is
// told once, and stops nothing.
type keeper struct {
	job    *job
	n      int
	system string
	failed bool
}

func (k *keeper) keep(a coordinator.Attempt) {
	k.n++
	name := fmt.Sprintf("%s/%04d-%s-%d.txt", debugFolder, k.n, path.Base(a.Path), a.N)
	err := k.job.folder.MkdirAll(debugFolder, 0o700)
	if err == nil && a.Request.System != k.system {
		k.system = a.Request.System
		err = k.write(debugFolder+"/system.txt", k.system)
	}
	if err == nil {
		err = k.write(name, exchange(a))
	}
	if err != nil && !k.failed {
		k.failed = true
		k.job.app.Warn("--debug: " + plain.Line(err.Error()))
	}
}

// write scrubs what a file gets: an answer may hold what a question did not.
func (k *keeper) write(name, text string) error {
	clean, _ := scrub.Text(text)
	return k.job.folder.WriteFile(name, []byte(clean), os.FileMode(0o600))
}

// exchange is a question with its answer, to be read by a person.
func exchange(a coordinator.Attempt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, attempt %d\nmodel %q, effort %q, at most %d tokens\n", plain.Line(a.Path), a.N, a.Request.Model, a.Request.Effort, a.Request.MaxOutput)
	for _, t := range a.Request.Turns {
		fmt.Fprintf(&b, "\n=== %s\n\n%s\n", t.Role, strings.TrimRight(t.Text, "\n"))
	}
	u := a.Answer.Usage
	fmt.Fprintf(&b, "\n=== answer: %d tokens in, %d out, %d read from a cache, %d written to one\n\n", u.Input, u.Output, u.CacheRead, u.CacheWrite)
	if a.Answer.Err != "" {
		fmt.Fprintln(&b, a.Answer.Err)
	}
	var code struct {
		Code string `json:"code"`
	}
	var indented bytes.Buffer
	if json.Indent(&indented, a.Answer.JSON, "", "  ") == nil {
		fmt.Fprintln(&b, indented.String())
	}
	if json.Unmarshal(a.Answer.JSON, &code) == nil && code.Code != "" {
		fmt.Fprintf(&b, "\n=== code\n\n%s\n", strings.TrimRight(code.Code, "\n"))
	}
	if len(a.Facts) > 0 {
		fmt.Fprintf(&b, "\n=== mistakes\n\n- %s\n", strings.Join(a.Facts, "\n- "))
	}
	return b.String()
}
