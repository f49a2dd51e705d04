import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { halfvecBinary, int4ArrayBinary, termsToSparsevecBinary } from '../../db/driver/wire-format.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger, type Logger } from '../../shared/logger.ts';
import { databaseUrl, openTestDatabase } from '../support/needs/database.ts';

const database = await openTestDatabase();
const ID = '0190b5f4-0000-7000-8000-000000000000';

async function value(text: string, values: readonly unknown[] = []): Promise<unknown> {
  const [row] = await database.query<{ value: unknown }>(`select ${text} as value`, values);
  return row?.value;
}

describe('values that both drivers return', () => {
  for (const [sql, expected] of [
    ['9007199254740991::int8', 9_007_199_254_740_991],
    // Past what a number holds exactly: still a number, and the same one.
    ['9223372036854775807::int8', 2 ** 63],
    ['count(*)', 1],
    ['array[1, -2]::int8[]', [1, -2]],
    ['12.5::numeric', 12.5],
    ['1.5::real', 1.5],
    ['-0.1::float8', -0.1],
    [`'\\x00ff'::bytea`, Buffer.of(0, 255)],
    [`array['\\x00ff'::bytea]`, [Buffer.of(0, 255)]],
    [`timestamptz '2026-01-02 03:04:05.678+02'`, new Date('2026-01-02T01:04:05.678Z')],
    [`'{"a": [1, null, "ü"]}'::jsonb`, { a: [1, null, 'ü'] }],
    [`'null'::jsonb`, null],
    [`'${ID}'::uuid`, ID],
    [`array['${ID}']::uuid[]`, [ID]],
    [`'{}'::uuid[]`, []],
    [`array['a', null, 'b"\\,{} c', '']`, ['a', null, 'b"\\,{} c', '']],
    ['array[0.5]::real[]', [0.5]],
    ['true', true],
    [`'ünï😀'::text`, 'ünï😀'],
    ['null::bytea', null],
  ] as const) {
    test(`returns ${sql} as ${expected === null ? 'null' : (expected.constructor?.name ?? typeof expected)}`, async () => {
      const actual = await value(sql);
      // Told apart beforehand: a Buffer equals a Uint8Array of the same bytes to some, and must not here.
      if (Buffer.isBuffer(expected)) assert.ok(Buffer.isBuffer(actual));
      assert.deepEqual(actual, expected);
    });
  }

  test('returns no rows for an empty result, and rows without columns', async () => {
    assert.deepEqual(await database.query('select 1 where false'), []);
    assert.equal((await database.query('select from generate_series(1, 3)')).length, 3);
  });

  test('returns the SQLSTATE and the constraint of an error', async () => {
    await assert.rejects(value(`'x'::uuid`), { code: '22P02' });
    const twice = database.transaction((tx) =>
      tx.query(`insert into identity.company (id, name) values ($1, 'a'), ($1, 'b')`, [newId()]),
    );
    await assert.rejects(twice, { code: '23505', constraint: 'company_pkey' });
  });
});

describe('parameters that both drivers accept', () => {
  for (const [type, given, expected] of [
    ['int8', 7, 7],
    ['float8', 0.1, 0.1],
    ['bool', false, false],
    ['text', 'ü😀 \\ " \'', 'ü😀 \\ " \''],
    ['text', null, null],
    ['uuid', ID, ID],
    ['uuid[]', [ID], [ID]],
    ['text[]', ['a', 'b"\\,{}', null, ''], ['a', 'b"\\,{}', null, '']],
    ['int4[]', [1, -2], [1, -2]],
    ['real[]', [0.5], [0.5]],
    ['timestamptz', new Date(5), new Date(5)],
    ['jsonb', '{"a": [1]}', { a: [1] }],
    ['bytea', Uint8Array.of(1, 0, 255), Buffer.of(1, 0, 255)],
    ['bytea', Uint8Array.of(9, 1, 2, 9).subarray(1, 3), Buffer.of(1, 2)],
  ] as const) {
    test(`accepts ${type} from ${JSON.stringify(given)}`, async () => {
      assert.deepEqual(await value(`$1::${type}`, [given]), expected);
    });
  }

  test('accepts bytes as the binary form of halfvec, sparsevec and int4[]', async () => {
    assert.equal(await value('$1::halfvec::text', [halfvecBinary(Float32Array.of(1, -0.5))]), '[1,-0.5]');
    const terms = { dims: Int32Array.of(3, 536_870_912), weights: Float32Array.of(0.5, 2) };
    assert.equal(
      await value('$1::sparsevec::text', [termsToSparsevecBinary(terms)]),
      '{3:0.5,536870912:2}/536870912',
    );
    assert.deepEqual(await value('$1::int4[]', [int4ArrayBinary(Int32Array.of(-5, 6))]), [-5, 6]);
    assert.deepEqual(await value('$1::int4[]', [int4ArrayBinary(new Int32Array(0))]), []);
  });
});

describe('a transaction', () => {
  test('leaves its connection usable after a failure', async () => {
    for (let i = 0; i < 20; i += 1) {
      await assert.rejects(
        database.transaction((tx) => tx.query('select 1 / 0')),
        { code: '22012' },
      );
      await assert.rejects(
        database.transaction((tx) => tx.query('no sql')),
        { code: '42601' },
      );
    }
    assert.equal(await value('1'), 1);
    assert.equal(await value(`coalesce(current_setting('app.team', true), '')`), '');
  });
});

describe('a PostgreSQL backend that ends', { skip: databaseUrl === undefined && 'needs PostgreSQL' }, () => {
  /** A database of one connection, and the warning that its loss writes. */
  function openOne(): { one: Database; lost: Promise<void> } {
    const { promise: lost, resolve } = Promise.withResolvers<void>();
    const logger = { ...createLogger('fatal', 'test'), warn: () => resolve() } as unknown as Logger;
    const one = openPostgres(databaseUrl ?? '', logger, { max: 1 });
    after(() => one.close());
    return { one, lost };
  }

  const end = (pid: unknown) => database.query('select pg_terminate_backend($1::int4)', [pid]);
  const PID = 'select pg_backend_pid() as pid';

  test('is replaced by another when it ends while its connection is idle', async () => {
    const { one, lost } = openOne();
    const [before] = await one.query(PID);
    await end(before?.['pid']);
    await lost;
    const [after] = await one.query(PID);
    assert.notEqual(after?.['pid'], before?.['pid']);
  });

  test('fails only its own transaction when it ends between two statements', async () => {
    const { one, lost } = openOne();
    const failed = one.transaction(async (tx) => {
      const [row] = await tx.query(PID);
      await end(row?.['pid']);
      await lost;
      return tx.query('select 1');
    });
    await assert.rejects(failed);
    assert.equal((await one.query('select 1')).length, 1);
  });
});
