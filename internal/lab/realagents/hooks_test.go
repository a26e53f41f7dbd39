//go:build agents

package realagents

// install runs aburn install-hooks as a user would, in the project: both agents are on PATH, so both get hooks.
func (w *world) install(args ...string) {
	w.Helper()
	w.aburn(append([]string{"install-hooks", "--yes"}, args...)...)
}

// installUser installs for the user without making the project one of theirs.
func (w *world) installUser() {
	w.Helper()
	w.install("--no-init")
}
