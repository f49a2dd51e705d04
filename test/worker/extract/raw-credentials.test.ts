import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { IMPORT_FORMATS, type ImportMediaType } from '../../../shared/formats/media-types.ts';
import { hasRawCredentials } from '../../../worker/extract/redact-document.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';

type Formats = [ImportMediaType, { extensions: readonly string[] }][];

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PASSWORD = 'Password=hunter22';

/** Whether a workbook with this part besides its text has a credential. */
const inPart = (part: ZipMember) =>
  hasRawCredentials(XLSX, writeZip([{ name: 'a.xml', content: '<a/>' }, part]));

describe('a credential in a part of a file that is not read as text', () => {
  test('is found in links, properties and connections of packages', async () => {
    for (const name of [
      'xl/connections.xml',
      'word/_rels/document.xml.RELS',
      'OEBPS/book.opf',
      'OEBPS/run.js',
    ]) {
      assert.equal(await inPart({ name, content: `<a b="User ID=sa;${PASSWORD};"/>` }), true, name);
      assert.equal(await inPart({ name, content: '<a b="User ID=sa;"/>' }), false, name);
    }
    assert.equal(
      await inPart({ name: 'a.rels', content: Buffer.from(`\ufeff${PASSWORD}`, 'utf16le') }),
      true,
    );
  });

  test('is found in the headers of an e-mail and of a mailbox', async () => {
    const mail = (header: string) => Buffer.from(`From: a@b.example\r\n${header}\r\n\r\nHello`);
    for (const type of ['message/rfc822', 'application/mbox']) {
      assert.equal(await hasRawCredentials(type, mail('X-Key: AKIAIOSFODNN7EXAMPLB')), true, type);
      assert.equal(
        await hasRawCredentials(type, mail('DKIM-Signature: v=1; s=key1; b=Q4nJk8q0pW7v')),
        false,
        type,
      );
    }
  });

  test('is found in a link of a PDF that is not compressed', async () => {
    const pdf = (target: string) =>
      Buffer.from(`%PDF-1.4\n4 0 obj\n<< /S /URI /URI (${target}) >>\nendobj\n`);
    const type = 'application/pdf';
    assert.equal(await hasRawCredentials(type, pdf('https://me:hunter22secret@shop.example/a')), true);
    assert.equal(await hasRawCredentials(type, pdf('https://shop.example/a')), false);
  });

  test('is assumed in a package that is too large to be searched, or has a damaged part', async () => {
    assert.equal(await inPart({ name: 'b.xml', content: 'x', wrongChecksum: true }), true);
    const large = Buffer.alloc(17 * 1024 * 1024, '<a b="c"/>\n');
    assert.equal(await inPart({ name: 'b.xml', content: large }), false);
    const parts = ['b.xml', 'c.xml'].map((name) => ({ name, content: large }));
    assert.equal(await hasRawCredentials(XLSX, writeZip(parts)), true);
  });

  test('is not found in what the usual programs write', async () => {
    const folder = new URL('office/fixtures/', import.meta.url);
    const names = readdirSync(folder).filter((name) => !name.startsWith('encrypted'));
    let searched = 0;
    for (const [type, { extensions }] of Object.entries(IMPORT_FORMATS) as Formats) {
      for (const name of names.filter((each) => extensions.some((ending) => each.endsWith(`.${ending}`)))) {
        const content = readFileSync(new URL(name, folder));
        assert.equal(await hasRawCredentials(type, content), false, name);
        searched += 1;
      }
    }
    assert.ok(searched > 10);
  });
});
