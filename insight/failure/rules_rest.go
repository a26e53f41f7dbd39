package failure

// restRules know words that can mean much, and last what a command and its exit code leave to think.
var restRules = []rule{
	{class: Build, says: []string{"[build failed]", "[setup failed]", "build failed", "build failure", "could not compile", "compilation failed",
		"compilation error", "compile error", "compileerror", "failed to compile", "undefined symbol*", "*: *** [", "ninja: build stopped", "failed to solve",
		"elifecycle", "error: aborting due to", "failed to build", "error during build", "build error", "error building", "redeclared"}},
	{class: Timeout, says: []string{"timed out", "timeout:", "timeout exceeded", "timeout expired", "timeout reached", "timeout after", "timeout error",
		"timeout while", "timeout waiting", "timeout of", "(timeout)", "exceeded timeout", "time limit exceeded", "timeouterror"}},
	{class: API, says: []string{"internal server error", "bad gateway", "service unavailable", "api error", "apierror", "api_error", "server_error",
		"server error", "internalservererror", "overloaded*", "bad request", "invalid_request_error", "validation failed", "unprocessable entity",
		"internal error encountered", "http error"}, http: []int{400, 405, 406, 413, 415, 422, 500, 501, 502, 503, 520, 521, 522, 529}},
	{class: Auth, says: []string{"invalid credentials", "missing credentials", "no credentials", "credentials are required", "credentials not found",
		"not authorized", "not authenticated", "is forbidden", "forbidden:", "forbidden"}},
	{class: OOM, types: shellOnly, exits: []int{137}},
	{class: Timeout, types: shellOnly, exits: []int{124}},
	{class: NotFound, types: shellOnly, exits: []int{127}},
	{class: Permission, types: shellOnly, exits: []int{126}},
	{class: Lint, types: shellOnly, runs: linters, says: []string{"error*", "warn*", "#:#", "problem*", "not formatted", "unformatted"}},
	{class: Lint, types: shellOnly, runs: []string{"prettier", "gofmt", "black", "rustfmt", "cargo fmt", "isort"}, says: []string{"would", "reformat*",
		"diff*"}},
	{class: Test, types: shellOnly, runs: testRunners, says: []string{"fail", "fail*", "panicked", "panic:", "error*"}},
	{class: Type, types: shellOnly, runs: checkers, says: []string{"error*"}},
	{class: Build, types: shellOnly, runs: builders, says: []string{"error*", "failed", "fatal*", "cannot", "stop", "invalid"}},
}
