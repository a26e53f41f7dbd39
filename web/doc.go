// Package web writes one self-contained HTML page. The file loads nothing, and by a policy of
// hashes only its own scripts and styles can run. It knows nothing of what its pages show.
//
// # Where to begin
//
// The room imports plumbing only, so that a page shows what it is given. Begin with pages, which has the templates, the
// style and the script; server decides who gets in, excerpt makes a conversation's texts safe to show.
package web
