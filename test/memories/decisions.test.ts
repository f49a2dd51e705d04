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
import { type Caller } from '../support/team.ts';

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

  test('returns 400 and changes nothing if another field is combined with decisions, or one is malformed', async () => {
    const company = await service.company();
    const [memory] = await reviews(company, 1);
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
