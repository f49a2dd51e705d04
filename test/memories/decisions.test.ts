import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ERRORS, type ErrorCode } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { foundByWords } from '../support/consolidation.ts';
import { addMemories, addMemory, allRows, decide, listMemories } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { type Caller, faultyFields } from '../support/team.ts';

const service = await openTestApp();

interface Problem {
  code: ErrorCode;
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
  assert.equal(answer.statusCode, 200, answer.body);
  const body = answer.json<{ results: Result[] }>();
  assert.deepEqual(Object.keys(body), ['results']);
  assert.equal(body.results.length, decisions.length);
  for (const { problem } of body.results) {
    if (problem !== undefined) assertProblem(problem, String(answer.headers['x-request-id']));
  }
  return body.results;
}

/** Asserts that a result contains a problem as a single decision returns it, with a status of its own. */
function assertProblem(problem: Problem, requestId: string): void {
  const { type, detail, errors: _, ...rest } = problem as Problem & { type: string; detail: string };
  const { status, title } = ERRORS[problem.code];
  assert.deepEqual(rest, { title, status, code: problem.code, requestId });
  assert.match(type, new RegExp(`${problem.code}$`));
  assert.ok(detail !== '');
}

/** What came of each: the state of the memory, or the code of the problem. */
const outcomes = (results: readonly Result[]) =>
  results.map(({ memory, problem }) => memory?.state ?? problem?.code);

/** Makes memories for review, in parts that one complete takes. */
async function reviews(company: SignedIn, count: number): Promise<Memory[]> {
  const given = Array.from({ length: count }, (_, n) => ({ content: `ocelot ${n}` }));
  const memories: Memory[] = [];
  for (let from = 0; from < count; from += 40) {
    memories.push(...(await addMemories(company, 'review', given.slice(from, from + 40))));
  }
  return memories;
}

describe('POST /v1/memory/memories with several decisions', () => {
  test('applies the decisions one after the other and returns a result for each, in order', async () => {
    const company = await service.company();
    const [first, second, third] = await reviews(company, 3);
    const published = await addMemory(company, 'published', { content: 'badger' });
    const { events } = await recordedBy(service, company, async () => {
      const results = await decideAll(company, [
        { action: 'discard', memoryId: second!.id },
        { action: 'publish', memoryId: first!.id, title: 'Edited', version: 1 },
        { action: 'delete', memoryId: published.id },
        { action: 'publish', memoryId: third!.id },
      ]);
      assert.deepEqual(
        results.map(({ memory }) => [memory?.id, memory?.state, memory?.title, memory?.version]),
        [
          [second!.id, 'discarded', 'A memory', 2],
          [first!.id, 'published', 'Edited', 2],
          [published.id, 'archived', 'A memory', 2],
          [third!.id, 'published', 'A memory', 2],
        ],
      );
      for (const result of results) assert.deepEqual(Object.keys(result), ['memory', 'redactions']);
    });
    assert.deepEqual(columns(events, 'kind', 'subjectId'), [
      ['memory.discard', second!.id],
      ['memory.publish', first!.id],
      ['memory.delete', published.id],
      ['memory.publish', third!.id],
    ]);
    assert.deepEqual((await foundByWords(company, 'ocelot')).sort(), ['ocelot 0', 'ocelot 2']);
    assert.deepEqual(await foundByWords(company, 'badger'), []);
  });

  test('applies the other decisions if one is refused, whatever the reason', async () => {
    const company = await service.company();
    const [first, second, third] = await reviews(company, 3);
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

  test('changes nothing for refused decisions', async () => {
    const company = await service.company();
    const [memory] = await reviews(company, 1);
    const before = await allRows(service, company);
    const results = await decideAll(company, [
      { action: 'update', memoryId: memory!.id, content: 'lynx' },
      { action: 'publish', memoryId: memory!.id, version: 9 },
    ]);
    assert.deepEqual(outcomes(results), ['conflict', 'version_conflict']);
    assert.deepEqual(await allRows(service, company), before);
  });

  test('applies several decisions to one memory, each to the result of the one before', async () => {
    const company = await service.company();
    const [memory] = await reviews(company, 1);
    const memoryId = memory!.id;
    const results = await decideAll(company, [
      { action: 'update', memoryId, content: 'lynx' },
      { action: 'publish', memoryId, version: 1 },
      { action: 'publish', memoryId },
      { action: 'update', memoryId, version: 2, content: 'lynx' },
      { action: 'update', memoryId, version: 2, content: 'puma' },
      { action: 'update', memoryId, title: 'Cats' },
      { action: 'delete', memoryId, version: 4 },
      { action: 'delete', memoryId },
    ]);
    assert.deepEqual(
      results.map(({ memory: left, problem }) => left?.version ?? problem?.code),
      ['conflict', 2, 'conflict', 3, 'version_conflict', 4, 5, 'conflict'],
    );
    assert.deepEqual(await foundByWords(company, 'ocelot lynx puma'), []);
  });

  test('accepts 1 to 100 decisions', async () => {
    const company = await service.company();
    const memories = await reviews(company, 100);
    const decisions = memories.map(({ id }) => ({ action: 'publish', memoryId: id }));
    const before = await allRows(service, company);
    for (const many of [[], [...decisions, decisions[0]!]]) {
      assertInvalid(await decide(company, { decisions: many }), '/decisions');
    }
    assert.deepEqual(await allRows(service, company), before);
    const results = await decideAll(company, decisions);
    assert.deepEqual(
      results.map(({ memory }) => [memory?.id, memory?.state]),
      memories.map(({ id }) => [id, 'published']),
    );
    assert.equal((await listMemories(company, '?state=published')).length, 100);
  });

  test('returns 400 and changes nothing if another field is combined with decisions', async () => {
    const company = await service.company();
    const [memory] = await reviews(company, 1);
    const decisions = [{ action: 'publish', memoryId: memory!.id }];
    const before = await allRows(service, company);
    for (const [field, value] of Object.entries({
      action: 'publish',
      memoryId: memory!.id,
      version: 1,
      title: 'x',
      content: 'x',
      supersedes: newId(),
      other: 1,
    })) {
      assertInvalid(await decide(company, { decisions, [field]: value }), `/${field}`);
    }
    assert.deepEqual(await allRows(service, company), before);
  });

  test('returns 400 and changes nothing if one decision is malformed', async () => {
    const company = await service.company();
    const [memory] = await reviews(company, 1);
    const good = { action: 'publish', memoryId: memory!.id };
    const before = await allRows(service, company);
    for (const [bad, path] of [
      [{ memoryId: memory!.id }, '/decisions/1/action'],
      [{ action: 'publish' }, '/decisions/1/memoryId'],
      [{ ...good, action: 'archive' }, '/decisions/1/action'],
      [{ ...good, other: 1 }, '/decisions/1/other'],
      [{ ...good, title: '' }, '/decisions/1/title'],
      [{ ...good, version: '1' }, '/decisions/1/version'],
      [{ ...good, content: 'x'.repeat(64_001) }, '/decisions/1/content'],
      [{ decisions: [good] }, '/decisions/1/action'],
    ] as const) {
      const answer = await decide(company, { decisions: [good, bad] });
      assert.equal(outcome(answer), '400 invalid_request');
      assert.ok(faultyFields(answer).includes(path), `${path}: ${faultyFields(answer).join()}`);
    }
    for (const decisions of [null, {}, 'x', [null]]) {
      assert.equal(outcome(await decide(company, { decisions })), '400 invalid_request');
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
