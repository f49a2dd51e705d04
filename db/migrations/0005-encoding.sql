-- The encoding that the text of a file was read in: see shared/schemas/text-encoding.ts. Null for UTF-8, for formats that say it
-- themselves, and for files that were read before.
alter table memory.import add column encoding text;
alter table memory.source add column encoding text;
