-- What could not be read of a file: see shared/schemas/unread.ts. Of files that were read before, it is not known.
alter table memory.import add column unread jsonb not null default '[]';
alter table memory.source add column unread jsonb not null default '[]';
