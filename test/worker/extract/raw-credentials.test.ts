import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { IMPORT_FORMATS, type ImportMediaType } from '../../../shared/formats/media-types.ts';
import { hasRawCredentials } from '../../../worker/extract/redact-document.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';
import { writeMessage } from './mail/outlook-writer.ts';

type Formats = [ImportMediaType, { extensions: readonly string[] }][];

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PASSWORD = 'Password=hunter22';

/** A workbook with these parts besides its text. */
const withParts = (...parts: ZipMember[]) => writeZip([{ name: 'a.xml', content: '<a/>' }, ...parts]);
const inPart = (name: string, setting: string) =>
  withParts({ name, content: `<a b="User ID=sa;${setting}"/>` });
const mail = (header: string) => Buffer.from(`From: a@b.example\r\n${header}\r\n\r\nHello`);
const pdf = (target: string) => Buffer.from(`%PDF-1.4\n4 0 obj\n<< /S /URI /URI (${target}) >>\nendobj\n`);
const large = (name: string) => ({ name, content: Buffer.alloc(17 * 1024 * 1024, '<a b="c"/>\n') });

/** Files with a credential, or of which it is assumed, and their like without one. */
const CASES: Readonly<Record<string, [type: ImportMediaType, found: Uint8Array, none?: Uint8Array]>> = {
  ...Object.fromEntries(
    ['xl/connections.xml', 'word/_rels/document.xml.RELS', 'OEBPS/book.opf', 'OEBPS/run.js'].map((name) => [
      `is found in ${name} of a package`,
      [XLSX, inPart(name, PASSWORD), inPart(name, '')],
    ]),
  ),
  'is found in a part in UTF-16': [
    XLSX,
    withParts({ name: 'a.rels', content: Buffer.from(`\ufeff${PASSWORD}`, 'utf16le') }),
  ],
  'is found in a comment of a page in UTF-16 without a mark': [
    'text/html',
    Buffer.from(`<!-- ${PASSWORD} -->`, 'utf16le'),
    Buffer.from('<!-- none -->', 'utf16le'),
  ],
  'is found in a comment of a page in UTF-16 without a mark, with the high byte first': [
    'text/html',
    Buffer.from(`<!-- ${PASSWORD} -->`, 'utf16le').swap16(),
  ],
  'is found in a comment of a page in UTF-32': [
    'text/html',
    Buffer.from([...`<!-- ${PASSWORD} -->`].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0])),
  ],
  'is found in the headers of an e-mail': [
    'message/rfc822',
    mail('X-Key: AKIAIOSFODNN7EXAMPLB'),
    mail('DKIM-Signature: v=1; s=key1; b=Q4nJk8q0pW7v'),
  ],
  'is found in the headers of a mailbox': [
    'application/mbox',
    mail('X-Key: AKIAIOSFODNN7EXAMPLB'),
    mail('DKIM-Signature: v=1; s=key1; b=Q4nJk8q0pW7v'),
  ],
  'is found in a property of a message of Outlook': [
    'application/vnd.ms-outlook',
    writeMessage({ messageClass: 'AKIAIOSFODNN7EXAMPLB' }),
    writeMessage({ messageClass: 'IPM.Note' }),
  ],
  'is found in a link of a PDF that is not compressed': [
    'application/pdf',
    pdf('https://me:hunter22secret@shop.example/a'),
    pdf('https://shop.example/a'),
  ],
  'is assumed in a package that is too large to be searched': [
    XLSX,
    withParts(large('b.xml'), large('c.xml')),
    withParts(large('b.xml')),
  ],
  'is assumed in a damaged part': [XLSX, withParts({ name: 'b.xml', content: 'x', wrongChecksum: true })],
};

describe('a credential in a part of a file that is not read as text', () => {
  for (const [title, [type, found, none]] of Object.entries(CASES)) {
    test(title, async () => {
      assert.equal(await hasRawCredentials(type, found), true);
      if (none !== undefined) assert.equal(await hasRawCredentials(type, none), false);
    });
  }

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
