// Package realagents holds no code, only the tests that run aburn under the real Claude Code and the real Codex: what stands in
// the log must be what the agents' own transcripts and the scripted model saw, and the model must see what it sees without aburn.
//
// The tests need the build tag "agents" (make test-agents), npm for the first run, and Linux with root for the network namespace;
// without root the agents run unconfined but with no key and no address other than loopback.
package realagents
