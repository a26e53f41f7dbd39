package describe

import (
	"context"
	"errors"

	"aburn/internal/fault"
	"aburn/internal/git"
	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/forge"
	"aburn/worker/headless"
	"aburn/worker/manager"
	"aburn/worker/tree"
)

// MergeFailure is the error of a merge or a sync that was not done.
func MergeFailure(m *manager.Member, err error) error {
	var refused *manager.Refused
	var problem *tree.Problem
	var failed *git.Error
	switch {
	case errors.As(err, &refused):
		return fault.Failed(m.Name+": "+refused.Text, refused.Hints...)
	case errors.As(err, &problem):
		return fault.Usage(m.Name+": "+problem.Text, problem.Advice)
	case errors.As(err, &failed):
		return fault.Failed(m.Name+": "+failed.Error(), "git status")
	}
	return fault.Failed(m.Name + ": " + err.Error())
}

// ForgeFailure is the error that a person is told when a forge, or a push to it, failed.
func ForgeFailure(m *manager.Member, err error) error {
	var limited *forge.Limited
	var failed *forge.Failed
	switch {
	case errors.Is(err, forge.ErrNoClient):
		return fault.Failed(m.Name+": "+err.Error()+", and GitHub is asked by it", "install GitHub's client gh, then gh auth login")
	case errors.Is(err, forge.ErrNoLogin):
		return fault.Failed(m.Name+": "+err.Error(), forge.LoginHints()...)
	case errors.As(err, &limited):
		return fault.Failed(m.Name+": "+plain.Line(limited.Error()), "try again then")
	case errors.As(err, &failed):
		return fault.Failed(m.Name + ": the forge says: " + plain.Line(failed.Error()))
	}
	return MergeFailure(m, err)
}

// AnswerFailure is the error that a person is told when an answer did not reach the agent.
func AnswerFailure(m *manager.Member, err error) error {
	switch {
	case errors.Is(err, headless.ErrNoQuestion) && m.Worker.Reason == worker.AwaitingUser && m.Said != "":
		return fault.Failed(m.Name+" asked with aburn ask; answer it with a message", "aburn send "+m.Name+" TEXT")
	case errors.Is(err, headless.ErrNoQuestion):
		return fault.Failed(m.Name+" does not ask that, or not any more", "aburn ps "+m.Name)
	case errors.Is(err, headless.ErrSeveral):
		return fault.Usage(m.Name+" asks several things", "aburn ps "+m.Name, "aburn answer --id ID")
	case errors.Is(err, hold.ErrGone):
		return fault.Failed(m.Name+" has ended", "aburn ps "+m.Name)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Failed("the agent was given the answer, and has not said that it has it", "aburn ps "+m.Name)
	}
	return fault.Failed(m.Name+": "+err.Error(), "aburn ps "+m.Name)
}
