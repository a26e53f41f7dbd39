// Package projects opens a project for everything that is done with its workers: commands, pages, the daemon. A Project is the
// workers (worker/manager), the project's files (internal/workspace), and what aburn.yaml and workers.yaml say (worker/config).
//
// Functions of this package answer what depends on the person's files: which gates run before a merge, which forge has the
// repository and with which token, which rules an agent is told, which worker a word means.
//
// Begin in projects.go (Open, OpenAt), then find.go and config.go. It may import the rooms of worker, internal and
// internal/workspace; no command line, archive or page. How a worker is started is worker/launch.
package projects
