-- Rows of chunk_keyword that are larger than a third of a page are compressed. The limit of 8160 bytes was set for
-- pglz, which was slow and saved nothing. With it most rows took a page each, and lz4 was never tried. Scoring with lz4
-- takes 3 % more of the time of a search. A server without lz4 tries pglz, which gives up early. Stored rows stay as
-- they are.
alter table memory.chunk_keyword set (toast_tuple_target = 2712);
