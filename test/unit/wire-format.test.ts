import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { SparseVector } from 'pgvector';
import type { EmbeddedDatabase } from '../../db/driver/embedded.ts';
import {
  arrayBinary,
  halfvecBinary,
  int4ArrayBinary,
  termsToSparsevecBinary,
} from '../../db/driver/wire-format.ts';
import { type ChunkTerms, chunkTerms } from '../../shared/text/terms/terms.ts';
import { openPrepared } from '../support/needs/database.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('the binary format', () => {
  test('a sparsevec with fewer weights than dimensions is refused', () => {
    const terms = { dims: Int32Array.of(1, 2), weights: Float32Array.of(1) };
    assert.throws(() => termsToSparsevecBinary(terms), RangeError);
  });

  test('an array of any type has the form of an int4 array, and -1 as the length of null', () => {
    const [one, two] = [Uint8Array.of(0xff, 0xff, 0xff, 0xff), Uint8Array.of(0, 0, 1, 2)];
    assert.equal(hex(arrayBinary(23, [one, two])), hex(int4ArrayBinary(Int32Array.of(-1, 258))));
    assert.equal(hex(arrayBinary(23, [])), hex(int4ArrayBinary(new Int32Array(0))));
    assert.equal(
      hex(arrayBinary(17, [null, Uint8Array.of(7)])),
      '0000000100000001000000110000000200000001ffffffff0000000107',
    );
  });

  test('a halfvec is the same for a Float16Array and a Float32Array', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -65000, max: 65000, noNaN: true }), { minLength: 1 }),
        (values) => {
          assert.deepEqual(halfvecBinary(new Float16Array(values)), halfvecBinary(new Float32Array(values)));
        },
      ),
    );
  });

  test('a halfvec without dimensions, with too many or with a value beyond float16 is refused', () => {
    for (const values of [[], [NaN], [Infinity], [65520], Array.from({ length: 16001 }, () => 0)]) {
      assert.throws(() => halfvecBinary(new Float32Array(values)), RangeError);
    }
  });
});

describe('values that PostgreSQL reads back', () => {
  let database: EmbeddedDatabase;
  before(async () => {
    database = await openPrepared();
    await database.query(
      'create table received (keys int4[], weights sparsevec(536870912), embedding halfvec)',
    );
  });
  after(() => database.close());

  /** What PostgreSQL reads of the terms of a text and of a vector, each in its binary format. */
  async function receive(terms: ChunkTerms, vector: readonly number[]) {
    await database.query('truncate received');
    await database.query('insert into received values ($1, $2, $3)', [
      int4ArrayBinary(terms.keys),
      termsToSparsevecBinary(terms),
      halfvecBinary(Float32Array.from(vector)),
    ]);
    const rows = await database.query('select keys, weights::text, embedding::text from received');
    return rows[0] as { keys: number[]; weights: string; embedding: string };
  }

  test('PostgreSQL reads the terms and the vector of a chunk as they were sent', async () => {
    const terms = chunkTerms('team', 'The pump P-101 leaks. 水泵漏水');
    const row = await receive(terms, [0.25, -1]);
    assert.deepEqual(row.keys, [...terms.keys]);
    const weights = new SparseVector(row.weights);
    assert.equal(weights.dimensions, 536870912);
    assert.deepEqual(
      weights.indices.map((index) => index + 1),
      [...terms.dims],
    );
    assert.deepEqual(Float32Array.from(weights.values), terms.weights);
    assert.equal(row.embedding, '[0.25,-1]');
  });

  test('PostgreSQL reads empty terms for a chunk without words', async () => {
    const row = await receive(chunkTerms('team', '— … —'), [1]);
    assert.deepEqual(row, { keys: [], weights: '{}/536870912', embedding: '[1]' });
  });
});
