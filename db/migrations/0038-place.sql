-- The place of a passage in its document is one value, with only the fields that are known. A change of the
-- type writes each table once, which is faster than an update of its rows and leaves no dead rows.
alter table memory.chunk
  alter column headings drop default,
  alter column headings type jsonb using jsonb_strip_nulls(jsonb_build_object(
    'headings', nullif(to_jsonb(headings), '[]'), 'page', page, 'sheet', sheet, 'row', "row", 'slide', slide)),
  alter column headings set default '{}',
  alter column page type int using null,
  alter column sheet type text using null,
  alter column "row" type int using null,
  alter column slide type int using null;
alter table memory.chunk drop column page, drop column sheet, drop column "row", drop column slide;
alter table memory.chunk rename column headings to place;

alter table memory.kept_chunk
  alter column headings type jsonb using jsonb_strip_nulls(jsonb_build_object(
    'headings', nullif(to_jsonb(headings), '[]'), 'page', page, 'sheet', sheet, 'row', "row", 'slide', slide)),
  alter column page type int using null,
  alter column sheet type text using null,
  alter column "row" type int using null,
  alter column slide type int using null;
alter table memory.kept_chunk drop column page, drop column sheet, drop column "row", drop column slide;
alter table memory.kept_chunk rename column headings to place;

-- Returns the headings from the place now. It is in db/functions.
drop function if exists memory.source_texts(uuid, int, int);
