package workflow

// IsTestCommand says whether a shell command, or the first part of one, runs tests: one of the model's TestCommands
// stands where a command's name stands, also behind `cd x &&`, assignments, `sh -c` and programs that run another one.
func (m *Model) IsTestCommand(head string) bool {
	runs, _ := m.TestRun(head)
	return runs
}

// TestRun says whether a shell command runs tests, and whether its exit code is theirs: it is not behind a pipe, with
// `|| true` or another command after them, or when the text was cut.
func (m *Model) TestRun(head string) (runs, exact bool) {
	return false, false
}
