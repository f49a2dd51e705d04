import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isOpenable } from '../../cli/commands/sources/files.ts';
import { safeFileName } from '../../shared/formats/names.ts';

describe('safeFileName', () => {
  for (const [given, expected] of [
    ['notes.txt', 'notes.txt'],
    ['Über uns – 2026.pdf', 'Über uns – 2026.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\a\\b.docx', 'b.docx'],
    ['folder/', 'file'],
    ['..', 'file'],
    [' . . ', 'file'],
    ['', 'file'],
    ['.bashrc', 'bashrc'],
    ['a.txt. . ', 'a.txt'],
    ['a\u0000b\nc\u001b[31m.txt', 'a b c [31m.txt'],
    ['a\u202egpj.exe', 'a gpj.exe'],
    ['a<b>:"|?*.txt', 'a b .txt'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['com¹ .log', '_com¹ .log'],
    ['cafe\u0301.md', 'café.md'],
    ['\ud800.txt', '\ufffd.txt'],
  ] as const) {
    test(`${JSON.stringify(given)} becomes ${JSON.stringify(expected)}`, () => {
      assert.equal(safeFileName(given), expected);
    });
  }

  test('shortens a long name, and keeps its extension and whole characters', () => {
    const name = safeFileName(`${'ü'.repeat(290)}.docx`);
    assert.equal(name, `${'ü'.repeat(125)}.docx`);
    assert.ok(Buffer.byteLength(name) <= 255);
    assert.equal(safeFileName(`a.${'x'.repeat(290)}`), `a.${'x'.repeat(253)}`);
  });
});

describe('isOpenable', () => {
  test('is true for formats that are only shown, and for nothing that can run programs', () => {
    for (const name of ['a.pdf', 'A.PDF', 'a.txt', 'a.docx.md', 'a.json']) assert.ok(isOpenable(name), name);
    const others =
      'a.html a.HTM a.xhtml a.svg a.exe a.txt.bat a.desktop a pdf a.docm a.docx a.ods a.rtf a.csv a.eml a.sh a.bat a.ps1 a.js a.py a.org a.xml a.ics';
    for (const name of others.split(' ')) assert.ok(!isOpenable(name), name);
  });
});
