package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"aburn/internal/lab/world"
)

// ghScript stands in for GitHub's client: it records its arguments and knows one comment once one was written.
const ghScript = `#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in
*--paginate*) [ ! -e "$LOG.there" ] || echo 77 ;;
*-F*) touch "$LOG.there"; for a in "$@"; do case "$a" in body=@*) cp "${a#body=@}" "$LOG.body" ;; esac; done ;;
esac
`

// The steps of the action for instrumentation run as a runner runs them: a plan is applied, the summary and the outputs
// are written, and the pull request gets one comment, which a second run replaces.
func TestActionInstruments(t *testing.T) {
	world.Slow(t)
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS == "windows" {
			t.Skip("no " + program + " here")
		}
	}
	data, err := os.ReadFile(filepath.Join(rootOfSource, "instrument/action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	programs, err := testRelease(t).native(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(dir, "bin"), programs); err != nil {
		t.Fatal(err)
	}
	shop := filepath.Join(dir, "shop")
	for name, text := range map[string]string{
		"bin/gh": ghScript, "shop/package.json": `{"name": "shop", "type": "module", "dependencies": {"@opentelemetry/api": "1"}}`,
		"shop/order.js": "export async function place(order) {\n  await save(order);\n}\n",
		"shop/plan.json": `{"files": [{"path": "order.js", "functions": [{"id": "f1", "name": "place", "action": "span", "span": "shop.place"}]}, {"path": ` +
			`"gone.js", "functions": []}]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = shop
		succeed(t, cmd)
	}
	output, summary, log := filepath.Join(dir, "output"), filepath.Join(dir, "summary"), filepath.Join(dir, "gh.log")
	for range 2 {
		runActionSteps(t, a, dir, filepath.Join(dir, "bin"), "plan.json", "", "")
	}
	said := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text := said(filepath.Join(shop, "order.js")); strings.Count(text, "startActiveSpan('shop.place'") != 1 {
		t.Errorf("order.js: %s", text)
	}
	if text := said(output); !strings.Contains(text, "\ncode=1\npr=\n") {
		t.Errorf("outputs: %s", text)
	}
	if text := said(summary); !strings.HasPrefix(text, "# Add OpenTelemetry spans: 1 span in 1 file\n") {
		t.Errorf("summary: %s", text)
	}
	if text := said(log + ".body"); !strings.HasPrefix(text, "<!-- aburn instrument -->\n# Add OpenTelemetry spans") {
		t.Errorf("comment: %s", text)
	}
	calls := said(log)
	if strings.Count(calls, "--silent repos/me/shop/issues/12/comments") != 1 || strings.Count(calls, "-X PATCH repos/me/shop/issues/comments/77") != 1 {
		t.Errorf("calls: %s", calls)
	}
}

// runActionSteps runs the steps that have an id in the folder shop below dir, as a runner does, with programs of bin.
func runActionSteps(t *testing.T, a action, dir, bin, plan, paths, check string) {
	t.Helper()
	values := strings.NewReplacer("${{ inputs.paths }}", paths, "${{ inputs.plan }}", plan, "${{ inputs.check }}", check,
		"${{ inputs.api-key }}", "k", "${{ inputs.token }}", "t",
		"${{ github.repository }}", "me/shop", "${{ github.event.pull_request.number }}", "12")
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("an input would become part of the script: %s", step.Run)
		}
		if step.ID == "" {
			continue
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir = filepath.Join(dir, "shop")
		cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + bin + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + filepath.Join(dir, "temp"),
			"GITHUB_OUTPUT=" + filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary"), "LOG=" + filepath.Join(dir, "gh.log")}
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+values.Replace(value))
		}
		if out, err := cmd.CombinedOutput(); err != nil && (check == "" || cmd.ProcessState.ExitCode() != 1) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// aburnScript stands in for aburn in a run: what the action starts, and what it does with the answer.
const aburnScript = `#!/bin/sh
echo "$@" >> "$LOG.aburn"
case "$2" in
cost) echo '{"files":1,"maxTokens":4321}' ;;
check) echo 'a.js:1:1: blocking NDS-003'; echo '{}' > "$8"; exit 1 ;;
--provider) mkdir -p .oss/instrument/r1; echo '# A run' > .oss/instrument/r1/pr.md; echo '{"pr":"https://example.org/me/shop/pull/13"}' ;;
esac
`

// In a run the ceiling is a notice, the run's own text is the comment, and its pull request an output.
func TestActionRuns(t *testing.T) {
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS == "windows" {
			t.Skip("no " + program + " here")
		}
	}
	data, err := os.ReadFile(filepath.Join(rootOfSource, "instrument/action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"bin/gh": ghScript, "bin/aburn": aburnScript, "shop/old/x": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir = filepath.Join(dir, "shop")
	succeed(t, cmd)
	runActionSteps(t, a, dir, filepath.Join(dir, "bin"), "", "src\nlib dir", "")
	for name, want := range map[string]string{
		"gh.log.aburn": "init\ninstrument cost --json -- src lib dir\ninstrument --provider api --yes --json -- src lib dir\n",
		"output":       "code=0\npr=https://example.org/me/shop/pull/13\n", "summary": "# A run\n", "gh.log.body": "<!-- aburn instrument -->\n# A run\n",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v %s", name, err, text)
		}
	}
}

// With check the findings become SARIF and the summary, no comment, and the job fails as aburn does.
func TestActionChecks(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here")
	}
	data, err := os.ReadFile(filepath.Join(rootOfSource, "instrument/action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"bin/gh": ghScript, "bin/aburn": aburnScript, "shop/x": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	runActionSteps(t, a, dir, filepath.Join(dir, "bin"), "", "", "origin/main")
	sarif := filepath.Join(dir, "temp/aburn-instrument/check.sarif")
	for name, want := range map[string]string{
		"gh.log.aburn": "instrument check --base origin/main --head HEAD --sarif " + sarif + " --\n", "output": "sarif=" + sarif + "\ncode=1\n",
		"summary": "## aburn instrument check\n```\na.js:1:1: blocking NDS-003\n```\n",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s: %v %s", name, err, text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gh.log.body")); err == nil {
		t.Error("findings were written as a comment")
	}
}
