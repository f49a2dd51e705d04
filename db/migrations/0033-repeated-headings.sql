-- How many characters at the beginning of the text repeat the heading row of a table, so that they are not counted twice.
alter table memory.chunk add column repeated int not null default 0;
alter table memory.kept_chunk add column repeated int not null default 0;

-- Returns them too now. It is in db/functions.
drop function if exists memory.source_texts(uuid, int, int);
