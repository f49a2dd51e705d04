-- How many new keys the index collects before they are merged is a setting of each writer now, because one that stores many
-- chunks merges their keys at once. The value in the index would overrule it. It is 512 kB as before after each write: see
-- insertChunks and the functions that write chunk_keyword.
alter index memory.chunk_keyword_keys reset (gin_pending_list_limit);
