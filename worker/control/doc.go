// Package control does to a worker what a person asks for, wherever it runs: kill, interrupt, send, answer, clean up, fetch its
// work. For a worker on another machine, or in a clone, the aburn there is asked; else worker/crew does it.
//
// Callers use these instead of crew's own Kill, Interrupt and Cleanup, which know only this machine.
//
// Begin in control.go; fetch.go brings commits and snapshots here. It may import worker/crew and the rooms below it.
package control
