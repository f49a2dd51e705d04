-- By which a search recognizes equal chunks: the textHash of shared/text/equal-texts.ts, 16 bytes. Null for a chunk that
-- was stored without it, which then equals no other. No default, so the table is not rewritten.
alter table memory.chunk add column text_hash bytea;
