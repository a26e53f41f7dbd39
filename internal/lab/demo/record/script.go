package main

import (
	"strings"

	"aburn/internal/lab/testkit/model"
)

// script is what the model does in the three sessions; the third one goes wrong.
func script(project string) model.Script {
	bash := func(command string) model.Turn {
		return model.Calls(model.Call{Name: "Bash", Input: map[string]any{"command": command, "description": "Run a command"}})
	}
	file := func(path string) string { return project + "/" + path }
	read := func(paths ...string) model.Turn {
		var t model.Turn
		for _, p := range paths {
			t.Calls = append(t.Calls, model.Call{Name: "Read", Input: map[string]any{"file_path": file(p)}})
		}
		return t
	}
	write := func(path, text string) model.Turn {
		return model.Calls(model.Call{Name: "Write", Input: map[string]any{"file_path": file(path), "content": text}})
	}
	says := func(marker string) model.Match {
		return func(r *model.Request) bool { return strings.Contains(string(r.Body), marker) }
	}
	return model.Script{
		{Name: "reviewer", When: func(r *model.Request) bool { return r.Header.Get("X-Claude-Code-Agent-Id") != "" }, Turns: []model.Turn{
			bash(`aburn log reviewer START --agent-type reviewer`),
			read("health.go", "health_test.go"),
			bash(`aburn log reviewer COMPLETE --agent-type reviewer --summary "No findings; the handler has no state"`),
			model.Text("The handler is right and has no state."),
		}},
		{Name: "build", When: says("Build what was planned"), Turns: []model.Turn{
			bash(`aburn log build START`),
			read("docs/plans/health.md"),
			bash(`aburn log build PHASE_START --phase RED`),
			write("health_test.go", healthTest),
			bash(`go test ./...`),
			bash(`aburn log build PHASE_COMPLETE --phase RED --summary "GET /health answers 404: no handler yet" --metric tests_failing=1 --output health_test.go`),
			bash(`aburn log build PHASE_START --phase GREEN`),
			write("health.go", health),
			write("main.go", mainGo),
			bash(`go test ./...`),
			bash(`curl -sf -H "Authorization: Bearer dummy-0123456789abcdef0123456789abcdef" http://127.0.0.1:9/health`),
			bash(`aburn log build PHASE_COMPLETE --phase GREEN --summary "GET /health says ok" --metric tests_passed=1`),
			bash(`aburn log build MILESTONE --summary "GET /health works end to end"`),
			model.Calls(model.Call{Name: "Agent", Input: map[string]any{"description": "Review the handler", "prompt": "Review health.go.",
				"subagent_type": "general-purpose", "run_in_background": false}}),
			bash(`aburn log build COMPLETE --summary "GET /health says ok" --output health.go --output health_test.go --metric tests_passed=1 --next ship`),
			model.Text("The health endpoint works."),
		}},
		{Name: "plan", When: says("Turn the decision into a plan"), Turns: []model.Turn{
			bash(`aburn log plan START`),
			read("README.md", "main.go"),
			bash(`go test ./...`),
			write("docs/plans/health.md", plan),
			bash(`aburn log plan COMPLETE --summary "1 slice: GET /health says ok" --output docs/plans/health.md --metric slices=1 --next build`),
			model.Text("One slice: GET /health says ok."),
		}},
		{Name: "ship", When: says("Bring what was built to the people"), Turns: []model.Turn{
			bash(`aburn log ship START`),
			bash(`go vet ./...`),
			bash(deploy), bash(deploy), bash(deploy), bash(deploy), bash(deploy),
			bash(`aburn log ship FAILED --error "the deploy script does not start" --next build`),
			model.Text("It could not be deployed."),
			bash(`aburn log ship START`),
			bash(`ls`),
			bash(`aburn log ship COMPLETE --summary "GET /health is prepared; the deploy script was never written, so nothing was deployed"`),
			model.Text("There is no deploy script; the rest is prepared."),
		}},
		{Name: "title", Repeat: true, Turns: []model.Turn{model.Text("A title")}},
	}
}

// deploy is what fails again and again, with nothing changed in between.
const deploy = `./deploy.sh staging`

const plan = "# Plan: a health endpoint\n\n1. GET /health answers 200 with `ok`. Fails before it: TestHealth. Files: health.go, main.go.\n"

const healthTest = `package main

import (
	"net/http/httptest"
	"testing"
)

func TestHealth(t *testing.T) {
	w := httptest.NewRecorder()
	routes().ServeHTTP(w, httptest.NewRequest("GET", "/health", nil))
	if w.Code != 200 || w.Body.String() != "ok\n" {
		t.Errorf("GET /health: %d %q", w.Code, w.Body)
	}
}
`

const health = `package main

import (
	"fmt"
	"net/http"
)

func health(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }
`

const mainGo = `package main

import "net/http"

func routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", health)
	return mux
}

func main() { http.ListenAndServe("127.0.0.1:8080", routes()) }
`
