import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../../../worker/extract/html.ts';
import { cutText } from '../../support/cut-text.ts';
import { extracted, testFaults, testTexts, textOf } from './extraction.ts';

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
    const text = `# Pumps

One bold word.

## Parts and tools

- seal
  - inner
- rotor

3. open
4. close

> Quoted

\`\`\`js
if (a) {
  # b
}
\`\`\`

Run \`npm ci\`

- Term

  Meaning`;
    assert.deepEqual([title, parts], ['The handbook', [{ text, place: null }]]);
    assert.deepEqual(cutText(text).at(-1)?.headings, ['Pumps', 'Parts and tools']);
  });

  testTexts(extractHtml, {
    'keeps tables, with the first row as the header if none is named': [
      '<table><caption>Prices</caption><tr><td>Part</td><td>Cost|net</td></tr>' +
        '<tr><td><p>Seal</p><p>small</p></td><td><ul><li>4</li><li>5</li></ul></td></tr></table>',
      'Prices\n\n| Part | Cost\\|net |\n| - | - |\n| Seal small | 4 5 |',
    ],
    'ignores tables that only arrange the page': [
      '<table><tr><td><h2>News</h2><p>First</p></td><td><table><tr><td>a</td><td>b</td></tr>' +
        '<tr><td>c</td><td>d</td></tr></table></td></tr></table><table><tr><td><p>One</p><p>Two</p></table>',
      '## News\n\nFirst\n\n| a | b |\n| - | - |\n| c | d |\n\nOne\n\nTwo',
    ],
    'keeps tables within paragraphs, as in pages without a doctype': [
      '<p>Above<table><tr><td>a<td>b</table>',
      'Above\n\n| a | b |\n| - | - |',
    ],
  });
});

describe('the text of an HTML page', () => {
  testTexts(extractHtml, {
    'is what a reader sees: no scripts, styles, comments, pictures or addresses': [
      `<head><style>.hidden{}</style><script>secret()</script></head><body><!-- remark --><template>later</template>
       <noscript>turn it on</noscript><script>secret()</script><a href="https://example.org/x">a link</a>
       <img src="data:image/png;base64,AAAA" alt="a pump"><iframe src="https://example.org"></iframe></body>`,
      'a link a pump',
    ],
    'is unchanged, without marks inside words': [
      '<p>w<b>or</b>d, <i>foo:</i>bar, snake_case_name, [1] *x* a&lt;b C:\\_x &amp;amp; un&shy;broken',
      'word, foo:bar, snake_case_name, [1] *x* a<b C:\\_x &amp; unbroken',
    ],
    'is separated by blocks without text': [
      '<div>one<hr>two<div></div>three<p><img src=x></p>four <div hidden>x</div>five<nav></nav> six<script></script>teen</div>',
      'one\ntwo\nthree\nfour\nfive\nsixteen',
    ],
    'the links of headings to themselves are left out, and other links with a sign are not': [
      '<h2>Fees<a class="headerlink" href="#fees">¶</a></h2><dl><dt>pay<a href="#p">#</a><dd>See <a href="#f">§</a> 4</dl>' +
        '<h3><a href="#n">#</a> <a href="#n">No. 5</a></h3>',
      '## Fees\n\n- pay\n\n  See § 4\n\n### No. 5',
    ],
    'a formula that KaTeX wrote twice is read once': [
      '<p>so <span class="katex"><span class="katex-mathml"><math><msup><mi>r</mi><mn>2</mn></msup></math></span>' +
        '<span class="katex-html" aria-hidden="true"><span>r</span><span>2</span></span></span> is',
      'so r^2 is',
    ],
    'marks numbers of notes, and powers and fractions of formulas': [
      '<p>valve<a epub:type="noteref" href="#n">1</a> pump<a role="doc-noteref" href="#m">2</a> ' +
        '<math><msup><mi>r</mi><mn>2</mn></msup><mo>=</mo><mfrac><mi>a</mi><mi>b</mi></mfrac></math>',
      'valve^1 pump^2 r^2=a/b',
    ],
    'separates links that follow each other': [
      '<nav><a href=x>Pump manual</a><a href=y>Valve manual</a></nav>',
      'Pump manual Valve manual',
    ],
    'has no text for browsers that cannot show a film or drawing': [
      '<p>one <video src=v>no film</video><canvas>no drawing</canvas><object data=d>no object</object><object>two</object>',
      'one two',
    ],
    'marks powers and struck-out text': [
      '<p>10<sup>6</sup> and the 1<sup>st</sup>, <del>old</del> new',
      '10^6 and the 1st, ~~old~~ new',
    ],
    'has no space at a line break in Chinese, and no readings between characters': [
      '<p>北京\n大学 और\nहिन्दी</p><p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby></p><p dir=rtl>مرحبا',
      '北京大学 और हिन्दी\n\n漢字\n\nمرحبا',
    ],
  });

  test('never begins a heading or code block that the page does not have', async () => {
    const html = '<p># one</p><p>two<br>===<br>```<br>three</p><p>----</p><h2>Real</h2><p>text</p>';
    const headings = cutText(await textOf(extractHtml, html)).map((piece) => piece.headings);
    assert.deepEqual(headings, [[], ['Real']]);
  });
});

describe('the encoding of an HTML page', () => {
  const older = '<meta http-equiv="Content-Type" content="text/html; charset=gb2312"><p>';
  testTexts(extractHtml, {
    'comes from the default, UTF-8': ['<p>Größe 水', 'Größe 水'],
    'comes from the byte order mark before the declaration': [
      Buffer.from('\ufeff<meta charset="utf-8"><p>Größe', 'utf16le'),
      'Größe',
    ],
    'comes from the meta element': [
      Buffer.from('<meta charset="iso-8859-1"><p>Gr\xf6\xdfe', 'latin1'),
      'Größe',
    ],
    'comes from the older form of the meta element': [
      Buffer.from(`${older}\xc4\xe3\xba\xc3`, 'latin1'),
      '你好',
    ],
    'comes from the XML declaration': [
      Buffer.from('<?xml version="1.0" encoding="windows-1252"?><html><p>\x80 5</p></html>', 'latin1'),
      '€ 5',
    ],
  });

  testFaults(extractHtml, {
    'is reported if none makes text of the page': [
      'invalid_encoding',
      ['<p>x\x81y', '<meta charset="shift_jis"><p>x\x81'].map((html) => Buffer.from(html, 'latin1')),
    ],
    'is not looked for in binary data': ['not_text', [Buffer.from('504b03040000ff', 'hex')]],
  });
});

describe('invalid HTML pages', () => {
  const body = '<head><title/><script src="x"/></head><body><h1 id="a"/><div/><p>text<br/>more</p></body>';
  testTexts(extractHtml, {
    'are read as far as possible: open tags, wrong nesting': [
      '<h1>Open<p>text <b>bold <i>both</b> more',
      '# Open text bold both more',
    ],
    'are read without markup': ['only text &amp; more', 'only text & more'],
    'are read as XHTML if they are XML: empty elements have no content': [
      `<?xml version="1.0"?><html>${body}</html>`,
      'text\nmore',
    ],
    'are read as XHTML if they declare it': [
      `<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">${body}</html>`,
      'text\nmore',
    ],
    'are read if they are long': [
      `<div>${'<p>word <span>by</span> word</p>\n'.repeat(3_000)}</div>`,
      /^(?:word by word\n\n){2999}word by word$/,
    ],
    'are read if a cell spans too many columns': [
      '<table><tr><td colspan=99999999>a<td>b<tr><td>c<td>d</table>',
      /^(?=[^]*\| c \| d \|)[^]{1,999}$/,
    ],
  });

  testFaults(extractHtml, {
    'fail if they are nested too deeply': [
      'too_deep',
      ['div', 'b', 'table><tr><td', 'ul><li', 'blockquote'].map((tag) => `<${tag}>`.repeat(20_000)),
    ],
  });

  test('have no title if it is blank', async () => {
    assert.equal((await extracted(extractHtml, '<title>  </title>x')).title, null);
  });

  test('can have very many elements without text, such as the lines of a drawing', async () => {
    for (const element of ['<wbr>', '<x-y></x-y>']) {
      assert.equal(await textOf(extractHtml, `<p>a${element.repeat(50_000)}b`), 'ab');
    }
    assert.equal(await textOf(extractHtml, `<p>a<svg>${'<path/>'.repeat(50_000)}</svg>b`), 'ab');
  });
});
