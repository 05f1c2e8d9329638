-- Inventory, settings, series, attempts, revisions. Times are milliseconds since 1970 UTC (*_ms), enumerations are their text.
-- A migration that has been released is never edited: the next change is the next number.

CREATE TABLE customer (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,  -- ids are identity: a removed one never comes back as another
  name     TEXT NOT NULL UNIQUE,
  timezone TEXT NOT NULL
) STRICT;

-- Secrets are sealed before they come here; NULL: there is none.
CREATE TABLE credential (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  customer_id       INTEGER REFERENCES customer (id) ON DELETE CASCADE,  -- NULL: the platform's
  name              TEXT NOT NULL,
  username          TEXT NOT NULL,
  sealed_password   BLOB,
  sealed_enable     BLOB,
  sealed_key        BLOB,
  sealed_passphrase BLOB
) STRICT;
CREATE UNIQUE INDEX credential_platform ON credential (name) WHERE customer_id IS NULL;
CREATE UNIQUE INDEX credential_customer ON credential (customer_id, name) WHERE customer_id IS NOT NULL;

CREATE TABLE device (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  customer_id   INTEGER NOT NULL REFERENCES customer (id) ON DELETE CASCADE,
  name          TEXT NOT NULL,
  address       TEXT NOT NULL,
  port          INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
  driver        TEXT NOT NULL,
  credential_id INTEGER REFERENCES credential (id),
  enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  UNIQUE (customer_id, name)
) STRICT;
CREATE INDEX device_credential ON device (credential_id) WHERE credential_id IS NOT NULL;

CREATE TABLE device_tag (
  device_id INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  tag       TEXT NOT NULL,
  PRIMARY KEY (device_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_tag_by_tag ON device_tag (tag, device_id);

-- Every per-level setting: a row is one field set at one level; what has no row is inherited.
CREATE TABLE setting (
  id          INTEGER PRIMARY KEY,
  customer_id INTEGER REFERENCES customer (id) ON DELETE CASCADE,
  device_id   INTEGER REFERENCES device (id) ON DELETE CASCADE,
  section     TEXT NOT NULL,
  field       TEXT NOT NULL,
  value       TEXT NOT NULL,
  CHECK (customer_id IS NULL OR device_id IS NULL)  -- both NULL: the platform
) STRICT;
CREATE UNIQUE INDEX setting_platform ON setting (section, field) WHERE customer_id IS NULL AND device_id IS NULL;
CREATE UNIQUE INDEX setting_customer ON setting (customer_id, section, field) WHERE customer_id IS NOT NULL;
CREATE UNIQUE INDEX setting_device ON setting (device_id, section, field) WHERE device_id IS NOT NULL;

CREATE TABLE host_key (
  device_id         INTEGER PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  type              TEXT NOT NULL,
  fingerprint       TEXT NOT NULL,
  first_seen_ms     INTEGER NOT NULL,
  legacy_algorithms INTEGER NOT NULL CHECK (legacy_algorithms IN (0, 1))
) STRICT;

CREATE TABLE series (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  device_id        INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
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
CREATE UNIQUE INDEX series_running ON series (device_id) WHERE state = 'running';  -- one session per device
CREATE INDEX series_open ON series (device_id) WHERE ended_ms IS NULL;
CREATE INDEX series_held ON series (owner, due_ms) WHERE owner IS NOT NULL;
CREATE INDEX series_of_device ON series (device_id, scheduled_for_ms);
CREATE INDEX series_by_time ON series (scheduled_for_ms);
CREATE INDEX series_failed ON series (scheduled_for_ms) WHERE state = 'failed';

-- The decision columns are what was decided when the attempt ended; `rule` is the rule that was in force, as JSON:
-- {field: {"value": text, "origin": level, "origin_name": text}}. The bulky columns stand last.
CREATE TABLE attempt (
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
  rule            TEXT,
  transcript      BLOB,
  CHECK ((ended_ms IS NULL) = (outcome IS NULL)),
  CHECK ((outcome IS NULL) = (action IS NULL)),
  CHECK ((action IS NULL) = (rule IS NULL)),
  CHECK ((action IS NULL) = (wait_ms IS NULL)),
  CHECK ((action IS NULL) = (jitter_ms IS NULL)),
  CHECK ((action IS 'retry') = (next_attempt_ms IS NOT NULL)),
  CHECK ((failure_class IS NULL) = (stage IS NULL)),
  CHECK ((failure_class IS NULL) = (reason IS NULL)),
  CHECK (outcome IS NOT 'failure' OR failure_class IS NOT NULL),
  CHECK (outcome IS NOT 'success' OR failure_class IS NULL),
  UNIQUE (series_id, number)
) STRICT;
CREATE UNIQUE INDEX attempt_running ON attempt (series_id) WHERE ended_ms IS NULL;

-- One row per distinct text of a device. `comparable` is the fingerprint (BLAKE2b-256) of the text without its noise, `sha256` the
-- SHA-256 of the exact bytes, `text` those bytes as a zstd frame.
CREATE TABLE revision (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  device_id     INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  comparable    BLOB NOT NULL CHECK (length(comparable) = 32),
  sha256        BLOB NOT NULL CHECK (length(sha256) = 32),
  bytes         INTEGER NOT NULL CHECK (bytes >= 0),
  lines         INTEGER NOT NULL CHECK (lines >= 0),
  first_seen_ms INTEGER NOT NULL,
  last_seen_ms  INTEGER NOT NULL,
  text          BLOB NOT NULL,
  UNIQUE (device_id, comparable)
) STRICT;
CREATE INDEX revision_seen ON revision (device_id, last_seen_ms);

-- The successes. An unchanged device costs a row of this table and nothing else.
CREATE TABLE backup (
  attempt_id  INTEGER PRIMARY KEY REFERENCES attempt (id) ON DELETE CASCADE,
  device_id   INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  revision_id INTEGER NOT NULL REFERENCES revision (id) ON DELETE CASCADE,
  taken_ms    INTEGER NOT NULL,
  changed     INTEGER NOT NULL CHECK (changed IN (0, 1))  -- against the device's backup before
) STRICT;
CREATE INDEX backup_of_device ON backup (device_id);
CREATE INDEX backup_of_revision ON backup (revision_id);

-- What an incomplete answer had brought.
CREATE TABLE evidence (
  attempt_id INTEGER PRIMARY KEY REFERENCES attempt (id) ON DELETE CASCADE,
  text       BLOB NOT NULL
) STRICT;

PRAGMA application_id = 1315594610;
