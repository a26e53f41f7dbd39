// Package install adds aburn's hooks and its MCP server to agents' settings files, and removes them byte for byte. It
// needs neither the log nor the hooks, so it imports neither.
//
// Invariants:
//  1. A settings file is never printed anew from a parsed object. Every change is a list of edits, each at a position
//     that this package's own strict scanner reported. The bytes between them are the user's and stay.
//  2. A file that does not parse, or has another shape than the agent documents, is refused with file, line and column.
//     Then the operation touches no file at all.
//  3. A file is replaced by renaming a complete new one in the same folder. Just before, it is read again and must equal
//     the bytes that the plan was made from. A kill leaves the old bytes or the new ones.
//  4. Before the rename a record of the install and a backup are on disk (record.go). So even after a kill, uninstall can
//     remove the hooks exactly.
//
// Remaining race: a program that writes the file in the few microseconds between comparison and rename loses its write.
// Agents offer no lock to share.
//
// # Where to begin
//
// It may import plumbing, and its package doctor also the archive and hooks. Begin with Plan and Agents; the Adapter of
// claude.go shows what an agent adds. Package doctor checks whether installed hooks fire.
package install
