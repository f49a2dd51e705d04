import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractSavedPage } from '../../../../worker/extract/mail/saved-page.ts';
import { assertDamageIsTold, extracted, testFaults, textOf } from '../extraction.ts';
import { extractEmail } from './extractors.ts';
import { multipart, part } from './mails.ts';

const PAGE = part(
  'Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://x.example/a',
  '<html><head><meta charset=3Dutf-8><title>Valves</title></head><body><h1>Valves</h1><p>Gr=C3=B6=C3=9Fe 7<img src=3D"b.png">',
);
const PICTURE = part('Content-Type: image/png\r\nContent-Location: https://x.example/b.png', 'x');
const CHROME =
  'From: <Saved by Blink>\r\nSnapshot-Content-Location: https://x.example/a\r\nSubject: Valves\r\n' +
  'Date: Fri, 3 May 2024 09:00:00 +0200\r\nMIME-Version: 1.0\r\n';
const SAVED = CHROME + multipart('related', [PAGE, PICTURE]);
const READ = { title: 'Valves', date: '2024-05-03', parts: [{ text: '# Valves\n\nGröße 7', place: null }] };

describe('a page that was saved as one file', () => {
  test('is read as its HTML, without the headers of the file and its pictures', async () => {
    assert.deepEqual(await extracted(extractSavedPage, SAVED), READ);
  });

  test('is read if its type is said to be that of an e-mail', async () => {
    assert.deepEqual(await extracted(extractEmail, SAVED), READ);
  });

  test('is read in the character set that its part declares', async () => {
    const latin = part(
      'Content-Type: text/html; charset="iso-8859-1"\r\nContent-Transfer-Encoding: quoted-printable',
      '<meta charset=3Dutf-8><p>Gr=F6=DFe',
    );
    assert.equal(await textOf(extractSavedPage, CHROME + multipart('related', [latin])), 'Größe');
  });

  test('can be one part, and can have frames such as the sheets of a workbook', async () => {
    assert.equal(
      await textOf(extractSavedPage, 'From: <Saved by x>\r\nContent-Type: text/html\r\n\r\n<p>words'),
      'words',
    );
    const sheet = (name: string, text: string) =>
      part(`Content-Type: text/html\r\nContent-Location: file:///C:/x_files/${name}`, `<p>${text}`);
    const book =
      CHROME + multipart('related', [PAGE, sheet('sheet001.htm', 'one'), sheet('again.htm', 'one')]);
    assert.deepEqual((await extracted(extractSavedPage, book)).parts.slice(1), [
      { text: 'one', place: { part: 'sheet001.htm' } },
    ]);
  });

  test('with any damage is read or refused', async () => {
    await assertDamageIsTold(extractSavedPage, SAVED);
  });
});

testFaults(extractSavedPage, {
  'a file that is not a saved page is refused': [
    'invalid_mhtml',
    ['Subject: x\r\n\r\nwords', CHROME + multipart('related', [PICTURE])],
  ],
  'a file without headers is refused': ['invalid_email', ['', 'words', '<html><p>x']],
});
