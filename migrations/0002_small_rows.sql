-- What every attempt and every unchanged backup writes becomes small: a rule is kept once, not with each attempt it was in force for,
-- and the text of a revision stands apart from the row that each backup touches.

CREATE TABLE rule_in_force (
  id   INTEGER PRIMARY KEY,
  rule TEXT NOT NULL UNIQUE  -- JSON: {field: {"value": text, "origin": level, "origin_name": text}}
) STRICT;
INSERT INTO rule_in_force (rule) SELECT DISTINCT rule FROM attempt WHERE rule IS NOT NULL;

-- As before, but for `rule_id` in the place of `rule`.
CREATE TABLE attempt_small (
  id              INTEGER PRIMARY KEY,
  series_id       INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  number          INTEGER NOT NULL CHECK (number >= 1),
  queued_ms       INTEGER NOT NULL CHECK (queued_ms >= 0),
  started_ms      INTEGER NOT NULL,
  ended_ms        INTEGER,
  outcome         TEXT CHECK (outcome IN ('success', 'failure', 'interrupted', 'cancelled')),
  failure_class   TEXT CHECK (failure_class IN ('unreachable', 'dropped', 'timeout', 'busy', 'incomplete', 'auth', 'host_key',
                                                'negotiation', 'unsupported', 'setup', 'local', 'internal')),
  stage           TEXT CHECK (stage IN ('none', 'resolve', 'connect', 'handshake', 'host_key', 'auth', 'login', 'command',
                                        'verify', 'store')),
  reason          TEXT,
  transport       TEXT NOT NULL,
  action          TEXT CHECK (action IN ('run', 'retry', 'end', 'wait')),
  wait_ms         INTEGER,
  jitter_ms       INTEGER,
  next_attempt_ms INTEGER,
  rule_id         INTEGER REFERENCES rule_in_force (id),
  transcript      BLOB,
  CHECK ((ended_ms IS NULL) = (outcome IS NULL)),
  CHECK ((outcome IS NULL) = (action IS NULL)),
  CHECK ((action IS NULL) = (rule_id IS NULL)),
  CHECK ((action IS NULL) = (wait_ms IS NULL)),
  CHECK ((action IS NULL) = (jitter_ms IS NULL)),
  CHECK ((action IS 'retry') = (next_attempt_ms IS NOT NULL)),
  CHECK ((failure_class IS NULL) = (stage IS NULL)),
  CHECK ((failure_class IS NULL) = (reason IS NULL)),
  CHECK (outcome IS NOT 'failure' OR failure_class IS NOT NULL),
  CHECK (outcome IS NOT 'success' OR failure_class IS NULL),
  UNIQUE (series_id, number)
) STRICT;
INSERT INTO attempt_small
  SELECT id, series_id, number, queued_ms, started_ms, ended_ms, outcome, failure_class, stage, reason, transport, action, wait_ms,
         jitter_ms, next_attempt_ms, (SELECT r.id FROM rule_in_force r WHERE r.rule = attempt.rule), transcript
  FROM attempt;
DROP TABLE attempt;
ALTER TABLE attempt_small RENAME TO attempt;
CREATE UNIQUE INDEX attempt_running ON attempt (series_id) WHERE ended_ms IS NULL;

CREATE TABLE revision_text (
  revision_id INTEGER PRIMARY KEY REFERENCES revision (id) ON DELETE CASCADE,
  text        BLOB NOT NULL  -- the exact bytes as a zstd frame
) STRICT;
INSERT INTO revision_text (revision_id, text) SELECT id, text FROM revision;
DROP INDEX revision_seen;
ALTER TABLE revision DROP COLUMN text;
