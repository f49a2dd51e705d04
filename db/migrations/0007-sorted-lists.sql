-- The title by which lists are sorted: without case, by code point. A column, because row-level security keeps the planner from
-- comparing an expression with the place of a page before it has checked the row.
alter table memory.source add column title_key text collate "C"
  generated always as (lower(upper(title collate "pg_c_utf8"))) stored;
create index source_title on memory.source (team_id, title_key, id);
create index source_updated on memory.source (team_id, updated_at, id);
create index audit_event_actor on memory.audit_event (company_id, actor_id, id desc);
