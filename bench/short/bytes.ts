import type { Database } from '../../db/driver/database.ts';
import { LANGUAGES, type RetrievalSet } from '../../test/support/retrieval-set.ts';
import type { SearchReport } from '../search/report.ts';
import type { SearchCheckout } from './checkout.ts';

/** Bytes of the words of passages: the terms of each with their indexes, and the word counts of Teams. */
interface WordBytes {
  terms: number;
  indexes: number;
  counts: number;
}

/** What the words of a passage can take of before. */
const MAX_OF_BEFORE = 1.1;

const TABLES = ['chunk_keyword', 'keyword_slice'];

async function readBytes(database: Database): Promise<WordBytes> {
  const [row] = await database.query<Record<keyof WordBytes, string>>(
    `select pg_table_size('memory.chunk_keyword') as terms, pg_indexes_size('memory.chunk_keyword') as indexes,
            pg_total_relation_size('memory.keyword_slice') as counts`,
  );
  if (row === undefined) throw new Error('the sizes of tables are one row');
  return { terms: Number(row.terms), indexes: Number(row.indexes), counts: Number(row.counts) };
}

const total = ({ terms, indexes, counts }: WordBytes) => terms + indexes + counts;

/**
 * Stores the paragraphs of the retrieval set in each checkout, and compares what their words take on the disk. A
 * table that was rewritten has no room for more rows, nor have its indexes: these figures are compared.
 */
export async function measureBytes(
  checkouts: readonly SearchCheckout[],
  sets: readonly RetrievalSet[],
  report: SearchReport,
): Promise<void> {
  const measured: [string, number][] = [];
  const texts = sets.flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text));
  report.print('');
  report.print(`words of ${texts.length} paragraphs in ${LANGUAGES.join(', ')}; bytes of a paragraph`);
  report.row('', ['terms', 'indexes', 'counts', 'sum']);
  for (const checkout of checkouts) {
    const { name, database } = checkout;
    // What the tables take without rows is not of the words.
    const empty = await readBytes(database);
    await checkout.storeTexts(texts);
    for (const [state, command] of [
      ['as stored', 'vacuum'],
      ['rewritten', 'vacuum full'],
    ] as const) {
      for (const table of TABLES) await checkout.maintain(`${command} memory.${table}`);
      const bytes = await readBytes(database);
      const each = (value: number) => (value / texts.length).toFixed(0);
      report.row(`${state}, ${name}`, [
        each(bytes.terms - empty.terms),
        each(bytes.indexes - empty.indexes),
        each(bytes.counts - empty.counts),
        each(total(bytes) - total(empty)),
      ]);
      if (state === 'rewritten') measured.push([name, total(bytes) - total(empty)]);
    }
  }
  const [before, now] = measured;
  if (before === undefined || now === undefined) return;
  const share = now[1] / before[1];
  report.print(
    `  now of before: ${share.toFixed(3)} (${report.hold('bytes of words, of before', share, MAX_OF_BEFORE)})`,
  );
}
