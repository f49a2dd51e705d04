import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import {
  changesNothing,
  countJobs,
  eventKinds,
  FAULT,
  IMPORTS,
  keepsFile,
  letFileGo,
  plantImport,
  plantImports,
  readImport,
  retried,
  sendRemoval,
  sendRetries,
  sendRetry,
  upload,
} from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, readStatus } from '../support/team.ts';

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
    for (const id of named) {
      assert.equal(await countJobs(service, id), 1);
      assert.deepEqual(await eventKinds(service, id), ['memory.import_retry']);
    }
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

describe('POST /v1/memory/imports/retry with all: true', () => {
  const idsOf = (imports: readonly { id: string }[]) => imports.map(({ id }) => id);

  test('queues every failed import whose file is stored, oldest first, and no other import', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const failed = [
      await plantImport(service, company),
      await plantImport(service, company, { clientId }),
      await plantImport(service, company),
    ];
    const gone = await plantImport(service, company);
    await letFileGo(service, gone);
    const others: string[] = [];
    for (const state of ['queued', 'running', 'completed', 'cancelled'] as const) {
      others.push(await plantImport(service, company, { state }));
    }
    assert.deepEqual(idsOf(await retried(company, { all: true })), failed);
    for (const id of failed) assert.equal(await countJobs(service, id), 1);
    for (const id of [gone, ...others]) assert.equal(await countJobs(service, id), 0);
    assert.equal((await readImport(company, gone)).state, 'failed');
  });

  test('with Full access retries imports of every author, except in archived clients and other Teams', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const [clientId, shelf] = [await addClient(service, company), await addClient(service, company)];
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'write', [shelf]: 'write' },
    });
    const author = member.userId;
    const expected = [
      await plantImport(service, company, { author }),
      await plantImport(service, company, { author, clientId }),
      await plantImport(service, company, { clientId }),
    ];
    await plantImport(service, company, { author, clientId: shelf });
    await plantImport(service, stranger);
    assert.equal((await company.ask.archiveClient(shelf)).statusCode, 204);
    const admin = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    assert.deepEqual(idsOf(await retried(admin, { all: true })), expected);
    assert.deepEqual(idsOf(await retried(admin, { all: true })), []);
    assert.deepEqual(idsOf(await retried(stranger, { all: true })).length, 1);
  });

  test('without Full access retries only own imports, where the caller can still write', async () => {
    const company = await service.company();
    const [writes, reads, none] = [
      await addClient(service, company),
      await addClient(service, company),
      await addClient(service, company),
    ];
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [writes]: 'write', [reads]: 'read' },
    });
    const author = member.userId;
    const expected = [
      await plantImport(service, company, { author }),
      await plantImport(service, company, { author, clientId: writes }),
    ];
    for (const clientId of [reads, none]) await plantImport(service, company, { author, clientId });
    for (const clientId of [null, writes, reads]) await plantImport(service, company, { clientId });
    assert.deepEqual(idsOf(await retried(member, { all: true })), expected);
  });

  test('queues more failed imports than one transaction retries', async () => {
    const company = await service.company();
    const ids = await plantImports(service, company, 501);
    assert.deepEqual(idsOf(await retried(company, { all: true })), ids);
  });
});

describe('concurrent retries and removals of imports', () => {
  test('concurrent retries and removals finish without a deadlock and queue each import at most once', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const ids = [
      ...(await plantImports(service, company, 15)),
      ...(await plantImports(service, company, 15, { clientId })),
    ];
    const removed = ids.filter((_, n) => n % 10 === 0);
    const shuffled = ids.filter((id) => !removed.includes(id)).toReversed();
    const sent = [
      ...ids.map((id) => sendRetry(company, id)),
      ...Array.from({ length: 5 }, () => sendRetries(company, { ids: shuffled })),
      ...Array.from({ length: 5 }, () => sendRetries(company, { all: true })),
      ...removed.map((id) => company.send('DELETE', `${IMPORTS}/${id}`)),
    ];
    for (const answer of await Promise.all(sent)) {
      assert.ok([202, 204, 404, 409].includes(answer.statusCode), answer.body);
    }
    for (const id of ids) {
      const jobs = await countJobs(service, id);
      assert.ok(removed.includes(id) ? jobs <= 1 : jobs === 1, `${jobs} jobs`);
    }
  });
});

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
