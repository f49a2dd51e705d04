import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { SignedIn } from '../support/app.ts';
import {
  changesNothing,
  countJobs,
  FAULT,
  keepsFile,
  letFileGo,
  plantImport,
  plantImports,
  readImport,
  retried,
  sendRetries,
  sendRetry,
} from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient } from '../support/team.ts';

/** No worker is at work here: what is put back stays where it is. */
const service = await openOwnTestApp();

const refused = <T>(company: SignedIn, send: () => PromiseLike<T>) => changesNothing(service, company, send);

/** Status, and the code of a refusal. */
function outcomeOf(answer: Awaited<ReturnType<typeof sendRetry>>): string {
  return answer.statusCode < 300 ? String(answer.statusCode) : outcome(answer);
}

describe('POST /v1/memory/imports/:id/retry', () => {
  test('queues the import with its file, and keeps the last error until a run completes', async () => {
    const company = await service.company();
    const id = await plantImport(service, company);
    const before = await readImport(company, id);
    assert.deepEqual([before.state, before.error, before.attempts], ['failed', FAULT, 1]);
    const answer = await sendRetry(company, id);
    assert.equal(answer.statusCode, 202, answer.body);
    const { updatedAt, ...now } = answer.json<typeof before>();
    const { updatedAt: _, ...then } = before;
    assert.deepEqual(now, { ...then, state: 'queued' });
    assert.deepEqual(await readImport(company, id), { ...now, updatedAt });
    assert.ok(await keepsFile(service, id));
    assert.equal(await countJobs(service, id), 1);
  });

  test('returns 409 for an import that has not failed or whose file was deleted', async () => {
    const company = await service.company();
    for (const state of ['queued', 'running', 'completed', 'cancelled'] as const) {
      const id = await plantImport(service, company, { state });
      const answer = await refused(company, () => sendRetry(company, id));
      assert.equal(outcome(answer), '409 conflict', state);
    }
    const id = await plantImport(service, company);
    await letFileGo(service, id);
    assert.equal(outcome(await refused(company, () => sendRetry(company, id))), '409 conflict');
  });

  test('twenty concurrent retries create one job', async () => {
    const company = await service.company();
    const id = await plantImport(service, company);
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendRetry(company, id)));
    assert.deepEqual(answers.map(outcomeOf).sort(), ['202', ...Array(19).fill('409 conflict')]);
    assert.equal(await countJobs(service, id), 1);
  });
});

describe('POST /v1/memory/imports/retry with ids', () => {
  test('queues all named imports and returns them in the order of the ids', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const [first = '', second = '', other = ''] = await plantImports(service, company, 3);
    const ofClient = await plantImport(service, company, { clientId });
    const named = [ofClient, second, first];
    const imports = await retried(company, { ids: named.map((id) => id.toUpperCase()) });
    assert.deepEqual(
      imports.map(({ id, state, error, attempts }) => ({ id, state, error, attempts })),
      named.map((id) => ({ id, state: 'queued', error: FAULT, attempts: 1 })),
    );
    for (const id of named) assert.equal(await countJobs(service, id), 1);
    assert.equal((await readImport(company, other)).state, 'failed');
    assert.equal(await countJobs(service, other), 0);
  });

  test('changes no import if one of the ids is refused', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const failed = await plantImports(service, company, 2);
    const [gone, running] = [
      await plantImport(service, company),
      await plantImport(service, company, { state: 'running' }),
    ];
    await letFileGo(service, gone);
    const wrong: [id: string, refusal: string][] = [
      [gone, '409 conflict'],
      [running, '409 conflict'],
      [newId(), '404 not_found'],
      ['nonsense', '404 not_found'],
      ['', '404 not_found'],
      [await plantImport(service, stranger), '404 not_found'],
    ];
    for (const [id, refusal] of wrong) {
      for (const ids of [
        [id, ...failed],
        [...failed, id],
      ]) {
        const answer = await refused(company, () => sendRetries(company, { ids }));
        assert.equal(outcome(answer), refusal, id);
      }
    }
  });

  test('returns 400 unless the body has exactly one of ids and all: true', async () => {
    const company = await service.company();
    const [id] = await plantImports(service, company, 1);
    for (const body of [{}, { ids: [id], all: true }]) {
      assertInvalid(await refused(company, () => sendRetries(company, body)), '/');
    }
  });
});
