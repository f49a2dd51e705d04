import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { IMPORT_FORMAT_NAMES, IMPORT_FORMATS, importMediaType } from '../../shared/formats/media-types.ts';
import { ROOT } from '../support/root.ts';

/** Filename, declared type, and what the file is read as. */
type Row = [filename: string, declared: string | undefined, readAs: string | null];

function check(rows: readonly Row[]): void {
  for (const [filename, declared, readAs] of rows) {
    assert.equal(importMediaType(filename, declared, false), readAs, `${filename} as ${declared}`);
  }
}

describe('the media type of a file', () => {
  test('the media type comes from the extension if no type is declared', () =>
    check([
      ['a.txt', undefined, 'text/plain'],
      ['a.md', undefined, 'text/markdown'],
      ['a.csv', undefined, 'text/csv'],
      ['a.tsv', undefined, 'text/tab-separated-values'],
      ['a.json', undefined, 'application/json'],
      ['a.jsonl', undefined, 'application/x-ndjson'],
      ['a.ndjson', undefined, 'application/x-ndjson'],
      ['a.eml', undefined, 'message/rfc822'],
      ['a.mbox', undefined, 'application/mbox'],
      ['a.xlsx', undefined, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
      ['a.pptx', undefined, 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
      ['a.odt', undefined, 'application/vnd.oasis.opendocument.text'],
      ['a.ods', undefined, 'application/vnd.oasis.opendocument.spreadsheet'],
      ['a.odp', undefined, 'application/vnd.oasis.opendocument.presentation'],
      ['a.rtf', undefined, 'application/rtf'],
      ['a', 'text/rtf', 'application/rtf'],
      ['LOUD.CSV', undefined, 'text/csv'],
      ['a.b.json', undefined, 'application/json'],
      ['.csv', undefined, 'text/csv'],
      ['表.csv', undefined, 'text/csv'],
    ]));

  test('the media type comes from the extension if the declared one is empty or octet-stream', () =>
    check([
      ['a.csv', 'application/octet-stream', 'text/csv'],
      ['a.csv', 'APPLICATION/OCTET-STREAM; x=y', 'text/csv'],
      ['a.csv', '', 'text/csv'],
      ['a.csv', ' ; charset=utf-8', 'text/csv'],
      ['a.exe', 'application/octet-stream', null],
      ['a', 'application/octet-stream', null],
    ]));

  test('a specific declared type takes precedence over the extension', () =>
    check([
      ['a.txt', 'text/csv', 'text/csv'],
      ['a', 'application/json', 'application/json'],
      ['a.exe', 'text/plain; charset=utf-8', 'text/plain'],
      ['a.csv', ' Text/Plain ', 'text/plain'],
    ]));

  test('another name of a type gives the standard type', () =>
    check([
      ['a', 'text/x-markdown', 'text/markdown'],
      ['a', 'text/json', 'application/json'],
      ['a', 'application/csv', 'text/csv'],
      ['a', 'text/x-csv', 'text/csv'],
      ['a', 'application/jsonl', 'application/x-ndjson'],
      ['a', 'application/ndjson', 'application/x-ndjson'],
      ['a', 'application/x-jsonlines; charset=utf-8', 'application/x-ndjson'],
      ['a', 'application/x-mbox', 'application/mbox'],
    ]));

  test('the Excel type of Windows is read as the format of the extension if that is a table', () =>
    check([
      ['a.csv', 'application/vnd.ms-excel', 'text/csv'],
      ['A.CSV', 'application/vnd.ms-excel; x=y', 'text/csv'],
      [
        'a.xlsx',
        'application/vnd.ms-excel',
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      ],
      ['a.xls', 'application/vnd.ms-excel', null],
      ['a.txt', 'application/vnd.ms-excel', null],
      ['csv', 'application/vnd.ms-excel', null],
    ]));

  test('any other type or extension has no media type', () =>
    check([
      ['a.exe', undefined, null],
      ['a', undefined, null],
      ['a.', undefined, null],
      ['a.csv.', undefined, null],
      ['a.csv/b', undefined, null],
      ['a.txt', 'application/x-msdownload', null],
      ['a.constructor', 'constructor', null],
      ['a.toString', undefined, null],
      ['a', '__proto__', null],
    ]));

  test('a text without a type and an extension is plain text', () => {
    assert.equal(importMediaType('notes', undefined, true), 'text/plain');
    assert.equal(importMediaType('notes', 'application/octet-stream', true), 'text/plain');
    assert.equal(importMediaType('notes.exe', undefined, true), null);
  });
});

describe('the formats that can be imported', () => {
  const formats = Object.entries(IMPORT_FORMATS);
  const isUnique = (names: readonly string[]) => assert.deepEqual(names, [...new Set(names)]);

  test('have different names, media types and extensions', () => {
    isUnique(formats.map(([, { label }]) => label));
    isUnique(formats.flatMap(([type, { aliases }]) => [type, ...aliases]));
    isUnique(formats.flatMap(([, { extensions }]) => extensions));
  });

  test('are recognized by each of their media types and extensions', () => {
    for (const [type, { aliases, extensions }] of formats) {
      check([type, ...aliases].map((declared) => ['a', declared, type]));
      check(extensions.map((extension) => [`a.${extension}`, undefined, type]));
    }
  });

  test('are listed in the guide', () => {
    const page = readFileSync(join(ROOT, 'docs/guide/import.md'), 'utf8');
    assert.ok(page.includes(`\nFormats: ${IMPORT_FORMAT_NAMES}.`));
  });
});
