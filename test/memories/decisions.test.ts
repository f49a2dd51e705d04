import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ERRORS, type ErrorCode } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { addMemories, addMemory, allRows, decide, listMemories } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { type Caller } from '../support/team.ts';

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
