//go:build !race

package codex_test

const everyNth = 1
