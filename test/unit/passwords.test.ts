import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../../shared/errors.ts';
import { createPasswordHasher } from '../../shared/passwords.ts';
import { createCheapHasher } from '../support/passwords.ts';

const PASSWORD = 'correct horse battery staple';

/** A hasher that checks one hash. */
function createHasher() {
  const { hash, verify } = createPasswordHasher();
  const matches = async (passwordHash: string | null, password: string) =>
    (await verify([passwordHash], password))[0];
  return { hash, verify, matches };
}

describe('password hashes', () => {
  test('a hash is argon2id with the chosen parameters and differs each time', async () => {
    const { hash } = createPasswordHasher();
    const [one, other] = await Promise.all([hash(PASSWORD), hash(PASSWORD)]);
    const [, algorithm, version, parameters] = one.split('$');
    assert.deepEqual([algorithm, version], ['argon2id', 'v=19']);
    assert.deepEqual(new Set(parameters?.split(',')), new Set(['m=19456', 't=2', 'p=1']));
    assert.notEqual(one, other);
  });

  test('a hash verifies its own password and no other, and a missing hash none', async () => {
    const { hash, verify, matches } = createHasher();
    const made = await hash(PASSWORD);
    assert.equal(await matches(made, PASSWORD), true);
    assert.equal(await matches(made, `${PASSWORD} `), false);
    assert.equal(await matches(made, PASSWORD.toUpperCase()), false);
    for (const given of [PASSWORD, '']) assert.equal(await matches(null, given), false);
    assert.deepEqual(await verify([null, made, await hash('another'), made], PASSWORD), [
      false,
      true,
      false,
      true,
    ]);
    assert.deepEqual(await verify([], PASSWORD), []);
  });

  test('the composed and the decomposed form of a letter are the same password', async () => {
    const { hash, matches } = createHasher();
    const forms = ['Re\u0301sume\u0301 secret', 'R\u00e9sum\u00e9 secret'] as const;
    assert.equal(await matches(await hash(forms[0]), forms[1]), true);
    assert.equal(await matches(await hash(forms[1]), forms[0]), true);
  });

  test('requests beyond the queue are refused as unavailable, and the others succeed', async () => {
    // Two run, and one on a machine with one or two cores, and fifty wait.
    for (const [cores, room] of [
      [4, 52],
      [2, 51],
      [1, 51],
    ] as const) {
      const { verify } = createCheapHasher(cores);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 60 }, (_, place) =>
          verify(place % 2 === 0 ? [null] : [null, null, null], PASSWORD),
        ),
      );
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      assert.equal(refused.length, 60 - room, `of ${cores}`);
      for (const { reason } of refused)
        assert.ok(reason instanceof ServiceError && reason.code === 'unavailable');
      assert.deepEqual(await verify([null], PASSWORD), [false], 'and then there is room again');
    }
  });
});
