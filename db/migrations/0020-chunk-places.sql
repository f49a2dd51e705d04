-- Where a chunk is in a spreadsheet or a presentation. Null if the format has no such places.
alter table memory.chunk add column sheet text;
-- The first row of the chunk in its sheet.
alter table memory.chunk add column row int constraint chunk_row check (row > 0);
alter table memory.chunk add column slide int constraint chunk_slide check (slide > 0);
