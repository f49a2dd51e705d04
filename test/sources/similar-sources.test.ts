import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IngestResponse, SimilarSource } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { doJob } from '../support/do-job.ts';
import { importNow } from '../support/import-now.ts';
import { readImport } from '../support/import-records.ts';
import { addMemory, decided } from '../support/memories.ts';
import { archived } from '../support/source-library.ts';
import { addClient, type Caller } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();

const WORDS =
  'the pump in hall four lost pressure again on monday so the night crew closed valve nine and called the plant manager '.split(
    ' ',
  );
/** A text of so many words, which no other number shares. */
const letter = (number: number, words = 120) =>
  Array.from({ length: words }, (_, n) => `${WORDS[n % WORDS.length]}${(n * 7 + number * 13) % 101}`).join(
    ' ',
  );
/** The same text with a few other words at the end. */
const edited = (text: string, words: number) =>
  [...text.split(' ').slice(0, -words), ...Array.from({ length: words }, (_, n) => `edited${n}`)].join(' ');

const ingest = (caller: Caller, text: string, body: object = {}) =>
  caller.api.ingestSource({ title: 'A letter', text, ...body });

const ids = (similar: readonly SimilarSource[]) => similar.map(({ sourceId }) => sourceId);

describe('the near duplicates of an ingest', () => {
  test('an edited text is stored, and its near duplicates are named, the most similar first', async () => {
    const company = await service.company();
    const text = letter(1, 400);
    const first = await ingest(company, text, { title: 'The first' });
    assert.deepEqual(first.similarSources, []);
    const far = await ingest(company, edited(text, 18), { title: 'Some words' });
    assert.deepEqual(ids(far.similarSources), [first.source.id]);
    // A similarity is an estimate, except that of the same words.
    const near = await ingest(company, text.toUpperCase(), { title: 'The same words' });
    assert.equal(near.duplicate, false);
    const [best, next, ...others] = near.similarSources;
    assert.deepEqual(best, { sourceId: first.source.id, title: 'The first', similarity: 1 });
    assert.deepEqual([next?.sourceId, next?.title], [far.source.id, 'Some words']);
    assert.deepEqual(others, []);
    assert.ok(next && next.similarity >= 0.75 && next.similarity < 1);
    assert.deepEqual((await ingest(company, letter(2))).similarSources, []);
  });

  test('at most five near duplicates are named', async () => {
    const company = await service.company();
    const texts = Array.from({ length: 7 }, (_, n) => `${letter(3)} number${n}`);
    const answers: IngestResponse[] = [];
    for (const text of texts) answers.push(await ingest(company, text));
    assert.deepEqual(
      answers.map(({ similarSources }) => similarSources.length),
      [0, 1, 2, 3, 4, 5, 5],
    );
  });

  test('sources of another scope, of another Team, archived and expired ones are not named', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const text = letter(4);
    await ingest(await service.company(), text);
    const inClient = await ingest(company, text, { scope: { clientId } });
    const gone = await ingest(company, edited(text, 1));
    await archived(company, gone.source.id);
    const old = await ingest(company, edited(text, 3));
    await service.database.query(`update memory.source set expires_at = now() where id = $1`, [
      old.source.id,
    ]);
    assert.deepEqual((await ingest(company, edited(text, 2))).similarSources, []);
    const again = await ingest(company, edited(text, 2), { scope: { clientId } });
    assert.deepEqual(ids(again.similarSources), [inClient.source.id]);
  });

  test('a text that is replaced is compared by its new text only', async () => {
    const company = await service.company();
    const [old, next] = [letter(5), letter(6)];
    const other = await ingest(company, edited(next, 1));
    const own = await ingest(company, old, { externalId: 'doc' });
    const replaced = await ingest(company, next, { externalId: 'doc' });
    assert.equal(replaced.source.id, own.source.id);
    assert.deepEqual(ids(replaced.similarSources), [other.source.id]);
    assert.deepEqual((await ingest(company, edited(old, 1))).similarSources, []);
    const repeated = await ingest(company, next, { externalId: 'doc' });
    assert.equal(repeated.duplicate, true);
    assert.deepEqual(ids(repeated.similarSources), [other.source.id]);
  });

  test('memories and workspace files are named as well', async () => {
    const company = await service.company();
    const text = letter(8);
    const memory = await addMemory(company, 'published', { title: 'A memory', content: text });
    const near = await ingest(company, edited(text, 1));
    assert.deepEqual(ids(near.similarSources), [memory.sourceId]);
    const changed = letter(9);
    await decided(company, { action: 'update', memoryId: memory.id, content: changed });
    assert.deepEqual(ids((await ingest(company, edited(changed, 1))).similarSources), [memory.sourceId]);
    assert.deepEqual(ids((await ingest(company, edited(text, 2))).similarSources), [near.source.id]);

    const pushed = letter(12);
    const path = 'team/letter.txt';
    assert.equal((await workspaceOf(service.app, company.headers).push([file(path, pushed)])).status, 200);
    const [version] = await service.database.query<{ id: string }>(
      'select id from memory.workspace_version where team_id = $1',
      [company.teamId],
    );
    const { companyId, teamId, ownerId: userId } = company;
    const job = { companyId, teamId, userId, layerId: teamId, versionId: version?.id };
    await doJob(service.database, 'file.index', job);
    const [found] = (await ingest(company, edited(pushed, 1))).similarSources;
    assert.equal(found?.title, 'letter.txt');
  });
});

describe('the near duplicates of an import', () => {
  const imported = (company: SignedIn, filename: string, text: string) =>
    importNow(service, company, { filename, text });

  test('a completed import names its near duplicates as they are now, and no archived one', async () => {
    const company = await service.company();
    const text = letter(10);
    const first = await imported(company, 'a.txt', text);
    assert.deepEqual(first.similarSources, []);
    const second = await imported(company, 'b.txt', edited(text, 1));
    const [named] = second.similarSources;
    assert.deepEqual([named?.sourceId, named?.title], [first.sourceId, 'a.txt']);
    assert.ok(named && named.similarity > 0.9);
    const renamed = { title: 'Renamed' };
    await company.ask.changeSource(first.sourceId, renamed);
    assert.deepEqual((await readImport(company, second.id)).similarSources, [{ ...named, ...renamed }]);
    await archived(company, first.sourceId);
    assert.deepEqual((await readImport(company, second.id)).similarSources, []);
  });

  test('a copy of a file with another name names the first one', async () => {
    const company = await service.company();
    const first = await imported(company, 'a.txt', letter(11));
    const copy = await imported(company, 'b.txt', letter(11));
    assert.deepEqual(copy.similarSources, [{ sourceId: first.sourceId, title: 'a.txt', similarity: 1 }]);
  });
});
