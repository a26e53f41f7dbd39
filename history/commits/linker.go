package commits

import (
	"context"

	"aburn/history"
)

// Linker returns a linker for the repository, which knows the commits of all reflogs and those given. Whoever uses it adds the sessions.
func (r *Repo) Linker(ctx context.Context, hashes []string) (*history.Linker, error) {
	moves, err := r.Moves()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range moves {
		for _, hash := range []string{moves[i].Was, moves[i].Now} {
			if !seen[hash] && hash != "" {
				seen[hash] = true
				hashes = append(hashes, hash)
			}
		}
	}
	found, err := r.Commits(ctx, hashes)
	if err != nil {
		return nil, err
	}
	return &history.Linker{Commits: found, Moves: moves, Files: r.Files,
		Patch: func(from, to string) string { return r.Patch(ctx, from, to) }}, nil
}
