-- Who is told, and the outbox: a failed series and what it tells to whom are written in one transaction.

-- The server that mail goes through: one row, or none.
CREATE TABLE mail_server (
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  host            TEXT NOT NULL,
  port            INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
  security        TEXT NOT NULL CHECK (security IN ('none', 'starttls', 'tls')),
  sender          TEXT NOT NULL,
  username        TEXT NOT NULL,
  sealed_password BLOB,
  ca_file         TEXT NOT NULL
) STRICT;

-- `address` is a URL, or mail addresses separated by commas. Secrets are sealed before they come here.
CREATE TABLE destination (
  id                     INTEGER PRIMARY KEY AUTOINCREMENT,
  customer_id            INTEGER REFERENCES customer (id) ON DELETE CASCADE,  -- NULL: the platform's
  kind                   TEXT NOT NULL CHECK (kind IN ('email', 'webhook')),
  address                TEXT NOT NULL,
  preset                 TEXT NOT NULL CHECK (preset IN ('generic', 'slack', 'teams')),
  events                 TEXT NOT NULL,
  allow_link_local       INTEGER NOT NULL CHECK (allow_link_local IN (0, 1)),
  sealed_secret          BLOB,
  sealed_previous_secret BLOB,  -- signs too while receivers change over
  created_ms             INTEGER NOT NULL,
  disabled_ms            INTEGER,  -- nothing goes there any more
  disabled_because       TEXT,
  CHECK ((disabled_ms IS NULL) = (disabled_because IS NULL))
) STRICT;
CREATE INDEX destination_of_customer ON destination (customer_id);

-- One event for one destination. It gathers notifications until closes_ms; then what it says is fixed, and it is sent.
CREATE TABLE message (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id       TEXT NOT NULL UNIQUE,  -- the same for each try
  destination_id INTEGER NOT NULL REFERENCES destination (id) ON DELETE CASCADE,
  customer_id    INTEGER REFERENCES customer (id) ON DELETE CASCADE,  -- whom it is about; NULL: the platform
  event          TEXT NOT NULL CHECK (event IN ('series.failed', 'series.recovered', 'report.daily', 'platform.fault', 'test')),
  occasion       TEXT,  -- what there is only one message about, the date of a report; NULL: gathered
  state          TEXT NOT NULL CHECK (state IN ('gathering', 'waiting', 'delivered', 'dead')),
  opened_ms      INTEGER NOT NULL,
  closes_ms      INTEGER NOT NULL,
  due_ms         INTEGER,  -- the next try
  taken_by       TEXT,     -- the process that is trying it now
  tries          INTEGER NOT NULL CHECK (tries >= 0),
  first_try_ms   INTEGER,
  ended_ms       INTEGER,
  status         INTEGER NOT NULL,  -- what the newest answer was; 0: none
  detail         TEXT NOT NULL,
  CHECK ((state = 'waiting') = (due_ms IS NOT NULL)),
  CHECK (taken_by IS NULL OR state = 'waiting'),
  CHECK ((state IN ('delivered', 'dead')) = (ended_ms IS NOT NULL))
) STRICT;
CREATE INDEX message_gathering ON message (destination_id, customer_id, event) WHERE state = 'gathering';
CREATE INDEX message_closing ON message (closes_ms) WHERE state = 'gathering';
CREATE INDEX message_due ON message (due_ms) WHERE state = 'waiting';
CREATE INDEX message_waiting ON message (destination_id, due_ms) WHERE state = 'waiting';
CREATE INDEX message_taken ON message (taken_by) WHERE taken_by IS NOT NULL;
CREATE UNIQUE INDEX message_occasion ON message (destination_id, event, occasion) WHERE occasion IS NOT NULL;
CREATE INDEX message_of_destination ON message (destination_id, id);
CREATE INDEX message_of_customer ON message (customer_id) WHERE customer_id IS NOT NULL;

-- What it says, from its first try on.
CREATE TABLE message_content (
  message_id  INTEGER PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
  subject     TEXT NOT NULL,
  text        TEXT NOT NULL,
  html        TEXT NOT NULL,
  body        TEXT NOT NULL,  -- of a webhook
  in_reply_to TEXT NOT NULL   -- the event_id of the message it follows
) STRICT;

-- One series that one destination is told about. `standing`: a failure that the device has not recovered from.
CREATE TABLE notification (
  id             INTEGER PRIMARY KEY,
  message_id     INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  destination_id INTEGER NOT NULL REFERENCES destination (id) ON DELETE CASCADE,
  device_id      INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  series_id      INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  event          TEXT NOT NULL,
  attempts       INTEGER NOT NULL,  -- of the series at its end: a rerun that fails again is another end
  day            INTEGER NOT NULL,  -- of the scheduled time on the customer's calendar, days since 1970
  cause          TEXT NOT NULL,     -- shared with others; '': its own
  standing       INTEGER NOT NULL CHECK (standing IN (0, 1)),
  UNIQUE (series_id, destination_id, event, attempts)
) STRICT;
CREATE INDEX notification_of_message ON notification (message_id);
CREATE INDEX notification_of_destination ON notification (destination_id);
CREATE INDEX notification_of_device ON notification (device_id);
CREATE INDEX notification_standing ON notification (device_id) WHERE standing = 1;
