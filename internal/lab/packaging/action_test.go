package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"aburn/internal/lab/world"
)

// action is what GitHub reads from action.yml.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			ID, Shell, Run, Uses string
			Env, With            map[string]string
		}
	}
}

// The step of the action that reports does so, as a runner runs it: by bash, with a summary and an output to write to.
func TestActionReports(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here")
	}
	data, err := os.ReadFile(filepath.Join(rootOfSource, "action.yml"))
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
	sessions := os.DirFS(filepath.Join(rootOfSource, "trace/claude/testdata/runs/subagents"))
	if err := os.CopyFS(filepath.Join(dir, "home/.claude/projects"), sessions); err != nil {
		t.Fatal(err)
	}
	output, summary := filepath.Join(dir, "output"), filepath.Join(dir, "summary")
	ran := false
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("an input would become part of the script: %s", step.Run)
		}
		if step.ID != "report" {
			continue
		}
		ran = true
		for _, since := range []string{a.Inputs["since"].Default, "36500d"} {
			cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
			cmd.Dir = t.TempDir()
			cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"),
				"RUNNER_TEMP=" + filepath.Join(dir, "temp"),
				"GITHUB_OUTPUT=" + output, "GITHUB_STEP_SUMMARY=" + summary}
			for name, value := range step.Env {
				cmd.Env = append(cmd.Env, name+"="+strings.ReplaceAll(value, "${{ inputs.since }}", since))
			}
			succeed(t, cmd)
		}
	}
	if a.Runs.Using != "composite" || !ran {
		t.Fatalf("the action has no step that reports: %+v", a)
	}
	said, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	path, ok := strings.CutPrefix(strings.Split(string(said), "\n")[0], "page=")
	if page, err := os.ReadFile(path); !ok || err != nil || !strings.Contains(string(page), "</html>") {
		t.Errorf("the step says %q: %v", said, err)
	}
	if text, err := os.ReadFile(summary); err != nil || !strings.HasPrefix(string(text), "## aburn report\n```\n") || strings.Count(string(text), "\n") < 5 {
		t.Errorf("the summary is %s %v", text, err)
	}
}

// Whoever moves a tag of an action must not move what a workflow runs: each is named by its commit, with its version behind it.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(rootOfSource, ".github", "workflows", "*.y*ml"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	pinned := regexp.MustCompile(`^([\w.-]+(?:/[\w.-]+)+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$`)
	commits := map[string]string{}
	for _, path := range append(files, filepath.Join(rootOfSource, "action.yml"), filepath.Join(rootOfSource, "instrument", "action.yml")) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			_, uses, ok := strings.Cut(strings.TrimSpace(line), "uses: ")
			if !ok || strings.HasPrefix(uses, "./") {
				continue
			}
			m := pinned.FindStringSubmatch(uses)
			switch {
			case m == nil:
				t.Errorf("%s: %q is no commit with its version, as in OWNER/NAME@40-digits # v1.2.3", path, uses)
			case commits[m[1]] == "":
				commits[m[1]] = m[2]
			case commits[m[1]] != m[2]:
				t.Errorf("%s: %s has another commit elsewhere", path, m[1])
			}
		}
	}
}
