import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../db/driver/database.ts';
import { int4ArrayBinary, termsToSparsevecBinary } from '../../db/driver/wire-format.ts';
import { newId } from '../../shared/ids.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { finishHash, hashState } from '../../shared/text/hash.ts';
import { TERMS_VERSION } from '../../shared/text/terms.ts';
import { ROOT } from './root.ts';
import { storeSource } from './sources.ts';

/** A text with the terms that version 3 of the rules made of it. They are data, because those rules are gone. */
interface EarlierText {
  text: string;
  /** What is hashed with the Team: a term, or the beginning of a word with `*`. */
  keys: string[];
  /** Dimensions as int32 and their weights as float32, both little-endian in base64. */
  dims: string;
  weights: string;
}

/** Texts in many scripts, with names of programs, codes and letters that other rules write in another way. */
export const EARLIER_TEXTS = JSON.parse(
  readFileSync(join(ROOT, 'test/support/terms-of-version-3.json'), 'utf8'),
) as EarlierText[];

const bytesOf = (base64: string): ArrayBuffer => Uint8Array.from(Buffer.from(base64, 'base64')).buffer;

/** Stores each text as a source with the terms of version 3, which are outdated. */
export async function storeEarlierTexts(database: Database, scope: TeamScope): Promise<void> {
  const { teamId } = scope;
  const team = hashState(':', hashState(teamId));
  for (const { text, keys, dims, weights } of EARLIER_TEXTS) {
    const id = await storeSource(database, scope, { layer: null, title: newId(), chunks: [{ text }] });
    const hashed = new Set(keys.map((key) => finishHash(hashState(key, team))));
    const sparse = { dims: new Int32Array(bytesOf(dims)), weights: new Float32Array(bytesOf(weights)) };
    await database.query(
      `update memory.chunk_keyword k set keys = $3::int4[], weights = $4::sparsevec
         from memory.chunk c where c.team_id = $1 and c.source_id = $2 and k.team_id = $1 and k.chunk_id = c.id`,
      [teamId, id, int4ArrayBinary(Int32Array.from(hashed).sort()), termsToSparsevecBinary(sparse)],
    );
  }
  await database.query('update memory.source set terms_version = $2 where team_id = $1', [
    teamId,
    TERMS_VERSION - 1,
  ]);
}
