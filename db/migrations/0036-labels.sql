-- Terms are made of the labels of a source too. These functions have further arguments or columns, and are in db/functions.
drop function if exists memory.lock_source_terms(uuid, text, date, int);
drop function if exists memory.end_source_terms(uuid, text, date, int, int);
drop function if exists memory.end_writable_terms(uuid, text, date, int, int);
drop function if exists memory.outdated_source(int);
