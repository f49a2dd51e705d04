-- SQL functions that had another word for removing than the glossary. Their files create them under their new names.
drop function if exists identity.forget_answers(uuid, uuid[]);
drop trigger if exists forget_term_counts on memory.keyword_team;
drop function if exists memory.forget_term_counts();
drop trigger if exists forsake on memory.workspace_version;
drop trigger if exists forsake on memory.original;
drop function if exists memory.forsake_workspace_blobs();
