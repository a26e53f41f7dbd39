-- Who may do what, and the views. Each --init runs all of it.
ALTER TABLE aburn.machines ENABLE ROW LEVEL SECURITY;
ALTER TABLE aburn.pushed   ENABLE ROW LEVEL SECURITY;
ALTER TABLE aburn.days     ENABLE ROW LEVEL SECURITY;
ALTER TABLE aburn.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE aburn.failures ENABLE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own  ON aburn.machines;
DROP POLICY IF EXISTS team ON aburn.machines;
DROP POLICY IF EXISTS own  ON aburn.pushed;
DROP POLICY IF EXISTS own  ON aburn.days;
DROP POLICY IF EXISTS team ON aburn.days;
DROP POLICY IF EXISTS own  ON aburn.sessions;
DROP POLICY IF EXISTS team ON aburn.sessions;
DROP POLICY IF EXISTS own  ON aburn.failures;
DROP POLICY IF EXISTS team ON aburn.failures;

-- A machine's role reads and writes the rows of the machines that it owns.
CREATE POLICY own ON aburn.machines TO aburn_machine USING (owner = current_user) WITH CHECK (owner = current_user);
CREATE POLICY own ON aburn.pushed   TO aburn_machine USING (machine IN (SELECT id FROM aburn.machines WHERE owner = current_user));
CREATE POLICY own ON aburn.days     TO aburn_machine USING (machine IN (SELECT id FROM aburn.machines WHERE owner = current_user));
CREATE POLICY own ON aburn.sessions TO aburn_machine USING (machine IN (SELECT id FROM aburn.machines WHERE owner = current_user));
CREATE POLICY own ON aburn.failures TO aburn_machine USING (machine IN (SELECT id FROM aburn.machines WHERE owner = current_user));

-- A lead reads every row, and writes none. Which role owns a machine it does not see.
CREATE POLICY team ON aburn.machines FOR SELECT TO aburn_lead USING (true);
CREATE POLICY team ON aburn.days     FOR SELECT TO aburn_lead USING (true);
CREATE POLICY team ON aburn.sessions FOR SELECT TO aburn_lead USING (true);
CREATE POLICY team ON aburn.failures FOR SELECT TO aburn_lead USING (true);

-- Views read as their owner, whom no policy binds. So what anybody sees of others here is a sum, without machine and person.
-- Only machine_costs names machines; it is the leads'. Sums are numeric: one damaged archive cannot make them overflow for all.
-- A security barrier keeps a reader's own conditions from being tried on rows that a view hides.

-- The projects whose sums a reader may see. A sum of one person's project is that person's: only they and leads read it.
CREATE OR REPLACE VIEW aburn.readable_projects WITH (security_barrier = true) AS
SELECT r.project
FROM (SELECT project, machine FROM aburn.days UNION SELECT project, machine FROM aburn.sessions UNION SELECT project, machine FROM aburn.failures) r
	JOIN aburn.machines m ON m.id = r.machine
GROUP BY r.project
HAVING count(DISTINCT m.owner) > 1 OR bool_or(m.owner = current_user) OR pg_has_role('aburn_lead', 'USAGE')
	OR pg_has_role((SELECT relowner FROM pg_class WHERE oid = 'aburn.days'::regclass), 'USAGE');

CREATE OR REPLACE VIEW aburn.machine_costs WITH (security_barrier = true) AS
SELECT d.machine, m.person, d.day, d.project, d.agent, d.model, d.tier, d.answers,
	d.input, d.cache_read, d.cache_write_5m, d.cache_write_1h, d.cache_write, d.output, d.web_searches,
	coalesce(d.input * p.input, 0) + coalesce(d.cache_read * p.cache_read, 0) + coalesce(d.cache_write_5m * p.cache_write_5m, 0)
		+ coalesce(d.cache_write_1h * p.cache_write_1h, 0) + coalesce(d.cache_write * p.cache_write, 0) + coalesce(d.output * p.output, 0)
		+ coalesce(d.web_searches * p.web_search, 0) AS usd,
	CASE WHEN p.input IS NULL THEN d.input ELSE 0 END::numeric + CASE WHEN p.cache_read IS NULL THEN d.cache_read ELSE 0 END
		+ CASE WHEN p.cache_write_5m IS NULL THEN d.cache_write_5m ELSE 0 END + CASE WHEN p.cache_write_1h IS NULL THEN d.cache_write_1h ELSE 0 END
		+ CASE WHEN p.cache_write IS NULL THEN d.cache_write ELSE 0 END + CASE WHEN p.output IS NULL THEN d.output ELSE 0 END AS unpriced,
	coalesce(d.writes_unknown AND d.input > 0 AND p.cache_write IS NOT NULL
		OR d.cache_write > 0 AND NOT p.write_exact OR d.web_searches > 0 AND p.model IS NOT NULL AND p.web_search IS NULL, false) AS at_least,
	coalesce(p.uncertain OR d.web_searches > 0 AND p.search_uncertain, false) AS uncertain
FROM aburn.days d
	JOIN aburn.machines m ON m.id = d.machine
	LEFT JOIN aburn.prices p ON p.model = d.model AND p.tier = d.tier AND p.geo = d.geo AND p.long_prompt = d.long_prompt
		AND p.from_day <= d.price_day AND d.price_day < p.until_day;

CREATE OR REPLACE VIEW aburn.costs WITH (security_barrier = true) AS
SELECT day, project, agent, model, sum(answers) AS answers, sum(input) AS input, sum(cache_read) AS cache_read,
	sum(cache_write_5m::numeric + cache_write_1h + cache_write) AS cache_written, sum(output) AS output, sum(web_searches) AS web_searches,
	sum(usd) AS usd, sum(unpriced) AS unpriced, bool_or(at_least OR unpriced > 0) AS at_least, bool_or(uncertain) AS uncertain
FROM aburn.machine_costs WHERE project IN (SELECT project FROM aburn.readable_projects) GROUP BY day, project, agent, model;

CREATE OR REPLACE VIEW aburn.outcomes WITH (security_barrier = true) AS
SELECT day, project, agent, subagent, outcome, count(*) AS sessions, sum(active_ms) AS active_ms, sum(prompts) AS prompts,
	sum(calls) AS calls, sum(failed) AS failed, sum(denied) AS denied
FROM aburn.sessions WHERE project IN (SELECT project FROM aburn.readable_projects) GROUP BY day, project, agent, subagent, outcome;

CREATE OR REPLACE VIEW aburn.errors WITH (security_barrier = true) AS
SELECT day, project, agent, class, error_key, sum(count) AS count, count(DISTINCT machine) AS machines
FROM aburn.failures WHERE project IN (SELECT project FROM aburn.readable_projects) GROUP BY day, project, agent, class, error_key;

CREATE OR REPLACE VIEW aburn.freshness WITH (security_barrier = true) AS
SELECT count(*) AS machines, count(*) FILTER (WHERE pushed_at > now() - interval '3 days') AS pushed_lately, max(pushed_at) AS last FROM aburn.machines;

REVOKE ALL ON ALL TABLES IN SCHEMA aburn FROM PUBLIC, aburn_machine, aburn_lead;
GRANT USAGE ON SCHEMA aburn TO aburn_machine, aburn_lead;
GRANT SELECT, INSERT, UPDATE, DELETE ON aburn.machines TO aburn_machine;
GRANT SELECT, INSERT, DELETE ON aburn.pushed, aburn.days, aburn.sessions, aburn.failures TO aburn_machine;
GRANT SELECT (id, person, aburn, pushed_at) ON aburn.machines TO aburn_lead; -- a role is mostly a person's name
GRANT SELECT ON aburn.days, aburn.sessions, aburn.failures, aburn.machine_costs TO aburn_lead;
GRANT SELECT ON aburn.meta, aburn.prices, aburn.costs, aburn.outcomes, aburn.errors, aburn.freshness TO aburn_machine, aburn_lead;
