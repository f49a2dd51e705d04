import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import { recordsNothing } from '../../support/company.ts';
import { complete, completed, lend } from '../../support/consolidation.ts';
import { importNow } from '../../support/import-now.ts';
import { callTool } from '../../support/mcp.ts';
import { addMemories, decide } from '../../support/memories.ts';
import { assertInvalid } from '../../support/refusals.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, readSource } from '../../support/source-library.ts';
import { inDays } from './expire.ts';

const service = await openTestApp();
const PAST = '2001-02-03T04:05:06.000Z';
const SOON = inDays(1);
const LATER = inDays(30);

const ingest = (company: SignedIn, body: object, headers = {}) =>
  company.ask.ingestSource({ title: 'A title', text: 'A heron.', ...body }, headers);

test('expiresAt is shown by sources, imports and memories, and is null if none was given', async () => {
  const company = await service.company();
  const stored = await addSource(company, { expiresAt: SOON });
  assert.equal(stored.expiresAt, SOON);
  assert.equal((await readSource(company, stored.id)).expiresAt, SOON);
  assert.equal((await addSource(company, {})).expiresAt, null);
  assert.equal((await addSource(company, { expiresAt: null })).expiresAt, null);

  const file = { filename: 'heron.txt', text: 'A heron.', expiresAt: SOON };
  const imported = await importNow(service, company, file);
  assert.equal(imported.expiresAt, SOON);
  assert.equal((await readSource(company, imported.sourceId)).expiresAt, SOON);

  const given = [{ expiresAt: SOON }, {}];
  for (const state of ['review', 'published'] as const) {
    const memories = await addMemories(company, state, given);
    assert.deepEqual(column(memories, 'expiresAt'), [SOON, null]);
    if (state === 'published') {
      assert.equal((await readSource(company, memories[0]!.sourceId!)).expiresAt, SOON);
    }
  }
});

test('expiresAt is 400 in the past, on every route, and nothing is stored', async () => {
  const company = await service.company();
  const { id } = await addSource(company);
  const [memory] = await addMemories(company, 'published', [{}]);
  const { batchId, captureIds } = await lend(company);
  const item = { captureIds, action: 'publish', title: 'T', content: 'C' } as const;
  await recordsNothing(service, company, async () => {
    assertInvalid(await ingest(company, { expiresAt: PAST }), '/expiresAt');
    assertInvalid(await ingest(company, { expiresAt: PAST }, { 'idempotency-key': 'past' }), '/expiresAt');
    assertInvalid(await company.ask.changeSource(id, { expiresAt: PAST }), '/expiresAt');
    const items = [
      { filename: 'a.txt', text: 'A' },
      { filename: 'b.txt', text: 'B', expiresAt: PAST },
    ];
    assertInvalid(await company.ask.importFiles({ items }), '/items/1/expiresAt');
    const keyed = await company.ask.importFiles({ items }, { 'idempotency-key': 'past' });
    assertInvalid(keyed, '/items/1/expiresAt');
    assertInvalid(
      await complete(company, batchId, [item, { ...item, expiresAt: PAST }]),
      '/items/1/expiresAt',
    );
    const discarded = { captureIds: item.captureIds, action: 'discard', expiresAt: PAST } as const;
    assertInvalid(await complete(company, batchId, [discarded]), '/items/0/expiresAt');
    assert.equal(outcome(await complete(company, newId(), [discarded])), '404 not_found');
    for (const action of ['update', 'renew']) {
      assertInvalid(await decide(company, { action, memoryId: memory!.id, expiresAt: PAST }), '/expiresAt');
    }
    const remembered = await callTool(company, 'remember', { text: 'A', expires: PAST });
    assert.match(remembered.text, /invalid_request.*expires/s);
  });
});

test('an expiry does not refuse a request that is sent again after the expiry', async (t) => {
  const company = await service.company();
  const send = () => ingest(company, { expiresAt: SOON }, { 'idempotency-key': 'again' });
  const { batchId, captureIds } = await lend(company);
  const item = { captureIds, action: 'publish', title: 'T', content: 'C', expiresAt: SOON } as const;
  const stored = await send();
  const results = await completed(company, batchId, [item]);
  assert.equal(stored.statusCode, 201, stored.body);
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse(LATER) });
  assertInvalid(await ingest(company, { expiresAt: SOON }), '/expiresAt');
  assert.deepEqual((await send()).json(), stored.json());
  assert.deepEqual(await completed(company, batchId, [item]), results);
});

test('a change gives a source another expiry, and null removes it', async () => {
  const company = await service.company();
  const { id } = await addSource(company, { title: 'Birds', tags: ['bird'] });
  const changed = await company.api.changeSource(id, { expiresAt: SOON });
  assert.deepEqual([changed.expiresAt, changed.title, changed.tags], [SOON, 'Birds', ['bird']]);
  await recordsNothing(service, company, () => company.api.changeSource(id, { expiresAt: SOON }));
  assert.equal((await company.api.changeSource(id, { expiresAt: null })).expiresAt, null);
});
