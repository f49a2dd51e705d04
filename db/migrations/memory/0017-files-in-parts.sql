-- A file of an import is stored in parts. The embedded database answers nobody else while one statement carries bytes, and
-- 31 MiB in one took half a second.
alter table memory.import_payload add column part int not null default 0 check (part >= 0);
alter table memory.import_payload drop constraint import_payload_pkey,
  add constraint import_payload_pkey primary key (team_id, import_id, part);
