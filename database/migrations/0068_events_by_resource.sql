-- Why: the page of a withdrawal shows to whom its events were sent; ended deliveries are found by their events.
-- Outside a transaction, so that events go on while the index is built.
create index concurrently if not exists events_by_resource on events (resource);
