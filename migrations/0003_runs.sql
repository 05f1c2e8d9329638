-- Schedules fire into runs; series know their customer, their run and how long a breaker held them back; breakers outlive a restart.

-- A customer's time zone becomes one field of its schedule; UTC, which is built in, is inherited.
INSERT INTO setting (customer_id, section, field, value)
  SELECT id, 'schedule', 'timezone', timezone FROM customer WHERE timezone <> 'UTC';
ALTER TABLE customer DROP COLUMN timezone;

-- A time that passed before there was a device was not missed by it.
ALTER TABLE device ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
-- A run goes through the devices of its customer page by page.
CREATE INDEX device_of_customer ON device (customer_id);

-- One firing of a customer's schedules: one logical time, a series for each device whose schedule names it.
CREATE TABLE run (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  customer_id      INTEGER NOT NULL REFERENCES customer (id) ON DELETE CASCADE,
  scheduled_for_ms INTEGER NOT NULL,
  created_ms       INTEGER NOT NULL,
  kind             TEXT NOT NULL CHECK (kind IN ('on_time', 'late', 'missed')),
  opened_to        INTEGER,  -- its series exist up to this device; NULL: all of them do
  UNIQUE (customer_id, scheduled_for_ms)
) STRICT;
CREATE INDEX run_unfinished ON run (id) WHERE opened_to IS NOT NULL;
CREATE INDEX run_by_time ON run (scheduled_for_ms);

-- Which schedules fired into it, and how: one may have missed the time that another still catches up with.
CREATE TABLE run_schedule (
  run_id   INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  cron     TEXT NOT NULL,
  timezone TEXT NOT NULL,
  kind     TEXT NOT NULL CHECK (kind IN ('on_time', 'late', 'missed')),
  PRIMARY KEY (run_id, cron, timezone)
) STRICT, WITHOUT ROWID;

-- Up to when each schedule in use has been looked at: what lies between that and now is due, or was missed.
CREATE TABLE schedule_handled (
  customer_id INTEGER NOT NULL REFERENCES customer (id) ON DELETE CASCADE,
  cron        TEXT NOT NULL,
  timezone    TEXT NOT NULL,
  handled_ms  INTEGER NOT NULL,
  PRIMARY KEY (customer_id, cron, timezone)
) STRICT, WITHOUT ROWID;

-- As before, with customer_id, run_id and held_ms; a series without an owner is the daemon's. The customer is that of the device,
-- which brings the foreign key: one more would make the removal of a customer walk through all series.
CREATE TABLE series_of_runs (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  device_id        INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  customer_id      INTEGER NOT NULL,
  run_id           INTEGER REFERENCES run (id) ON DELETE SET NULL,
  cause            TEXT NOT NULL CHECK (cause IN ('schedule', 'manual')),
  state            TEXT NOT NULL CHECK (state IN ('pending', 'running', 'retry_wait',
                                                  'succeeded', 'failed', 'cancelled', 'missed')),
  ended_as         TEXT CHECK (ended_as IN ('exhausted', 'permanent', 'overtaken')),
  scheduled_for_ms INTEGER NOT NULL,
  window_start_ms  INTEGER NOT NULL,
  due_ms           INTEGER,
  attempts         INTEGER NOT NULL CHECK (attempts >= 0),
  counted          INTEGER NOT NULL CHECK (counted BETWEEN 0 AND attempts),
  interruptions    INTEGER NOT NULL CHECK (interruptions >= 0),
  previous_wait_ms INTEGER NOT NULL CHECK (previous_wait_ms >= 0),
  overtaken        INTEGER NOT NULL CHECK (overtaken IN (0, 1)),
  cancel_requested INTEGER NOT NULL CHECK (cancel_requested IN (0, 1)),
  held_ms          INTEGER NOT NULL DEFAULT 0 CHECK (held_ms >= 0),  -- behind a breaker, on all attempts together
  started_ms       INTEGER,
  ended_ms         INTEGER,
  owner            TEXT CHECK (owner <> ''),  -- who holds the claim
  lease_until_ms   INTEGER,
  CHECK ((state = 'failed') = (ended_as IS NOT NULL)),
  CHECK ((state IN ('pending', 'retry_wait')) = (due_ms IS NOT NULL)),
  CHECK ((state IN ('pending', 'running', 'retry_wait')) = (ended_ms IS NULL)),
  CHECK (state <> 'running' OR owner IS NOT NULL),
  CHECK (ended_ms IS NULL OR owner IS NULL),
  CHECK ((owner IS NULL) = (lease_until_ms IS NULL))
) STRICT;
INSERT INTO series_of_runs
  SELECT s.id, s.device_id, d.customer_id, NULL, s.cause, s.state, s.ended_as, s.scheduled_for_ms, s.window_start_ms, s.due_ms,
         s.attempts, s.counted, s.interruptions, s.previous_wait_ms, s.overtaken, s.cancel_requested, 0, s.started_ms, s.ended_ms,
         s.owner, s.lease_until_ms
  FROM series s JOIN device d ON d.id = s.device_id;
-- The ids of removed series do not come back.
DELETE FROM sqlite_sequence WHERE name = 'series_of_runs';
INSERT INTO sqlite_sequence (name, seq) SELECT 'series_of_runs', seq FROM sqlite_sequence WHERE name = 'series';
DROP TABLE series;
ALTER TABLE series_of_runs RENAME TO series;
CREATE UNIQUE INDEX series_running ON series (device_id) WHERE state = 'running';  -- one session per device
CREATE INDEX series_open ON series (device_id) WHERE ended_ms IS NULL;
CREATE INDEX series_held ON series (owner) WHERE owner IS NOT NULL;
CREATE INDEX series_to_cancel ON series (owner) WHERE state = 'running' AND cancel_requested = 1;
-- The queue: whose, of which customer, first attempts before retries, the oldest first.
CREATE INDEX series_due ON series (owner, customer_id, attempts > 0, due_ms) WHERE due_ms IS NOT NULL;
CREATE UNIQUE INDEX series_of_run ON series (run_id, device_id) WHERE run_id IS NOT NULL;
CREATE INDEX series_of_device ON series (device_id, scheduled_for_ms);
CREATE INDEX series_by_time ON series (scheduled_for_ms);
CREATE INDEX series_failed ON series (scheduled_for_ms) WHERE state = 'failed';

-- What kept an attempt from starting when it was due, beside the want of a slot; of queued_ms, held_ms is the breaker's part.
ALTER TABLE attempt ADD COLUMN held_ms INTEGER NOT NULL DEFAULT 0 CHECK (held_ms >= 0);
ALTER TABLE attempt ADD COLUMN held_by TEXT CHECK (held_by IN ('customer_breaker', 'credential_breaker', 'retry_budget'));

CREATE TABLE customer_breaker (
  customer_id INTEGER PRIMARY KEY REFERENCES customer (id) ON DELETE CASCADE,
  unreachable INTEGER NOT NULL CHECK (unreachable >= 0),
  opened_ms   INTEGER,  -- NULL: it is closed
  probe_ms    INTEGER,
  probe       INTEGER NOT NULL,  -- the series whose attempt is the probe under way; 0: none is
  was_open_ms INTEGER,  -- when it was open last, for the account of what it held back
  closed_ms   INTEGER,
  CHECK ((opened_ms IS NULL) = (probe_ms IS NULL))
) STRICT;

CREATE TABLE credential_breaker (
  credential_id INTEGER PRIMARY KEY REFERENCES credential (id) ON DELETE CASCADE,
  tripped_ms    INTEGER,
  refused       INTEGER NOT NULL CHECK (refused >= 0),
  edition       INTEGER NOT NULL
) STRICT;
CREATE TABLE credential_rejection (
  credential_id INTEGER NOT NULL REFERENCES credential (id) ON DELETE CASCADE,
  device_id     INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  at_ms         INTEGER NOT NULL,
  PRIMARY KEY (credential_id, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_rejection_device ON credential_rejection (device_id);

-- The daemon, for those who ask after it: one row, written every few seconds while it runs.
CREATE TABLE daemon (
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  owner           TEXT NOT NULL,
  pid             INTEGER NOT NULL,
  started_ms      INTEGER NOT NULL,
  seen_ms         INTEGER NOT NULL,
  address         TEXT NOT NULL,
  retries_put_off INTEGER NOT NULL
) STRICT;
