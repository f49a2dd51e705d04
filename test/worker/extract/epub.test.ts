import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractEpub } from '../../../worker/extract/office/epub.ts';
import { mergeUnread } from '../../../worker/extract/unread.ts';
import { writeZip } from '../../support/zip-writer.ts';
import { extracted, extractedInProcess, testFaults, testTexts } from './extraction.ts';
import { bookMembers, writeEpub } from './office-writer.ts';

const chapter = (body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`;
/** A book of these chapters, in their order. */
const bookOf = (...contents: (string | Uint8Array)[]) =>
  writeEpub({ chapters: contents.map((content, n) => ({ href: `${n}.xhtml`, content })) });
const TEXTS = ['北京大学', '日本語', '한국어', 'مرحبا', 'हिन्दी'];
const UTF_16 = Buffer.from(`\ufeff${chapter('<p>सोलह</p>').replace('UTF-8', 'UTF-16')}`, 'utf16le');
const chapters = [{ href: 'a.xhtml', content: chapter('<h1>A</h1><p>b</p>') }];

describe('a book', () => {
  test('gives its title and one part per chapter, in reading order', async () => {
    const book = writeEpub({
      title: 'Tom &amp; Jerry &#8211; Größe',
      chapters: [
        { href: 'text/z first.xhtml', content: chapter('<h1>One</h1><p>a</p>') },
        { href: 'text/a%second.xhtml', content: chapter('<h1>Two</h1><div/><p>b</p>') },
      ],
    });
    const { title, parts } = await extracted(extractEpub, book);
    assert.equal(title, 'Tom & Jerry – Größe');
    assert.deepEqual(parts, [
      { text: '# One\n\na', place: null },
      { text: '# Two\n\nb', place: null },
    ]);
  });

  test('is read even if it contains an unclosed tag of 200,000 letters', async (t) => {
    const book = bookOf(`<p>before</p><${'a'.repeat(200_000)}`);
    const { parts } = await extractedInProcess(t, 'application/epub+zip', book);
    assert.deepEqual(parts, [{ text: 'before', place: null }]);
  });

  const plan = [
    { href: 'nav.xhtml', content: chapter('<ol><li>One</li></ol>'), properties: 'nav' },
    { href: 'cover.svg', content: '<svg/>', mediaType: 'image/svg+xml' },
    { href: 'one.xhtml', content: chapter('<p>one</p>') },
    { href: 'lost.xhtml', content: '' },
    { href: 'blank.xhtml', content: chapter('<p> </p>') },
  ];
  testTexts(extractEpub, {
    'omits its own table of contents, pictures and missing chapters': [
      writeZip(bookMembers({ chapters: plan }).filter(({ name }) => !name.endsWith('lost.xhtml'))),
      'one',
    ],
    'keeps text of every script, in the encoding of each chapter': [
      bookOf(...TEXTS.map((text) => chapter(`<p>${text}</p>`)), UTF_16),
      [...TEXTS, 'सोलह'].join('\n\n'),
    ],
    'is read if only its fonts are protected': [
      writeEpub({ chapters, encrypted: ['OEBPS/fonts/a.otf'] }),
      '# A\n\nb',
    ],
  });
});

test('a book says which of its chapters cannot be read', async () => {
  const lost = bookMembers({
    chapters: [
      { href: 'text/one.xhtml', content: chapter('<p>one</p>') },
      { href: 'text/lost.xhtml', content: '' },
      { href: 'text/deep.xhtml', content: chapter('<div>'.repeat(20_000)) },
      { href: 'text/broken.xhtml', content: chapter('<p>broken</p>') },
      { href: 'text/two.xhtml', content: chapter('<p>two</p>') },
    ],
  })
    .filter(({ name }) => !name.endsWith('lost.xhtml'))
    .map((each) => ({ ...each, wrongChecksum: each.name.endsWith('broken.xhtml') }));
  const { parts, unread } = await extracted(extractEpub, writeZip(lost));
  assert.deepEqual(
    parts.map(({ text }) => text),
    ['one', 'two'],
  );
  assert.deepEqual(mergeUnread(unread ?? []), [
    { kind: 'part', names: ['lost.xhtml', 'broken.xhtml'], reason: 'damaged' },
    { kind: 'part', names: ['deep.xhtml'], reason: 'not_read' },
  ]);
});

describe('a file that claims to be a book', () => {
  const entities = Array.from({ length: 500 }, (_, index) => `<!ENTITY e${index} "${'x'.repeat(900)}">`);
  const bomb = bookMembers({ chapters, title: '&e0;'.repeat(1_000) }).map((member) => ({
    ...member,
    content: String(member.content).replace('<package', `<!DOCTYPE package [${entities.join('')}]><package`),
  }));
  testFaults(extractEpub, {
    'is refused if its chapters are protected': [
      'locked',
      [writeEpub({ chapters, encrypted: ['OEBPS/fonts/a.otf', 'OEBPS/a.xhtml'] })],
    ],
    'is refused if it names no chapter that exists, or expands entities without limit': [
      'corrupt',
      [
        ...['OEBPS/book.opf', 'OEBPS/a.xhtml'].map((lost) =>
          writeZip(bookMembers({ chapters }).filter(({ name }) => name !== lost)),
        ),
        writeZip(bomb),
      ],
    ],
    'is refused if a chapter is nested too deeply': ['too_deep', [bookOf(chapter('<div>'.repeat(20_000)))]],
    'is refused if a chapter is binary data': ['not_text', [bookOf(chapter(`<p>${'\0'.repeat(50)}</p>`))]],
  });
});
