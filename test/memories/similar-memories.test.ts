import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import type { SimilarMemory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { completed, foundByWords, type GivenItem, keep, lend } from '../support/consolidation.ts';
import { decided } from '../support/memories.ts';
import { addClient, addPerson, along, CLAIM } from '../support/team.ts';
import { countTermsNow } from '../support/term-counts.ts';

const service = await openTestApp();
const { database } = service;

const RELEASES =
  'The team releases on Tuesdays. Every release is built from the main branch, tagged, and deployed to the ' +
  'staging cluster first; after an hour without alerts the same image goes to production.';
/** The same text with one word changed and one more sentence. */
const RELEASES_AGAIN =
  'The team releases on Wednesdays. Every release is built from the main branch, tagged, and deployed to the ' +
  'staging cluster first; after an hour without alerts the same image goes to production. Nobody deploys alone.';
const INVOICES =
  'Invoices are sent on the last working day of a month, in euros, with the purchase order number that the ' +
  'customer gave; reminders follow after two weeks, and a call by the account manager after four.';

/** A unit vector with this cosine to the one along an axis; the rest is along another axis. */
function leaning(axis: number, cosine: number, rest: number): number[] {
  return Array.from({ length: EMBEDDING_DIM }, (_, index) => {
    if (index === axis) return cosine;
    return index === rest ? Math.sqrt(1 - cosine ** 2) : 0;
  });
}

const vector = (embedding: number[]) => ({ embedding, ...CLAIM });

/** The memories similar to a text. It is sent for review, so that it cannot be found itself. */
const similarTo = async (company: SignedIn, item: GivenItem) =>
  (await keep(company, { action: 'review', ...item })).similar;

const ids = (similar: readonly SimilarMemory[]) => similar.map(({ memoryId }) => memoryId);

const publish = async (company: SignedIn, item: GivenItem, clientId: string | null = null) =>
  (await keep(company, item, clientId)).memoryId;

const found = (similar: readonly SimilarMemory[]) => similar.map(({ memoryId, basis }) => [memoryId, basis]);

describe('a text that is similar to a published memory', () => {
  test('a text like a published memory is saved, and the result lists that memory', async () => {
    const company = await service.company();
    const memoryId = await publish(company, { title: 'Releases', content: RELEASES });
    for (const action of ['publish', 'review'] as const) {
      const { similar, state } = await keep(company, { action, content: RELEASES });
      assert.equal(state, action === 'publish' ? 'published' : 'review');
      const of = similar.find((one) => one.memoryId === memoryId);
      assert.deepEqual(of, {
        memoryId,
        title: 'Releases',
        excerpt: RELEASES,
        similarity: of?.similarity,
        basis: 'words',
      });
      assert.ok(Math.abs((of?.similarity ?? 0) - 1) < 0.01, String(of?.similarity));
    }
    assert.deepEqual(await foundByWords(company, 'staging cluster'), [RELEASES], 'both as one hit');
  });

  test('similar is an empty list when the memories are about something else', async () => {
    const company = await service.company();
    await publish(company, { content: INVOICES });
    assert.deepEqual(await similarTo(company, { content: RELEASES }), []);
    assert.deepEqual(await similarTo(company, { content: '?!' }), []);
  });

  const paragraphs: [language: string, one: string, again: string, unrelated: string][] = [
    ['English', RELEASES, RELEASES_AGAIN, INVOICES],
    [
      'German',
      'Die Datenbank wird jede Nacht gesichert. Die Sicherungen liegen dreißig Tage verschlüsselt in einem zweiten Rechenzentrum.',
      'Die Datenbank wird stündlich gesichert. Die Sicherungen liegen dreißig Tage verschlüsselt in einem anderen Rechenzentrum.',
      'Der Kunde wünscht Angebote nur per Brief, und zwar an seine Niederlassung in Hamburg, nicht an die Zentrale.',
    ],
    [
      'Chinese',
      '数据库每天凌晨两点备份。备份文件加密后保存三十天，并复制到第二个数据中心。',
      '数据库每天凌晨三点备份。备份文件加密后保存六十天，并复制到第二个数据中心。',
      '客户希望报价单只用信件寄到上海分公司，不要寄给总部的采购部门。',
    ],
    [
      'Thai',
      'ฐานข้อมูลถูกสำรองทุกคืนเวลาตีสอง ไฟล์สำรองถูกเข้ารหัสและเก็บไว้สามสิบวันในศูนย์ข้อมูลแห่งที่สอง',
      'ฐานข้อมูลถูกสำรองทุกคืนเวลาตีสาม ไฟล์สำรองถูกเข้ารหัสและเก็บไว้หกสิบวันในศูนย์ข้อมูลแห่งที่สอง',
      'ลูกค้าต้องการใบเสนอราคาทางจดหมายเท่านั้น โดยส่งไปที่สาขาเชียงใหม่ ไม่ใช่สำนักงานใหญ่',
    ],
  ];
  for (const [language, one, again, unrelated] of paragraphs) {
    test(`a similar memory is found by its words in ${language}, before and after terms are counted`, async () => {
      const company = await service.company();
      await publish(company, { content: unrelated });
      const memoryId = await publish(company, { content: one });
      assert.deepEqual(ids(await similarTo(company, { content: again })), [memoryId]);
      await countTermsNow(database, company);
      assert.deepEqual(ids(await similarTo(company, { content: again })), [memoryId]);
    });
  }
});

describe('memories that are never listed as similar', () => {
  test('similar compares with the current text of an updated memory, not with the earlier one', async () => {
    const company = await service.company();
    const memoryId = await publish(company, { content: RELEASES, ...vector(along(1)) });
    await decided(company, { action: 'update', memoryId, content: INVOICES });
    assert.deepEqual(await similarTo(company, { content: RELEASES, ...vector(along(1)) }), []);
    assert.deepEqual(ids(await similarTo(company, { content: INVOICES })), [memoryId]);
  });
});

describe('similar memories of the items of a batch', () => {
  test('similar contains an earlier published item of the same request, but no other item', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const item = (action: 'publish' | 'review'): GivenItem => ({
      captureIds,
      action,
      title: 'Releases',
      content: RELEASES,
    });
    const results = await completed(company, batchId, [
      item('review'),
      item('publish'),
      { captureIds, action: 'discard' },
      { ...item('publish'), content: RELEASES_AGAIN },
    ]);
    const [review, first, discarded, last] = results;
    for (const result of [review, first, discarded]) assert.deepEqual(result?.similar, []);
    assert.deepEqual(ids(last?.similar ?? []), [first?.memoryId]);
  });

  test('a member gets the same similarity whatever an inaccessible client contains', async () => {
    const company = await service.company();
    const client = await addClient(service, company);
    await publish(company, { content: RELEASES });
    await publish(company, { content: INVOICES });
    const member = await addPerson(service, company, { teamRole: 'member' });
    const asked = async () => {
      const { batchId, captureIds } = await lend(member);
      const item = { captureIds, action: 'review', title: 'x', content: RELEASES_AGAIN } as const;
      return (await completed(member, batchId, [item]))[0]?.similar;
    };
    await countTermsNow(database, company);
    const alone = await asked();
    assert.equal(alone?.length, 1);
    for (const n of [1, 2, 3]) await publish(company, { content: `staging cluster ${n}` }, client);
    await countTermsNow(database, company);
    assert.deepEqual(await asked(), alone);
  });
});

describe('the comparison of memories', () => {
  test('memories are compared by meaning when both texts have a vector, whatever their words', async () => {
    const company = await service.company();
    const alike = await publish(company, { content: INVOICES, ...vector(along(1)) });
    await publish(company, { content: RELEASES, ...vector(along(2)) });
    const similar = await similarTo(company, { content: RELEASES, ...vector(leaning(1, 0.9, 3)) });
    assert.deepEqual(found(similar), [[alike, 'meaning']]);
  });

  test('memories are compared by words when one of the texts has no vector', async () => {
    const company = await service.company();
    const wordy = await publish(company, { content: RELEASES });
    const near = await publish(company, { content: INVOICES, ...vector(along(1)) });
    const similar = await similarTo(company, { content: RELEASES, ...vector(leaning(1, 0.7, 3)) });
    assert.deepEqual(found(similar), [
      [wordy, 'words'],
      [near, 'meaning'],
    ]);
    // Without a vector of its own it is compared by words.
    const byWords = await similarTo(company, { content: INVOICES });
    assert.deepEqual(found(byWords), [[near, 'words']]);
  });

  test('memories are compared by words when the vector comes from another model', async () => {
    const company = await service.company();
    const memoryId = await publish(company, { content: RELEASES, ...vector(along(2)) });
    await database.query(`update memory.chunk_embedding set model = 'the one before' where team_id = $1`, [
      company.teamId,
    ]);
    const similar = await similarTo(company, { content: RELEASES, ...vector(along(1)) });
    assert.deepEqual(found(similar), [[memoryId, 'words']]);
  });

  test('a memory in review is compared by words when its vector comes from another model', async () => {
    const company = await service.company();
    const wordy = await publish(company, { content: RELEASES, ...vector(along(2)) });
    const near = await publish(company, { content: INVOICES, ...vector(along(1)) });
    const sent = await keep(company, { action: 'review', content: RELEASES, ...vector(along(1)) });
    assert.deepEqual(found(sent.similar), [[near, 'meaning']]);
    await database.query(
      `update memory.memory_item set embedding_model = 'the one before' where id = $1 and embedding is not null`,
      [sent.memoryId],
    );
    const [review] = await company.all.listMemories({ state: 'review' });
    assert.equal(review?.id, sent.memoryId);
    assert.deepEqual(found(review?.similar ?? []), [[wordy, 'words']]);
  });

  test('the three nearest memories by meaning are listed, nearest first', async () => {
    const company = await service.company();
    const cosines = [0.6, 0.95, 0.51, 0.8, 0.7];
    const made: [cosine: number, id: string][] = [];
    for (const [n, cosine] of cosines.entries()) {
      const embedding = leaning(1, cosine, 10 + n);
      made.push([cosine, await publish(company, { content: `Number ${n}`, ...vector(embedding) })]);
    }
    const similar = await similarTo(company, { content: 'zzyzx', ...vector(along(1)) });
    const nearest = made.sort(([a], [b]) => b - a).slice(0, 3);
    assert.deepEqual(
      found(similar),
      nearest.map(([, id]) => [id, 'meaning']),
    );
    for (const [n, { similarity }] of similar.entries()) {
      assert.ok(Math.abs(similarity - nearest[n]![0]) < 0.01, String(similarity));
    }
  });
});
