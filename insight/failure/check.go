package failure

import "slices"

// CheckWord names the first test runner, linter, type checker or build tool that a command line runs, as CommandWord does; "" if it runs none.
func CheckWord(command string) string {
	words := commandWords(command)
	if i := slices.IndexFunc(words, func(w string) bool {
		return slices.ContainsFunc([][]string{testRunners, linters, checkers, builders}, func(names []string) bool { return named(names)(w) })
	}); i >= 0 {
		return words[i]
	}
	return ""
}
