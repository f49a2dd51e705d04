import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importMediaType } from '../../../shared/formats/media-types.ts';
import { extractHtml } from '../../../worker/extract/html.ts';
import { cutText } from '../../support/cut-text.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from './extraction.ts';

const read = (html: string | Uint8Array) => textOf(extractHtml, html);

describe('the structure of an HTML page', () => {
  test('keeps the title, headings, paragraphs, lists, quotations and code', async () => {
    const { title, parts } = await extracted(
      extractHtml,
      `<!doctype html><html><head><title> The
        handbook </title></head><body><h1>Pumps</h1><p>One <b>bold</b> word.</p><h2>Parts <br> and tools</h2>
        <ul><li>seal<ul><li>inner</li></ul></li><li>rotor</li></ul><ol start="3"><li>open</li><li>close</li></ol>
        <blockquote><p>Quoted</p></blockquote><pre><code class="language-js">if (a) {\n  # b\n}</code></pre>
        <p>Run <code>npm ci</code></p><dl><dt>Term</dt><dd>Meaning</dd></dl></body></html>`,
    );
    assert.equal(title, 'The handbook');
    assert.deepEqual(parts, [
      {
        place: null,
        text: [
          '# Pumps',
          'One bold word.',
          '## Parts and tools',
          '- seal\n  - inner\n- rotor',
          '3. open\n4. close',
          '> Quoted',
          '```js\nif (a) {\n  # b\n}\n```',
          'Run `npm ci`',
          '- Term\n\n  Meaning',
        ].join('\n\n'),
      },
    ]);
  });

  test('gives its headings to the chunks of the page', async () => {
    const pieces = cutText(await read('<h1>Pumps</h1><p>a</p><h2>Seals</h2><p>b</p>'));
    assert.deepEqual(
      pieces.map(({ headings }) => headings),
      [['Pumps'], ['Pumps', 'Seals']],
    );
  });

  test('keeps tables, with the first row as the header if none is named', async () => {
    assert.equal(
      await read(
        '<table><caption>Prices</caption><tr><td>Part</td><td>Cost|net</td></tr>' +
          '<tr><td><p>Seal</p><p>small</p></td><td><ul><li>4</li><li>5</li></ul></td></tr></table>',
      ),
      'Prices\n\n| Part | Cost\\|net |\n| - | - |\n| Seal small | 4 5 |',
    );
  });

  test('ignores tables that only arrange the page', async () => {
    assert.equal(
      await read(
        '<table><tr><td><h2>News</h2><p>First</p></td><td><table><tr><td>a</td><td>b</td></tr>' +
          '<tr><td>c</td><td>d</td></tr></table></td></tr></table><table><tr><td><p>One</p><p>Two</p></table>',
      ),
      '## News\n\nFirst\n\n| a | b |\n| - | - |\n| c | d |\n\nOne\n\nTwo',
    );
  });

  test('keeps tables within paragraphs, as in pages without a doctype', async () => {
    assert.equal(await read('<p>Above<table><tr><td>a<td>b</table>'), 'Above\n\n| a | b |\n| - | - |');
  });
});

describe('the text of an HTML page', () => {
  test('is what a reader sees: no scripts, styles, comments, pictures or addresses', async () => {
    const text = await read(
      `<head><style>.hidden{}</style><script>secret()</script></head><body><!-- remark --><template>later</template>
       <noscript>turn it on</noscript><script>secret()</script><a href="https://example.org/x">a link</a>
       <img src="data:image/png;base64,AAAA" alt="a pump"><iframe src="https://example.org"></iframe></body>`,
    );
    assert.equal(text, 'a link a pump');
  });

  test('is unchanged, without marks inside words', async () => {
    assert.equal(
      await read(
        '<p>w<b>or</b>d, <i>foo:</i>bar, snake_case_name, [1] *x* a&lt;b C:\\_x &amp;amp; un&shy;broken',
      ),
      'word, foo:bar, snake_case_name, [1] *x* a<b C:\\_x &amp; unbroken',
    );
  });

  test('never begins a heading or code block that the page does not have', async () => {
    const html = '<p># one</p><p>two<br>===<br>```<br>three</p><p>----</p><h2>Real</h2><p>text</p>';
    const pieces = cutText(await read(html));
    assert.deepEqual(
      pieces.map(({ headings }) => headings),
      [[], ['Real']],
    );
  });

  test('marks powers and struck-out text', async () => {
    assert.equal(
      await read('<p>10<sup>6</sup> and the 1<sup>st</sup>, <del>old</del> new'),
      '10^6 and the 1st, ~~old~~ new',
    );
  });

  test('has no space at a line break in Chinese, and no readings between characters', async () => {
    assert.equal(
      await read(
        '<p>北京\n大学 और\nहिन्दी</p><p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby></p><p dir=rtl>مرحبا',
      ),
      '北京大学 और हिन्दी\n\n漢字\n\nمرحبا',
    );
  });
});

describe('the encoding of an HTML page', () => {
  const chinese = Buffer.from('c4e3bac3', 'hex');
  const cases: Record<string, [Uint8Array, string]> = {
    'the default, UTF-8': [Buffer.from('<p>Größe 水'), 'Größe 水'],
    'the byte order mark before the declaration': [
      Buffer.from('\ufeff<meta charset="utf-8"><p>Größe', 'utf16le'),
      'Größe',
    ],
    'the meta element': [Buffer.from('<meta charset="iso-8859-1"><p>Gr\xf6\xdfe', 'latin1'), 'Größe'],
    'the older form of the meta element': [
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=gb2312"><p>'),
        chinese,
      ]),
      '你好',
    ],
    'the XML declaration': [
      Buffer.from('<?xml version="1.0" encoding="windows-1252"?><html><p>\x80 5</p></html>', 'latin1'),
      '€ 5',
    ],
  };
  for (const [name, [content, text]] of Object.entries(cases)) {
    test(`comes from ${name}`, async () => assert.equal(await read(content), text));
  }

  test('is reported if it differs from the declared one, or is unknown', async () => {
    for (const content of [
      Buffer.from('<p>Gr\xf6\xdfe', 'latin1'),
      Buffer.concat([Buffer.from('<meta charset="shift_jis"><p>'), Buffer.from([0x81])]),
    ]) {
      assert.equal((await faultOf(extractHtml, content)).code, 'invalid_encoding');
    }
    assert.equal((await faultOf(extractHtml, Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0xff]))).code, 'not_text');
  });
});

describe('invalid HTML pages', () => {
  test('are read as far as possible: open tags, wrong nesting, no markup', async () => {
    assert.equal(await read('<h1>Open<p>text <b>bold <i>both</b> more'), '# Open text bold both more');
    assert.equal(await read('only text &amp; more'), 'only text & more');
    assert.equal((await extracted(extractHtml, '<title>  </title>x')).title, null);
  });

  test('are read as XHTML if they declare it: empty elements have no content', async () => {
    const body = '<head><title/><script src="x"/></head><body><h1 id="a"/><div/><p>text<br/>more</p></body>';
    const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml">${body}</html>`;
    assert.equal(await read(`<?xml version="1.0"?><html>${body}</html>`), 'text\nmore');
    assert.equal(await read(`<!DOCTYPE html>${xhtml}`), 'text\nmore');
  });

  test('fail if they are nested too deeply', async () => {
    for (const tag of ['div', 'b', 'table><tr><td', 'ul><li', 'blockquote']) {
      const html = `<${tag}>`.repeat(20_000);
      assert.equal((await faultOf(extractHtml, html)).code, 'too_deep', tag);
    }
  });

  test('are read if they are long or a cell spans too many columns', async () => {
    const count = 3_000;
    const paragraphs = await read(`<div>${'<p>word <span>by</span> word</p>\n'.repeat(count)}</div>`);
    assert.equal(paragraphs.split('\n\n').length, count);
    const table = await read('<table><tr><td colspan=99999999>a<td>b<tr><td>c<td>d</table>');
    assert.ok(table.length < 1_000 && table.includes('| c | d |'));
  });

  test('are read, or refused with a reported fault, whatever the damage', async () => {
    await assertDamageIsTold(
      extractHtml,
      '<meta charset=utf-8><title>T</title><h1>A<p>b <ruby>漢<rt>x</ruby><table><tr><td>1<td>2</table><pre>c</pre>' +
        '<ul><li><input type=checkbox>d<dl><dt>e</dl><select><option>f</select><svg><p>g</svg><math><mi>x</math>',
    );
  });
});

test('HTML is recognised by its types and extensions', () => {
  for (const name of ['a.html', 'a.HTM', 'a.xhtml'])
    assert.equal(importMediaType(name, undefined, false), 'text/html');
  assert.equal(importMediaType('a', 'application/xhtml+xml; charset=utf-8', false), 'text/html');
});

test('HTML is read in a process without permissions', async (t) => {
  const { title, parts } = await extractedInProcess(t, 'text/html', '<title>T</title><h1>Größe</h1>');
  assert.deepEqual([title, parts], ['T', [{ text: '# Größe', place: null }]]);
});
