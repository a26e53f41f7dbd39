// Package windows runs the tests of packages, and a person's first day, on Windows executables under Wine 10 or newer.
// run.sh builds what it needs and starts it; `go test` alone skips. On a real Windows, ABURN_WINDOWS names a folder with bin
// in it, and TestWalk runs without Wine. Wine shows locks, renames, deletes and paths. It shows
// no access rights, no virus scanner and no console.
package windows
