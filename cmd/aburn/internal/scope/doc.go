// Package scope finds what a command is about: the project and its log, the sessions of the archive
// that flags and arguments choose, and the agent that asks.
package scope
