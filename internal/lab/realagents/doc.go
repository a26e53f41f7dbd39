// Package realagents holds only tests, which run aburn under the real agents. The log must
// agree with the agents' own transcripts and the scripted model, and the model must see the same with aburn as
// without it.
//
// The tests need the build tag "agents" (make test-agents), npm for the first run, and Linux with root for a network
// namespace. Without root the agents are not confined, but have no key and no address other than loopback.
package realagents
