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
  test('the media type comes from the extension if no type, an empty one or octet-stream is declared', () =>
    check([
      ['LOUD.CSV', undefined, 'text/csv'],
      ['a.b.json', undefined, 'application/json'],
      ['.csv', undefined, 'text/csv'],
      ['表.csv', undefined, 'text/csv'],
      ['a.csv', 'application/octet-stream', 'text/csv'],
      ['a.csv', 'APPLICATION/OCTET-STREAM; x=y', 'text/csv'],
      ['a.csv', '', 'text/csv'],
      ['a.csv', ' ; charset=utf-8', 'text/csv'],
      ['a.exe', 'application/octet-stream', null],
      ['a', 'application/octet-stream', null],
    ]));

  test('a specific declared type takes precedence over the extension, in any case and with parameters', () =>
    check([
      ['a.txt', 'text/csv', 'text/csv'],
      ['a.exe', 'text/plain; charset=utf-8', 'text/plain'],
      ['a.csv', ' Text/Plain ', 'text/plain'],
      ['a', 'application/x-jsonlines; charset=utf-8', 'application/x-ndjson'],
      ['a.txt', 'application/x-msdownload', null],
    ]));

  test('the Excel type of Windows is read as the format of the extension if that is a table', () => {
    const excel = 'application/vnd.ms-excel';
    check([
      ['a.csv', excel, 'text/csv'],
      ['A.CSV', `${excel}; x=y`, 'text/csv'],
      ['a.xlsx', excel, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
      ...['a.xls', 'a.txt', 'csv'].map((name): Row => [name, excel, null]),
    ]);
  });

  test('an office file with macros, a template or a slide show is read as a document', () => {
    const office = 'application/vnd.openxmlformats-officedocument';
    const types = {
      [`${office}.wordprocessingml.document`]: 'docm dotx dotm',
      [`${office}.spreadsheetml.sheet`]: 'xlsm xltx xltm',
      [`${office}.presentationml.presentation`]: 'pptm ppsx ppsm potx potm',
      'application/vnd.oasis.opendocument.text': 'ott',
      'application/vnd.oasis.opendocument.spreadsheet': 'ots',
      'application/vnd.oasis.opendocument.presentation': 'otp',
    };
    for (const [type, extensions] of Object.entries(types)) {
      check(extensions.split(' ').map((extension) => [`a.${extension}`, undefined, type]));
    }
    check([
      ['a.xlsm', 'application/vnd.ms-excel', `${office}.spreadsheetml.sheet`],
      ['a', 'application/vnd.ms-word.document.macroEnabled.12', `${office}.wordprocessingml.document`],
      ...['doc', 'xls', 'ppt', 'xlsb'].map((extension): Row => [`a.${extension}`, undefined, null]),
    ]);
  });

  test('any other extension or type has no media type', () => {
    check(['a.exe', 'a', 'a.', 'a.csv.', 'a.csv/b', 'a.toString'].map((name) => [name, undefined, null]));
    check(['constructor', '__proto__'].map((type) => ['a', type, null]));
  });

  test('names of well-known files count, whatever their extension', () =>
    check([
      ['README', undefined, 'text/plain'],
      ['src/LICENSE', undefined, 'text/plain'],
      ['src/Makefile', 'application/octet-stream', 'text/x-source-code'],
      ['Dockerfile.prod', undefined, 'text/x-source-code'],
      ['Dockerfile.md', undefined, 'text/markdown'],
      ['requirements.txt', undefined, 'text/x-source-code'],
      ['.gitignore', undefined, 'text/x-source-code'],
      ['README.exe', undefined, null],
      ['constructor', undefined, null],
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
