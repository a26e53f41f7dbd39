-- Version 1 of the tables. A change is another file behind this one in schema.go: nothing here changes.
CREATE SCHEMA aburn;

CREATE TABLE aburn.meta (
	one     boolean PRIMARY KEY DEFAULT true CHECK (one),
	version integer NOT NULL
);

-- A machine is one archive. The role that pushes it first owns its rows.
CREATE TABLE aburn.machines (
	id        uuid PRIMARY KEY,
	owner     name NOT NULL DEFAULT current_user,
	person    text,
	aburn     text,
	pushed_at timestamptz NOT NULL DEFAULT now()
);

-- What the database has of a machine's day, as a hash of its rows.
CREATE TABLE aburn.pushed (
	machine uuid NOT NULL REFERENCES aburn.machines ON DELETE CASCADE,
	day     date,
	hash    bytea NOT NULL
);
CREATE UNIQUE INDEX pushed_key ON aburn.pushed (machine, coalesce(day, '-infinity'));

CREATE TABLE aburn.days (
	machine        uuid NOT NULL REFERENCES aburn.machines ON DELETE CASCADE,
	day            date,
	price_day      date,
	project        text NOT NULL,
	agent          text NOT NULL,
	model          text NOT NULL,
	tier           text NOT NULL,
	geo            text NOT NULL,
	long_prompt    boolean NOT NULL,
	writes_unknown boolean NOT NULL,
	answers        bigint NOT NULL,
	input          bigint NOT NULL,
	cache_read     bigint NOT NULL,
	cache_write_5m bigint NOT NULL,
	cache_write_1h bigint NOT NULL,
	cache_write    bigint NOT NULL,
	output         bigint NOT NULL,
	web_searches   bigint NOT NULL
);
CREATE UNIQUE INDEX days_key ON aburn.days (machine, coalesce(day, '-infinity'), coalesce(price_day, '-infinity'), project, agent, model, tier, geo, long_prompt, writes_unknown);

CREATE TABLE aburn.sessions (
	machine   uuid NOT NULL REFERENCES aburn.machines ON DELETE CASCADE,
	day       date,
	id        text NOT NULL,
	project   text NOT NULL,
	agent     text NOT NULL,
	subagent  boolean NOT NULL,
	started   timestamptz,
	ended     timestamptz,
	active_ms bigint NOT NULL,
	outcome   text NOT NULL,
	prompts   bigint NOT NULL,
	responses bigint NOT NULL,
	calls     bigint NOT NULL,
	failed    bigint NOT NULL,
	denied    bigint NOT NULL,
	PRIMARY KEY (machine, id)
);
CREATE INDEX sessions_day ON aburn.sessions (machine, day);

CREATE TABLE aburn.failures (
	machine   uuid NOT NULL REFERENCES aburn.machines ON DELETE CASCADE,
	day       date,
	project   text NOT NULL,
	agent     text NOT NULL,
	class     text NOT NULL,
	error_key text NOT NULL,
	count     bigint NOT NULL
);
CREATE UNIQUE INDEX failures_key ON aburn.failures (machine, coalesce(day, '-infinity'), project, agent, class, error_key);

-- Dollars per token, from one day to another in UTC. A null has no price.
CREATE TABLE aburn.prices (
	model            text NOT NULL,
	tier             text NOT NULL,
	geo              text NOT NULL,
	long_prompt      boolean NOT NULL,
	from_day         date NOT NULL,
	until_day        date NOT NULL,
	input            numeric,
	cache_read       numeric,
	cache_write_5m   numeric,
	cache_write_1h   numeric,
	cache_write      numeric,
	output           numeric,
	web_search       numeric,
	write_exact      boolean NOT NULL,
	uncertain        boolean NOT NULL,
	search_uncertain boolean NOT NULL,
	PRIMARY KEY (model, tier, geo, long_prompt, from_day)
);
