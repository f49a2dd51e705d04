-- The rules by which the stored terms of a source's chunks were made, and the day that its document tells. Terms of rules
-- before these have version 1; 0 marks terms that were made with another title or day than the source has now.
alter table memory.source
  add column terms_version smallint not null default 1,
  add column document_date date;
-- A job makes the terms of these sources again. It finds them by a range of this index.
create index source_terms on memory.source (terms_version, team_id) where state = 'active';
-- Chunks whose terms were made again since the layer was counted.
alter table memory.keyword_layer add column renewed int not null default 0;
-- It has a parameter now. It is in db/functions.
drop function if exists memory.team_figures();
