import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ERRORS, type ErrorCode } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { MEMORY_STATES } from '../../shared/memory-states.ts';
import type { Memory, MemoryVersion } from '../../shared/schemas/memories.ts';
import { openTestApp } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { addMemories, addMemory, allRows, decide, decided, listMemories } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

interface Problem {
  type: string;
  code: ErrorCode;
  detail: string;
  requestId: string;
  errors?: { path: string; message: string }[];
}

interface Result {
  memory?: Memory;
  problem?: Problem;
}

/** Sends decisions together, where they are to be answered one by one. */
async function decideAll(caller: Caller, decisions: readonly object[]): Promise<Result[]> {
  const answer = await decide(caller, { decisions });
  const { results } = answer.json<{ results: Result[] }>();
  assert.equal(results.length, decisions.length);
  for (const { problem } of results) {
    if (problem !== undefined) assertProblem(problem, String(answer.headers['x-request-id']));
  }
  return results;
}

/** Asserts that a result contains a problem as a single decision returns it, with a status of its own. */
function assertProblem(problem: Problem, requestId: string): void {
  const { type, detail, errors: _, ...rest } = problem;
  const { status, title } = ERRORS[problem.code];
  assert.deepEqual(rest, { title, status, code: problem.code, requestId });
  assert.match(type, new RegExp(`${problem.code}$`));
  assert.ok(detail !== '');
}

/** What came of each: the state of the memory, or the code of the problem. */
const outcomes = (results: readonly Result[]) =>
  results.map(({ memory, problem }) => memory?.state ?? problem?.code);

describe('POST /v1/memory/memories with several decisions', () => {
  test('applies the other decisions if one is refused, whatever the reason', async () => {
    const company = await service.company();
    const [first, second, third] = await addMemories(company, 'review', [{}, {}, {}]);
    const archived = await addMemory(company, 'archived');
    const results = await decideAll(company, [
      { action: 'publish', memoryId: first!.id },
      { action: 'publish', memoryId: newId() },
      { action: 'publish', memoryId: 'x' },
      { action: 'discard', memoryId: second!.id, version: 2 },
      { action: 'delete', memoryId: archived.id },
      { action: 'update', memoryId: first!.id },
      { action: 'discard', memoryId: second!.id, title: 'x' },
      { action: 'discard', memoryId: second!.id, supersedes: first!.id },
      { action: 'discard', memoryId: third!.id },
    ]);
    assert.deepEqual(outcomes(results), [
      'published',
      'not_found',
      'not_found',
      'version_conflict',
      'conflict',
      'invalid_request',
      'invalid_request',
      'invalid_request',
      'discarded',
    ]);
    for (const { memory, problem } of results) assert.notEqual(memory === undefined, problem === undefined);
    // Paths are relative to the decision; the position of the result says which decision it is.
    assert.deepEqual(
      results.map(({ problem }) => problem?.errors?.map(({ path }) => path)).filter((paths) => paths),
      [['/content'], ['/title'], ['/supersedes']],
    );
    const listed = await listMemories(company);
    assert.deepEqual(
      columns(listed, 'id', 'state').sort(),
      [
        [first!.id, 'published'],
        [second!.id, 'review'],
      ].sort(),
    );
  });

  test('returns 400 and changes nothing if another field is combined with decisions, or one is malformed', async () => {
    const company = await service.company();
    const [memory] = await addMemories(company, 'review', [{}]);
    const good = { action: 'publish', memoryId: memory!.id };
    const before = await allRows(service, company);
    for (const [body, path] of [
      [{ decisions: [good], action: 'publish' }, '/action'],
      [{ decisions: [good], version: 1 }, '/version'],
      [{ decisions: [good, { memoryId: memory!.id }] }, '/decisions/1/action'],
      [{ decisions: [good, { ...good, title: '' }] }, '/decisions/1/title'],
    ] as const) {
      assertInvalid(await decide(company, body), path);
    }
    assert.deepEqual(await allRows(service, company), before);
  });

  test('accepts 100 decisions with the longest content, and returns 413 for a larger body', async () => {
    const company = await service.company();
    const decision = { action: 'update', memoryId: newId(), content: 'x'.repeat(64_000) };
    const results = await decideAll(
      company,
      Array.from({ length: 100 }, () => decision),
    );
    assert.deepEqual(new Set(outcomes(results)), new Set(['not_found']));
    const answer = await decide(company, { decisions: [decision], title: 'x'.repeat(8 << 20) });
    assert.equal(outcome(answer), '413 payload_too_large');
  });
});

const versionsOf = (caller: Caller, { id }: Pick<Memory, 'id'>) => caller.all.listMemoryVersions(id);

const texts = (versions: readonly MemoryVersion[]) =>
  versions.map(({ version, title, content }) => [version, title, content]);

test('a memory is returned in every state with Full access, and while it is published to readers', async () => {
  const company = await service.company();
  const member = await addPerson(service, company, { teamRole: 'member' });
  for (const state of MEMORY_STATES) {
    const memory = await addMemory(company, state);
    assert.deepEqual(await company.api.getMemory(memory.id), memory);
    const read = outcome(await member.ask.getMemory(memory.id));
    assert.equal(read, state === 'published' ? '200' : '404 not_found', state);
  }
});

describe('GET /v1/memory/memories/{id}/versions', () => {
  test('lists every text that a memory has had, newest first, with its changes by words', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'review', {
      title: 'Port',
      content: 'The port is 8443.',
    });
    const { id: memoryId } = memory;
    await decided(company, { action: 'publish', memoryId, content: 'The port is 443.' });
    await decided(company, { action: 'update', memoryId, tags: ['net'] });
    await decided(company, { action: 'update', memoryId, title: 'Ports' });
    await decided(company, { action: 'unpublish', memoryId });
    const versions = await versionsOf(company, memory);
    assert.deepEqual(texts(versions), [
      [4, 'Ports', 'The port is 443.'],
      [2, 'Port', 'The port is 443.'],
      [1, 'Port', 'The port is 8443.'],
    ]);
    assert.deepEqual(versions[0]?.changes, [{ op: 'equal', text: 'The port is 443.' }]);
    assert.deepEqual(
      versions[1]?.changes.map(({ op }) => op),
      ['equal', 'delete', 'insert', 'equal'],
    );
    assert.deepEqual(versions[2]?.changes, [{ op: 'insert', text: 'The port is 8443.' }]);
    for (const { actorId, createdAt } of versions) {
      assert.equal(actorId, company.ownerId);
      assert.ok(createdAt >= memory.createdAt);
    }
    assert.equal(versions[2]?.createdAt, memory.createdAt);
  });

  test('pages the versions, and a page of long texts has fewer', async () => {
    const company = await service.company();
    const content = (n: number) => `${n} ${'heron '.repeat(10_000)}`.padEnd(63_000, '鷺');
    const memory = await addMemory(company, 'published', { content: content(0) });
    for (let n = 1; n < 12; n++) {
      await decided(company, { action: 'update', memoryId: memory.id, content: content(n) });
    }
    const first = await company.api.listMemoryVersions(memory.id, { limit: '2' });
    assert.deepEqual(column(first.items, 'version'), [12, 11]);
    const all: number[] = [];
    let pages = 0;
    for (let cursor: string | null | undefined; cursor !== null; pages++) {
      const page = await company.api.listMemoryVersions(memory.id, { cursor });
      all.push(...column(page.items, 'version'));
      cursor = page.nextCursor;
    }
    assert.deepEqual(all, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert.equal(pages, 2);
    for (const cursor of ['MA', 'LTE', 'MS4w', 'OTk5OTk5OTk5OTk5']) {
      assertInvalid(await company.ask.listMemoryVersions(memory.id, { cursor }), '/cursor');
    }
  });

  test('shows a text that was only in review to nobody without Full access', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const memory = await addMemory(company, 'review', { content: 'The secret is heron.' });
    assert.equal(outcome(await member.ask.listMemoryVersions(memory.id)), '404 not_found');
    const { id: memoryId } = memory;
    await decided(company, { action: 'publish', memoryId, content: 'There is a secret.' });
    const [shown, ...others] = await versionsOf(member, memory);
    assert.deepEqual([shown?.content, others], ['There is a secret.', []]);
    assert.deepEqual(shown?.changes, [{ op: 'insert', text: 'There is a secret.' }]);
    assert.equal((await versionsOf(company, memory)).length, 2);
    // A text that was published unchanged is one that was published.
    const plain = await addMemory(company, 'review', { content: 'A fact.' });
    await decided(company, { action: 'publish', memoryId: plain.id });
    assert.equal((await versionsOf(member, plain)).length, 1);
    await decided(company, { action: 'delete', memoryId: plain.id });
    assert.equal(outcome(await member.ask.listMemoryVersions(plain.id)), '404 not_found');
  });
});

test('restore returns 404 for a version that the memory has not had, and 409 for another baseVersion', async () => {
  const company = await service.company();
  const { id: memoryId } = await addMemory(company, 'published');
  const restore = { action: 'restore', memoryId, version: 1 };
  for (const version of [2, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    assert.equal(outcome(await decide(company, { ...restore, version })), '404 not_found');
  }
  assert.equal(outcome(await decide(company, { ...restore, baseVersion: 2 })), '409 version_conflict');
  assertInvalid(await decide(company, { action: 'restore', memoryId }), '/version');
  assertInvalid(await decide(company, { ...restore, title: 'x' }), '/title');
  assertInvalid(await decide(company, { action: 'delete', memoryId, baseVersion: 1 }), '/baseVersion');
});
