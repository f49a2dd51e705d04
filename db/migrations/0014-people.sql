-- People are found by a part of their name, in every row of a Company. The form in which texts are compared, as that of
-- comparable_text, is stored: to make it of each name took most of the time. A name is too short to be slow to normalize.
alter table identity.account add column name_key text collate "C"
  generated always as (lower(upper(normalize(name, NFC) collate "pg_c_utf8"))) stored;

grant select (name_key) on identity.account to memory_service;
