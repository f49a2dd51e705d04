import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IngestResponse } from '../../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import { recordedBy } from '../../support/company.ts';
import { importNow } from '../../support/import-now.ts';
import { expireSources, storedStates } from './expire.ts';

const service = await openTestApp();

async function ingest(company: SignedIn, body: object = {}): Promise<IngestResponse & { status: number }> {
  const answer = await company.ask.ingestSource({ title: 'T', text: 'A heron.', ...body });
  return { ...answer.json<IngestResponse>(), status: answer.statusCode };
}

const importFile = async (company: SignedIn, filename: string) =>
  (await importNow(service, company, { filename, text: 'A heron of two files.' })).sourceId;

const sameAs = async (company: SignedIn, id: string) => (await company.api.getSource(id)).sameAs;

describe('the text of a source that has expired', () => {
  for (const [name, body] of [
    ['without an externalId', {}],
    ['with an externalId', { externalId: 'x' }],
  ] as const) {
    test(`makes a new source when it is stored again ${name}, and the old one is archived`, async () => {
      const company = await service.company();
      const first = await ingest(company, body);
      assert.equal(
        (await ingest(company, body)).source.id,
        first.source.id,
        'a duplicate as long as it lives',
      );
      await expireSources(service, first.source.id);
      let second: Awaited<ReturnType<typeof ingest>> | undefined;
      const { events } = await recordedBy(service, company, async () => {
        second = await ingest(company, body);
      });
      assert.ok(second);
      assert.deepEqual([second.status, second.duplicate, second.source.expiresAt], [201, false, null]);
      assert.notEqual(second.source.id, first.source.id);
      assert.deepEqual(await storedStates(service, first.source.id, second.source.id), [
        'archived',
        'active',
      ]);
      assert.deepEqual(columns(events, 'kind', 'subjectId'), [
        ['memory.expire', first.source.id],
        ['memory.ingest', second.source.id],
      ]);
      assert.equal((await ingest(company, body)).duplicate, true);
    });
  }

  test('does not end a source of another text with the same externalId that lives', async () => {
    const company = await service.company();
    const named = await ingest(company, { externalId: 'x', text: 'A gull.' });
    const old = await ingest(company);
    await expireSources(service, old.source.id);
    const replaced = await ingest(company, { externalId: 'x' });
    assert.deepEqual([replaced.status, replaced.source.id], [200, named.source.id]);
    assert.deepEqual(await storedStates(service, old.source.id, named.source.id), ['archived', 'active']);
  });

  test('is stored once if requests race', async () => {
    const company = await service.company();
    const first = await ingest(company);
    await expireSources(service, first.source.id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => ingest(company)));
    const ids = new Set(answers.map(({ source }) => source.id));
    assert.equal(ids.size, 1);
    assert.equal(ids.has(first.source.id), false);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201]);
  });
});

describe('imported files with equal content', () => {
  test('the next file is the first when the first has expired, before and after it is archived', async () => {
    const company = await service.company();
    const [first, second, third] = [
      await importFile(company, 'a.txt'),
      await importFile(company, 'b.txt'),
      await importFile(company, 'c.txt'),
    ] as const;
    assert.deepEqual([await sameAs(company, second), await sameAs(company, third)], [first, first]);
    await expireSources(service, first);
    assert.deepEqual([await sameAs(company, second), await sameAs(company, third)], [null, second]);
    const fourth = await importFile(company, 'd.txt');
    assert.deepEqual(await storedStates(service, first), ['archived']);
    assert.deepEqual(
      [await sameAs(company, second), await sameAs(company, third), await sameAs(company, fourth)],
      [null, second, second],
    );
  });

  test('a file that has expired is imported again', async () => {
    const company = await service.company();
    const first = await importFile(company, 'a.txt');
    assert.equal(await importFile(company, 'a.txt'), first);
    await expireSources(service, first);
    const again = await importFile(company, 'a.txt');
    assert.notEqual(again, first);
    assert.equal(await sameAs(company, again), null);
  });
});
