// Package control does to a worker what a person asks for, wherever it runs: kill, interrupt, send, answer, clean up, fetch its
// work. For a worker on another machine, or in a clone, the aburn there is asked; else worker/manager does it.
//
// Callers use these instead of manager's own Kill, Interrupt and RemoveTree, which know only this machine.
//
// Begin in control.go; fetch.go brings commits and snapshots here. It may import worker/manager and the rooms below it.
package control
