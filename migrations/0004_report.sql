-- The morning report of one customer reads its own series of a night, not everybody's.
CREATE INDEX series_of_customer ON series (customer_id, scheduled_for_ms);
