-- New terms of chunks are compressed with lz4. pglz, the default, gives up: it looks for repetitions in the first kilobyte,
-- where a sparsevec has its indices, which are hashes. Its values, in the second half, are almost all equal. Most rows then
-- take half a page and not a whole one. Stored rows stay as they are, and are read as before. A server that was built
-- without lz4 stores new rows as before too.
do $$
begin
  alter table memory.chunk_keyword alter column weights set compression lz4, alter column keys set compression lz4;
exception when feature_not_supported then
  raise notice 'the server has no lz4: the weights of chunks are stored as before';
end $$;
