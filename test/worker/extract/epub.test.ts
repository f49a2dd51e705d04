import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importMediaType } from '../../../shared/formats/media-types.ts';
import { extractEpub } from '../../../worker/extract/office/epub.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';
import { assertDamagedMembersAreTold } from './damaged-members.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from './extraction.ts';
import { bookMembers, writeEpub } from './office-writer.ts';

const EPUB = 'application/epub+zip';

const chapter = (body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`;

describe('a book', () => {
  test('gives its title and one part per chapter, in reading order', async () => {
    const { title, parts } = await extracted(
      extractEpub,
      writeEpub({
        title: 'Tom &amp; Jerry &#8211; Größe',
        chapters: [
          { href: 'text/z first.xhtml', content: chapter('<h1>One</h1><p>a</p>') },
          { href: 'text/a%second.xhtml', content: chapter('<h1>Two</h1><div/><p>b</p>') },
        ],
      }),
    );
    assert.equal(title, 'Tom & Jerry – Größe');
    assert.deepEqual(parts, [
      { text: '# One\n\na', place: null },
      { text: '# Two\n\nb', place: null },
    ]);
  });

  test('is read even if it contains an unclosed tag of 200,000 letters', async (t) => {
    const content = `<p>before</p><${'a'.repeat(200_000)}`;
    const book = writeEpub({ chapters: [{ href: 'c', content }] });
    const { parts } = await extractedInProcess(t, EPUB, book);
    assert.deepEqual(parts, [{ text: 'before', place: null }]);
  });

  test('omits its own table of contents, pictures and missing chapters', async () => {
    const plan = {
      chapters: [
        { href: 'nav.xhtml', content: chapter('<ol><li>One</li></ol>'), properties: 'nav' },
        { href: 'cover.svg', content: '<svg/>', mediaType: 'image/svg+xml' },
        { href: 'one.xhtml', content: chapter('<p>one</p>') },
        { href: 'lost.xhtml', content: '' },
        { href: 'blank.xhtml', content: chapter('<p> </p>') },
      ],
    };
    const members = bookMembers(plan).filter(({ name }) => !name.endsWith('lost.xhtml'));
    const { parts } = await extracted(extractEpub, writeZip(members));
    assert.deepEqual(parts, [{ text: 'one', place: null }]);
  });

  test('keeps text of every script, in the encoding of each chapter', async () => {
    const texts = ['北京大学', '日本語', '한국어', 'مرحبا', 'हिन्दी'];
    const utf16 = Buffer.from(`\ufeff${chapter('<p>सोलह</p>').replace('UTF-8', 'UTF-16')}`, 'utf16le');
    const chapters = [...texts.map((text) => chapter(`<p>${text}</p>`)), utf16];
    const plan = { chapters: chapters.map((content, index) => ({ href: `${index}.xhtml`, content })) };
    assert.equal(await textOf(extractEpub, writeEpub(plan)), [...texts, 'सोलह'].join('\n\n'));
  });

  test('is recognised by type and extension, and read in a process without permissions', async (t) => {
    assert.equal(importMediaType('Buch.epub', 'application/octet-stream', false), EPUB);
    const book = writeEpub({ title: 'T', chapters: [{ href: 'a.xhtml', content: chapter('<p>水泵</p>') }] });
    const { title, parts } = await extractedInProcess(t, EPUB, book);
    assert.deepEqual([title, parts], ['T', [{ text: '水泵', place: null }]]);
  });
});

describe('a file that claims to be a book', () => {
  const chapters = [{ href: 'a.xhtml', content: chapter('<h1>A</h1><p>b</p>') }];

  test('is refused if its chapters are protected, and read if only its fonts are', async () => {
    const locked = writeEpub({ chapters, encrypted: ['OEBPS/fonts/a.otf', 'OEBPS/a.xhtml'] });
    assert.equal((await faultOf(extractEpub, locked)).code, 'locked');
    assert.equal(
      await textOf(extractEpub, writeEpub({ chapters, encrypted: ['OEBPS/fonts/a.otf'] })),
      '# A\n\nb',
    );
  });

  test('is refused if it is something else, or names no chapter that exists', async () => {
    assert.equal((await faultOf(extractEpub, writeZip([{ name: 'a', content: 'x' }]))).code, 'corrupt');
    assert.equal((await faultOf(extractEpub, 'no archive')).code, 'corrupt');
    for (const lost of ['OEBPS/book.opf', 'OEBPS/a.xhtml']) {
      const members = bookMembers({ chapters }).filter(({ name }) => name !== lost);
      assert.equal((await faultOf(extractEpub, writeZip(members))).code, 'corrupt', lost);
    }
  });

  test('is refused if it is a zip bomb, larger than declared, or partly encrypted', async () => {
    const members = bookMembers({ chapters });
    const withChapter = (change: Partial<ZipMember>) =>
      writeZip(
        members.map((member) => (member.name === 'OEBPS/a.xhtml' ? { ...member, ...change } : member)),
      );
    const bomb = withChapter({ content: Buffer.alloc(40 * 1024 * 1024, ' ') });
    assert.equal((await faultOf(extractEpub, bomb)).code, 'zip_bomb');
    assert.equal((await faultOf(extractEpub, withChapter({ claimedSize: 10 }))).code, 'zip_bomb');
    assert.equal((await faultOf(extractEpub, withChapter({ encrypted: true }))).code, 'locked');
  });

  test('does not expand entities without limit', async () => {
    const entities = Array.from({ length: 500 }, (_, index) => `<!ENTITY e${index} "${'x'.repeat(900)}">`);
    const bomb = bookMembers({ chapters, title: '&e0;'.repeat(1_000) }).map((member) =>
      member.name.endsWith('.opf')
        ? {
            ...member,
            content: String(member.content).replace(
              '<package',
              `<!DOCTYPE package [${entities.join('')}]><package`,
            ),
          }
        : member,
    );
    assert.equal((await faultOf(extractEpub, writeZip(bomb))).code, 'corrupt');
  });

  test('is refused if a chapter is nested too deeply or has a wrong encoding', async () => {
    const deep = writeEpub({ chapters: [{ href: 'a.xhtml', content: chapter('<div>'.repeat(20_000)) }] });
    assert.equal((await faultOf(extractEpub, deep)).code, 'too_deep');
    const wrong = Buffer.from(chapter('<p>Gr\xf6\xdfe</p>'), 'latin1');
    const foreign = writeEpub({ chapters: [{ href: 'a.xhtml', content: wrong }] });
    assert.equal((await faultOf(extractEpub, foreign)).code, 'invalid_encoding');
  });

  test('is read, or refused with a reported fault, whatever the damage', async () => {
    await assertDamageIsTold(extractEpub, writeEpub({ chapters }));
    await assertDamagedMembersAreTold(extractEpub, bookMembers({ chapters, encrypted: ['x'] }));
  });
});
