// Package launch is how a worker is started, or restarted: which agent and runtime it gets, whether its hooks run, what its
// worktree is prepared with, which issue it works on, and when it counts as started.
//
// Commands read flags into a crew.Plan and call Begin; the board and the daemon restart workers with Restart and Revive.
//
// Begin in begin.go (a start, and waiting for the agent's first word), then agent.go (agent, hooks, trust) and restart.go. It may
// import worker/projects, worker/control, the rooms below them, and install for what an agent's settings say.
package launch
