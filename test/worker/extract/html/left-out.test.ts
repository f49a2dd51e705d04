import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractHtml, htmlToMarkdown } from '../../../../worker/extract/html.ts';
import { extracted, testFaults, textOf } from '../extraction.ts';

const links = (count: number, label = 'Entry') =>
  `<ul>${Array.from({ length: count }, (_, index) => `<li><a href="/${index}">${label} ${index}</a></li>`).join('')}</ul>`;
const article =
  '<h1>Refunds</h1><p>Refunds take fourteen days. The seal of the pump must be whole, and the invoice must be in the box.</p>' +
  '<p>Write to the service before you send the pump back, and wait for its answer.</p>';
const text =
  '# Refunds\n\nRefunds take fourteen days. The seal of the pump must be whole, and the invoice must be in the box.\n\n' +
  'Write to the service before you send the pump back, and wait for its answer.';

async function assertLeftOut(html: string, ...names: string[]): Promise<void> {
  const { parts, unread } = await extracted(extractHtml, html);
  assert.equal(parts[0]?.text, text);
  assert.deepEqual(unread, [{ kind: 'part', names, reason: 'left_out' }]);
}

async function assertKept(html: string, kept: RegExp): Promise<void> {
  const { parts, unread } = await extracted(extractHtml, html);
  assert.match(parts[0]?.text ?? '', kept);
  assert.equal(unread, undefined);
}

describe('what is around the content of an HTML page', () => {
  const rows: Readonly<Record<string, readonly [html: string, ...names: string[]]>> = {
    'a menu': [`<nav>${links(30)}</nav><main>${article}</main>`, 'menus'],
    'a menu by its role': [`<div role=navigation>Menu ${links(3)}</div>${article}`, 'menus'],
    'a menu of divisions without a name': [
      `<div><div><div>${links(12)}</div></div><div>${article}</div></div>`,
      'lists of links',
    ],
    'a menu before the first heading': [`${links(5)}${article}`, 'lists of links'],
    'a menu in a table that arranges the page': [
      `<table><tr><td><a href=1>Home</a><br><a href=2>Pumps</a><br><a href=3>Contact</a><td>${article}</table>`,
      'lists of links',
    ],
    'the path to the page': [
      `<main><ol class="breadcrumb"><li><a href=/>Home</a><li>Refunds</ol>${article}</main>`,
      'menus',
    ],
    'a link that skips the menu': [
      `<a href="#content">Skip to main content</a><div>${article}</div>`,
      'menus',
    ],
    'the links to edit a section': [
      article.replace('</h1>', '<span class="mw-editsection">[<a href=e>edit</a>]</span></h1>'),
      'menus',
    ],
    'the header of the site': [
      `<header><a href=/>Northwind</a><p>All about pumps</p><button>Menu</button></header><main>${article}</main>`,
      'page header',
    ],
    'the footer of the site': [
      `<article>${article}</article><footer><p>Copyright Northwind. All rights reserved in all countries.</footer>`,
      'page footer',
    ],
    'a footer of older pages': [
      `<div>${article}</div><div id="footer">Copyright Northwind</div>`,
      'page footer',
    ],
    'headers and footers that an office program exports': [
      `<div title="header"><p>Northwind GmbH</p></div>${article}<div title="footer"><p>Page 1</p></div>`,
      'page header',
      'page footer',
    ],
    'a banner for cookies': [
      `<div class="cookie-banner">We use cookies. Accept all</div>${article}`,
      'cookie banner',
    ],
    'a banner for cookies by its program': [
      `<main>${article}</main><div id="onetrust-consent-sdk"><h2>Privacy</h2><p>We and our partners store data.</p><button>Accept</button></div>`,
      'cookie banner',
    ],
    'a banner that is only named after cookies, and has a button': [
      `<div id="cookie-consent"><p>We use cookies.</p><button>OK</button></div>${article}<div class="cookies">Cookies! <button>OK</button></div>`,
      'cookie banner',
    ],
    'two links to share the page, and texts of related pages': [
      `<main>${article}<p class=share>Share: <a href=f>Facebook</a> <a href=m>Mail</a></p><div class="related-posts"><h3>Read next</h3><a href=1><h4>Seals of the pumps</h4></a><p>About seals.</p></div></main>`,
      'lists of links',
    ],
    'a dialog': [`${article}<div role="dialog"><p>Subscribe to our letter</p></div>`, 'dialog'],
    'links to share the page, in the article': [
      `<article>${article}<ul class="share-tools"><li><a href=f>Facebook<li><a href=m>Mail<li><a href=w>WhatsApp</ul></article>`,
      'lists of links',
    ],
    'related articles, in the article': [
      `<article>${article}<div class="relatedPosts"><h3>Read also</h3>${links(4, 'How to clean the pump number')}</div></article>`,
      'lists of links',
    ],
    'a table of contents': [`<div class=toc>Contents${links(4)}</div>${article}`, 'lists of links'],
    'a short text at the side': [
      `<main>${article}</main><aside><p>Related: ten tips</p></aside><div role=complementary>By Ann</div>`,
      'sidebar',
    ],
    'a list of links at the side': [
      `<main>${article}</main><aside><h2>Most read</h2>${links(8)}</aside>`,
      'lists of links',
    ],
  };
  for (const [what, [html, ...names]] of Object.entries(rows)) {
    test(`is left out and named: ${what}`, () => assertLeftOut(html, ...names));
  }

  test('has one name for all parts of a kind', () =>
    assertLeftOut(
      `<nav>${links(9)}</nav><header><a href=/>Shop</a></header><main>${article}</main><nav>${links(9)}</nav>`,
      'menus',
      'page header',
    ));

  test('is left out of pages only, and not of mails and books', () => {
    assert.equal(htmlToMarkdown('<nav>Menu</nav><footer>Foot</footer>'), 'Menu\n\nFoot');
  });
});

describe('the content of an HTML page', () => {
  const rows: Readonly<Record<string, readonly [html: string, kept: RegExp]>> = {
    'a list of links in the text': [
      `<main>${article}<h2>See also</h2>${links(5)}</main>`,
      /See also\n\n- Entry 0/,
    ],
    'a list of links at the end of the text': [`${article}<p>More:</p>${links(5)}`, /More:\n\n- Entry 0/],
    'a list of files': [
      `<main><h1>Files</h1><p>All files are listed here.</p>${links(40)}</main>`,
      /- Entry 39/,
    ],
    'a list of files without a declared content': [
      `<h1>Files</h1><p>All files are listed here.</p>${links(40)}`,
      /- Entry 39/,
    ],
    'a list of files beside an introduction': [
      `<div><h1>Files</h1><p>All files are listed here by their name, the newest first.</p></div><div>${links(40)}</div>`,
      /- Entry 39/,
    ],
    'a table of contents that is most of the page': [
      `<main><h1>Manual</h1><p>Of all our pumps.</p><div class=toc>${links(60)}</div></main>`,
      /- Entry 59/,
    ],
    'the header of an article': [
      `<article><header><a href=a>Ann Lee</a>, 4 May</header>${article}</article>`,
      /^Ann Lee, 4 May/,
    ],
    'the footer of an article': [
      `<article>${article}<footer>Written by <a href=a>Ann</a></footer></article>`,
      /Written by Ann$/,
    ],
    'a header with the only main heading': [
      `<header><h1>Refunds</h1><p>By <a href=a>Ann</a></p></header><div>${article.replace(/<h1>.*<\/h1>/, '')}</div>`,
      /^# Refunds\n\nBy Ann/,
    ],
    'a header without links': [
      `<header><p>Ann Lee</p><p>4 May 2024</p></header><div>${article}</div>`,
      /^Ann Lee\n\n4 May 2024/,
    ],
    'a section about cookies': [
      `<main>${article}<section id="cookie-settings"><h2>Cookies</h2><p>We use none.</p></section></main>`,
      /We use none\.$/,
    ],
    'a policy on cookies with a button': [
      `${article}<div class="cookie-policy"><h2>Types</h2><p>We set cookies.</p><button>Change</button></div>`,
      /We set cookies/,
    ],
    'a section about cookies, without a declared content': [
      `${article}<div id="cookie-settings"><h2>Cookies</h2><p>We use none.</p></div>`,
      /We use none\.$/,
    ],
    'a long text at the side': [
      `<main>${article}</main><aside><p>${'Ask Ann before you send it. '.repeat(6)}</p></aside>`,
      /Ask Ann before you send it\.$/,
    ],
    'a text at the side of a page that declares no content': [
      `${article}<aside><p>Ask Ann first.</p></aside>`,
      /Ask Ann first\.$/,
    ],
    'a note within the text': [
      `<main>${article}<aside><p>Ask Ann before you <a href=a>send</a> it.</p></aside></main>`,
      /Ask Ann before you send it\.$/,
    ],
    'a paragraph with many links': [
      `${article}<p>Sold in <a href=1>Germany</a>, <a href=2>France</a>, <a href=3>Italy</a>.`,
      /Sold in Germany, France, Italy\.$/,
    ],
    'named anchors, which are no links': [
      `${article}<div class="menu"><a name=1>Soup</a> <a name=2>Fish</a> <a name=3>Cake</a></div>`,
      /Soup Fish Cake$/,
    ],
  };
  for (const [what, [html, kept]] of Object.entries(rows)) {
    test(`is kept: ${what}`, () => assertKept(html, kept));
  }

  test('is the whole page if less than half of the words outside links would be left', async () => {
    const few = '<p>Short note here.</p>';
    const footer = `<footer><p>Copyright Northwind. All rights reserved in all countries.</p></footer>`;
    await assertKept(`<main>${few}</main>${footer}`, /^Short note here\.\n\nCopyright Northwind/);
    // Words in links do not count.
    await assertKept(`<main>${few}${links(20)}</main>${footer}`, /Copyright/);
  });

  test('is the whole page if it has only links', async () => {
    await assertKept(`<nav>${links(20)}</nav>`, /- Entry 19$/);
    await assertKept(`<h1>Index</h1><nav>${links(20)}</nav>`, /- Entry 19$/);
  });

  test('never loses the text of a page: what is not stored is named', async () => {
    const block = fc.constantFrom(
      'div',
      'nav',
      'ul',
      'main',
      'article',
      'aside',
      'header',
      'footer',
      'section',
      'p',
      'h1',
      'h2',
    );
    const attribute = fc.constantFrom(
      '',
      ' class=menu',
      ' id=footer',
      ' role=banner',
      ' role=main',
      ' class="cookie-bar"',
      ' class=related',
      ' class=toc',
      ' role=dialog',
      ' hidden',
    );
    const { page } = fc.letrec<{ page: string }>((tie) => ({
      page: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(
          'One two three four five six seven. ',
          '<a href=x>link text</a> ',
          'word ',
          '<button>press</button> ',
        ),
        fc
          .tuple(block, attribute, fc.array(tie('page'), { maxLength: 5 }))
          .map(([tag, given, inner]) => `<${tag}${given}>${inner.join('')}</${tag}>`),
      ),
    }));
    const words = (given: string) => given.match(/[a-z]+/gi) ?? [];
    await fc.assert(
      fc.asyncProperty(page, async (html) => {
        const { parts, unread } = await extracted(extractHtml, html);
        const all = words(htmlToMarkdown(html)).length;
        const hiddenToo = words(html.replace(/<[^>]*>/g, ' ')).length;
        const stored = words(parts[0]?.text ?? '').length;
        if (unread === undefined) assert.equal(stored, hiddenToo);
        else assert.ok(stored <= all);
        if (!unread?.[0]?.names.some((name) => name !== 'hidden text')) assert.equal(stored, all);
      }),
      { numRuns: 300 },
    );
  });
});

test('the menus of a page of 17 words are left out, although its sidebar and banner have more than half of them', async () => {
  const html = `<header><nav>${links(30)}</nav></header><div class="cookie-banner">We use cookies. Accept all</div><main><h1>Refund policy</h1><p>Refunds take 14 days.</p></main><aside>Related: ten tips</aside><footer>Copyright. Imprint. Privacy</footer>`;
  assert.equal(await textOf(extractHtml, html), '# Refund policy\n\nRefunds take 14 days.');
});

describe('a hostile HTML page', () => {
  test('is read in time if it has many menus, links, classes or tables', async () => {
    const menus = `${`<nav>${links(3)}</nav>`.repeat(1_000)}<main>${article}</main>`;
    assert.equal(await textOf(extractHtml, menus), text);
    const nested = `${'<div class="menu">'.repeat(1_000)}${links(1_000)}${'</div>'.repeat(1_000)}<main>${article}</main>`;
    assert.equal(await textOf(extractHtml, nested), text);
    const named = `<div class="${'cookie '.repeat(20_000)}" id="${'a'.repeat(100_000)}">${links(3)}</div><main>${article}</main>`;
    assert.equal(await textOf(extractHtml, named), text);
  });

  testFaults(extractHtml, {
    'ends in its fault if it is nested too deeply': [
      'too_deep',
      ['<nav>', '<main>', '<header><p>a', '<a href=x>b<div>', '<ul><li>', '<select><optgroup>'].map((piece) =>
        piece.repeat(20_000),
      ),
    ],
  });
});
