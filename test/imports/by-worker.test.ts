import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../../shared/logger.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { SearchResponse } from '../../shared/schemas/search.ts';
import { type Chunk, NO_PLACE } from '../../shared/schemas/sources.ts';
import { type RunningWorker, startWorker } from '../../worker/worker.ts';
import type { SignedIn } from '../support/app.ts';
import type { Body } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { pdfText, writePdf } from '../support/pdf-writer.ts';
import { along, CLAIM, readStatus } from '../support/team.ts';

const service = await openOwnTestApp({}, {}, { supervise: true });
const { database } = service;

/** Imports files and waits until the worker has done with every one of them. */
async function importAll(company: SignedIn, items: Body<'importFiles'>['items']): Promise<Import[]> {
  const answer = await company.api.importFiles({ items });
  const done: Import[] = [];
  for (const { id } of answer.imports) {
    for (;;) {
      const now = await company.api.getImport(id);
      if (now.state !== 'queued' && now.state !== 'running') {
        done.push(now);
        break;
      }
      await pause(20);
    }
  }
  return done;
}

async function found(company: SignedIn, query: string) {
  const answer = await company.ask.searchMemory({
    query,
    scope: {},
    queryEmbedding: along(1000),
    ...CLAIM,
  });
  return answer.json<SearchResponse>().hits;
}

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString('base64');

describe('the import worker', () => {
  let worker: RunningWorker;
  before(async () => {
    worker = await startWorker({ ...service, logger: createLogger('silent', 'test') });
  });
  after(() => worker.stop());

  test('completes each import as a source of its own that searches find', async () => {
    const company = await service.company();
    const done = await importAll(company, [
      { filename: 'a.txt', text: 'the capybara swims' },
      {
        filename: 'b.md',
        title: 'Report',
        contentBase64: Buffer.from('# Über\n\nder Tapir').toString('base64'),
      },
      { filename: 'c.log', contentBase64: base64(0xef, 0xbb, 0xbf, 0x63, 0x6f, 0x61, 0x74, 0x69) },
    ]);
    for (const { state, attempts, error, sourceId } of done) {
      assert.deepEqual([state, attempts, error], ['completed', 1, null]);
      assert.ok(sourceId);
    }
    const [hit, ...more] = await found(company, 'tapir');
    assert.deepEqual(
      [hit?.kind, hit?.source_id, hit?.title, hit?.text, more.length],
      ['import', done[1]?.sourceId, 'Report', '# Über\n\nder Tapir', 0],
    );
    assert.equal((await found(company, 'coati'))[0]?.text, 'coati');
    const [payloads] = await database.query<{ n: number }>(
      'select count(*) as n from memory.import_payload where team_id = $1',
      [company.teamId],
    );
    assert.equal(payloads?.n, 0, 'the files themselves are not kept');
  });

  test('stores the place of each chunk in its document: searches and expand return it', async () => {
    const company = await service.company();
    const pdf = writePdf({
      pages: [[{ y: 700, bytes: 'The hall opens.' }], [], [{ y: 700, bytes: 'The lynx rests.' }]],
      info: `/Title ${pdfText('Handbook')}`,
    });
    const html = '<title>Rules</title><h1>Halls</h1><h2>North</h2><p>The ibex rests.</p>';
    const done = await importAll(company, [
      { filename: 'a.pdf', contentBase64: pdf.toString('base64') },
      { filename: 'b.html', text: html },
    ]);
    assert.deepEqual(column(done, 'state'), ['completed', 'completed']);
    const expected = {
      lynx: [
        { ...NO_PLACE, document_title: 'Handbook', page: 1 },
        { ...NO_PLACE, document_title: 'Handbook', page: 3 },
      ],
      ibex: [{ ...NO_PLACE, document_title: 'Rules', headings: ['Halls', 'North'] }],
    };
    for (const [word, locations] of Object.entries(expected)) {
      const [hit] = await found(company, word);
      assert.deepEqual(hit?.location, locations.at(-1));
      const expanded = await company.ask.expandChunk({ chunkId: hit?.chunk_id });
      assert.deepEqual(column(expanded.json<{ chunks: Chunk[] }>().chunks, 'location'), locations);
    }
  });

  test('stores what of a PDF was not read, with the import and with its source', async () => {
    const company = await service.company();
    const pdf = writePdf({
      pages: [[{ y: 700, bytes: 'The okapi rests.' }], [], [{ y: 700, bytes: 'It eats leaves.' }], []],
      files: ['plan.xlsx'],
    });
    const [done] = await importAll(company, [
      { filename: 'scan.pdf', contentBase64: pdf.toString('base64') },
    ]);
    const unread = [
      { kind: 'page', names: [2, 4], reason: 'no_text' },
      { kind: 'attachment', names: ['plan.xlsx'], reason: 'not_read' },
    ];
    assert.deepEqual([done?.state, done?.unread], ['completed', unread]);
    assert.deepEqual((await company.api.getSource(done?.sourceId ?? '')).unread, unread);
  });

  test('stores the sheet, the first row and the slide of each chunk, and finds rows by the name of their sheet', async () => {
    const company = await service.company();
    const office = (name: string) =>
      readFileSync(new URL(`../worker/extract/office/fixtures/${name}`, import.meta.url)).toString('base64');
    const done = await importAll(company, [
      { filename: 'parts.xlsx', contentBase64: office('libreoffice.xlsx') },
      { filename: 'training.pptx', contentBase64: office('libreoffice.pptx') },
      { filename: 'wrong.docx', contentBase64: office('libreoffice.xlsx') },
      { filename: 'locked.ods', contentBase64: office('encrypted.ods') },
    ]);
    assert.deepEqual(
      done.map(({ state, error }) => error?.code ?? state),
      ['completed', 'completed', 'corrupt', 'locked'],
    );
    const inSheet = { ...NO_PLACE, document_title: 'Spare parts' };
    const locations = {
      valve: { ...inSheet, sheet: 'Kept secret', row: 2, hidden: true, headings: ['Kept secret'] },
      prices: { ...inSheet, sheet: 'Prices', row: 1, headings: ['Prices'] },
      torque: { ...NO_PLACE, slide: 2, hidden: true, document_title: 'Pump training', headings: ['Torque'] },
    };
    for (const [word, location] of Object.entries(locations)) {
      const [hit] = await found(company, word);
      assert.deepEqual(hit?.location, location, word);
      const expanded = await company.ask.expandChunk({
        chunkId: hit?.chunk_id,
        before: 0,
        after: 0,
      });
      assert.deepEqual(column(expanded.json<{ chunks: Chunk[] }>().chunks, 'location'), [location]);
    }
  });

  test('stores the attachment of each chunk of a mail, and finds its text by its name', async () => {
    const company = await service.company();
    const part = (name: string, type: string, text: string) =>
      `--b\r\nContent-Type: ${type}; name=${name}\r\nContent-Disposition: attachment; filename=${name}\r\n\r\n${text}\r\n`;
    const mail =
      'From: ann@x.example\r\nSubject: Minutes\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n' +
      `--b\r\n\r\nSee the file.\r\n${part('quokkas.txt', 'text/plain', 'They eat leaves.')}${part('plan.zip', 'application/zip', 'x')}--b--\r\n`;
    const [done] = await importAll(company, [
      { filename: 'minutes.eml', contentBase64: Buffer.from(mail).toString('base64') },
    ]);
    assert.deepEqual(done?.unread, [{ kind: 'attachment', names: ['plan.zip'], reason: 'not_read' }]);
    const [hit] = await found(company, 'quokkas leaves');
    assert.equal(hit?.text, 'They eat leaves.');
    assert.deepEqual(hit.location, {
      ...NO_PLACE,
      document_title: 'Minutes',
      headings: ['quokkas.txt'],
      part: 'quokkas.txt',
    });
  });

  test('fails a faulty file on the first attempt, with an error code and message', async () => {
    const company = await service.company();
    const done = await importAll(company, [
      { filename: 'unknown.txt', contentBase64: base64(0x78, 0x81, 0x79) },
      { filename: 'empty.txt', text: '' },
      { filename: 'bytes.txt', contentBase64: '' },
      { filename: 'blank.md', text: ' \n\t ' },
      { filename: 'binary.txt', contentBase64: base64(0x50, 0x4b, 0x00, 0x01) },
      { filename: 'mark.txt', contentBase64: base64(0xef, 0xbb, 0xbf) },
      { filename: 'good.txt', text: 'good' },
    ]);
    assert.deepEqual(
      done.map(({ filename, state, attempts, error }) => [filename, state, attempts, error?.code ?? null]),
      [
        ['unknown.txt', 'failed', 1, 'invalid_encoding'],
        ['empty.txt', 'failed', 1, 'no_text'],
        ['bytes.txt', 'failed', 1, 'no_text'],
        ['blank.md', 'failed', 1, 'no_text'],
        ['binary.txt', 'failed', 1, 'not_text'],
        ['mark.txt', 'failed', 1, 'no_text'],
        ['good.txt', 'completed', 1, null],
      ],
    );
    for (const { error, sourceId } of done.slice(0, 6)) {
      assert.match(error?.message ?? '', /^[A-Z].*\.$/);
      assert.equal(sourceId, null);
    }
    const status = await readStatus(company);
    assert.deepEqual([status.imports.failed, status.imports.completed], [6, 1]);
    assert.deepEqual(status.imports.recentFailures, done.slice(0, 6).reverse());
  });
});
