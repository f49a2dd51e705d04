import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BlobStore } from '../../../db/queries/workspace/contents.ts';
import { createLogger } from '../../../shared/logger.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { doJob } from '../../support/do-job.ts';
import { readImport } from '../../support/import-records.ts';
import {
  download,
  imported,
  originalOf,
  originalUrl,
  pruneAfter,
  sha256Of,
  storedOriginals,
  textFile,
  uploaded,
} from '../../support/originals.ts';
import { buildTestedApp } from '../../support/schema-compilers.ts';
import { outcome } from '../../support/sign-in.ts';
import { archived } from '../../support/source-library.ts';
import { addTeam, archiveTeam, type Caller, inTeam } from '../../support/team.ts';
import { file as pushed, workspaceOf } from '../../support/workspace.ts';
import { archivedBefore } from '../restore/kept.ts';

const service = await openTestApp();
const { database } = service;
const newWord = () => `quokka${crypto.randomUUID().replaceAll('-', '')}`;

const purge = (caller: Caller, id: string) => caller.ask.purgeSource(id);
/** The same Owner, in another Team of the Company. */
const elsewhere = async (company: SignedIn) => inTeam(company, await addTeam(service, company));

describe('the original of a purged source', () => {
  test('ends a download that has begun, before the rest is read', async (t) => {
    const company = await service.company();
    const content = Buffer.from(`<p>${newWord()}</p><!-- ${'long '.repeat(500_000)} -->`);
    const sourceId = await imported(service, company, { filename: 'large.html', content });
    let reads = 0;
    const blobs: BlobStore = {
      ...service.blobs,
      readPart: async (...args) => {
        if (++reads === 2) assert.equal(outcome(await purge(company, sourceId)), '204');
        return service.blobs.readPart(...args);
      },
    };
    const app = await buildTestedApp({ ...service, blobs, logger: createLogger('silent', 'test') });
    t.after(() => app.close());
    const base = await app.listen({ host: '127.0.0.1', port: 0 });
    const answer = await fetch(base + originalUrl(sourceId), { headers: company.headers });
    assert.equal(answer.headers.get('content-length'), String(content.length));
    await assert.rejects(answer.arrayBuffer());
    assert.equal(reads, 2);
    assert.equal(outcome(await download(service, company, sourceId)), '404 not_found');
  });

  test('stays for another source, another Team and a workspace file, as long as each of them has it', async () => {
    const company = await service.company();
    const other = await elsewhere(company);
    const file = textFile('a.txt', newWord());
    const sha256 = sha256Of(file.content);
    const [first, second, third] = [
      await imported(service, company, file),
      await imported(service, company, { ...file, filename: 'b.txt' }),
      await imported(service, other, file),
    ];
    const workspace = workspaceOf(service.app, other.headers);
    await workspace.push([pushed('team/a.txt', file.content.toString())]);
    const counts = async () => {
      await pruneAfter(service, company, 61);
      const { originals, contents } = await storedOriginals(service, company);
      return [originals.length, (await storedOriginals(service, other)).originals.length, contents.length];
    };
    assert.deepEqual(await counts(), [1, 1, 1], 'once for each Team, and once for the Company');
    assert.equal(outcome(await purge(company, first)), '204');
    assert.deepEqual(await counts(), [1, 1, 1]);
    assert.equal((await originalOf(company, second))?.sha256, sha256);
    assert.equal(outcome(await purge(company, second)), '204');
    assert.deepEqual(await counts(), [0, 1, 1]);
    assert.deepEqual((await download(service, other, third)).rawPayload, file.content);
    await archiveTeam(service, other.teamId);
    await company.api.deleteTeam(other.teamId);
    await doJob(database, 'team.purge', { ...other, userId: other.ownerId });
    assert.deepEqual(await counts(), [0, 0, 0]);
  });
});

describe('the original of an archived source', () => {
  test('is kept until the source can no longer be restored or is purged', async () => {
    const company = await service.company();
    const files = [textFile('a.txt', newWord()), textFile('b.txt', newWord()), textFile('c.txt', newWord())];
    const ids: string[] = [];
    for (const file of files) ids.push(await imported(service, company, file));
    const [old = '', purged = '', alsoOld = ''] = ids;
    for (const id of ids) await archived(company, id);
    const left = async () => {
      await pruneAfter(service, company, 61);
      return storedOriginals(service, company);
    };
    assert.equal((await left()).contents.length, 3);
    for (const id of [old, alsoOld]) await archivedBefore(service, id, '31 days');
    await doJob(database, 'upkeep.prune', {});
    const one = [sha256Of(files[1]!.content)];
    assert.deepEqual(await left(), { originals: one, contents: one });
    await purge(company, purged);
    assert.deepEqual(await left(), { originals: [], contents: [] });
  });
});

describe('a content that an import has stored', () => {
  test('is not pruned before the import is completed, even if it has waited for days', async () => {
    const company = await service.company();
    const file = textFile('a.txt', newWord());
    const sha256 = sha256Of(file.content);
    const gone = await imported(service, company, file);
    await purge(company, gone);
    await database.query(
      `update memory.workspace_blob set waiting_since = now() - interval '2 days' where company_id = $1`,
      [company.companyId],
    );
    const { importId, run } = await uploaded(service, company, file);
    await run({
      ...service.blobs,
      store: async (...args) => {
        await service.blobs.store(...args);
        await pruneAfter(service, company, 30);
      },
    });
    const { sourceId } = await readImport(company, importId);
    assert.deepEqual((await download(service, company, sourceId ?? '')).rawPayload, file.content);
    assert.deepEqual((await storedOriginals(service, company)).contents, [sha256]);
  });

  test('is stored once for imports at the same time, also while one of its sources is purged', async () => {
    const company = await service.company();
    for (let round = 0; round < 4; round += 1) {
      const file = textFile('a.txt', newWord());
      const first = await imported(service, company, file);
      const runs = await Promise.all(
        ['a.txt', 'b.txt', 'c.txt'].map((filename) => uploaded(service, company, { ...file, filename })),
      );
      const [purged] = await Promise.all([purge(company, first), ...runs.map(({ run }) => run())]);
      assert.equal(outcome(purged), '204');
      for (const { importId } of runs.slice(1)) {
        const { sourceId, state } = await readImport(company, importId);
        assert.equal(state, 'completed');
        assert.deepEqual((await download(service, company, sourceId ?? '')).rawPayload, file.content);
      }
    }
    const { originals, contents } = await storedOriginals(service, company);
    assert.deepEqual([originals.length, contents.length], [4, 4]);
  });

  test('is pruned if the import fails after all', async () => {
    const company = await service.company();
    const { run } = await uploaded(service, company, textFile('a.txt', newWord()));
    const failing = run({ ...service.blobs, store: () => Promise.reject(new Error('the store is away')) });
    await assert.rejects(failing, /the store is away/);
    const { originals, contents } = await storedOriginals(service, company);
    assert.deepEqual([originals, contents], [[], []]);
    await run();
    assert.equal((await storedOriginals(service, company)).contents.length, 1);
  });
});
