import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Import } from '../../shared/schemas/imports.ts';
import type { SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import {
  changesNothing,
  eventKinds,
  IMPORTS,
  keepsFile,
  plantImport,
  readImport,
  sendRemoval,
  sendRetry,
  upload,
} from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { outcome } from '../support/sign-in.ts';
import { readStatus } from '../support/team.ts';

/** No worker is at work here: what is queued stays so. */
const service = await openOwnTestApp();
const refused = <T>(company: SignedIn, send: () => PromiseLike<T>) => changesNothing(service, company, send);

describe('DELETE of a queued import', () => {
  test('returns 204, cancels the import and deletes its file', async () => {
    const company = await service.company();
    const [before] = await upload(company, [{ filename: 'a.txt', text: 'A text.' }]);
    assert.ok(before && (await keepsFile(service, before.id)));
    const answer = await sendRemoval(company, before.id);
    assert.deepEqual([answer.statusCode, answer.body], [204, '']);
    const { payloadPrunedAt, updatedAt, ...now } = await readImport(company, before.id);
    const { payloadPrunedAt: _, updatedAt: __, ...rest } = before;
    assert.deepEqual(now, { ...rest, state: 'cancelled' });
    assert.match(payloadPrunedAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updatedAt, payloadPrunedAt);
    assert.equal(await keepsFile(service, before.id), false);
    assert.deepEqual(await eventKinds(service, before.id), ['memory.import', 'memory.import_cancel']);
  });

  test('cancels an import that was queued again by a retry', async () => {
    const company = await service.company();
    const id = await plantImport(service, company);
    assert.equal((await sendRetry(company, id)).statusCode, 202);
    assert.equal((await sendRemoval(company, id)).statusCode, 204);
    const { state, attempts, error } = await readImport(company, id);
    assert.deepEqual([state, attempts, error?.code], ['cancelled', 1, 'no_text']);
    assert.equal(outcome(await sendRetry(company, id)), '409 conflict');
  });

  test('twenty concurrent requests cancel the import once and delete it once', async () => {
    const company = await service.company();
    const [queued] = await upload(company, [{ filename: 'a.txt', text: 'A text.' }]);
    const id = queued?.id ?? '';
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendRemoval(company, id)));
    assert.deepEqual(answers.map(outcome).sort(), ['204', '204', ...Array(18).fill('404 not_found')]);
    assert.deepEqual(await eventKinds(service, id), [
      'memory.import',
      'memory.import_cancel',
      'memory.import_forget',
    ]);
  });
});

describe('DELETE of a finished import', () => {
  for (const state of ['failed', 'cancelled'] as const) {
    test(`deletes a ${state} import; only its audit events remain`, async () => {
      const company = await service.company();
      const id = await plantImport(service, company, { state });
      const kept = await plantImport(service, company, { state });
      assert.equal((await sendRemoval(company, id)).statusCode, 204);
      assert.equal(outcome(await company.send('GET', `${IMPORTS}/${id}`)), '404 not_found');
      assert.equal(outcome(await sendRetry(company, id)), '404 not_found');
      assert.equal(outcome(await sendRemoval(company, id)), '404 not_found');
      const listed = await company.readAll<Import>(IMPORTS);
      assert.deepEqual(column(listed, 'id'), [kept]);
      assert.equal(await keepsFile(service, id), false);
      assert.deepEqual(await eventKinds(service, id), ['memory.import_forget']);
      const { imports } = await readStatus(company);
      const left = state === 'failed' ? [kept] : [];
      assert.equal(imports.failed, left.length);
      assert.deepEqual(column(imports.recentFailures, 'id'), left);
    });
  }

  test('returns 409 for a running or completed import', async () => {
    const company = await service.company();
    for (const state of ['running', 'completed'] as const) {
      const id = await plantImport(service, company, { state });
      const answer = await refused(company, () => sendRemoval(company, id));
      assert.equal(outcome(answer), '409 conflict', state);
    }
  });
});
