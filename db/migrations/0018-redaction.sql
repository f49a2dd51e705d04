-- Credentials that were found in an import: where, by which rule, and never the value.
alter table memory.import add column redactions jsonb not null default '[]';
