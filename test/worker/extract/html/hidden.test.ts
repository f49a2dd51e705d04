import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml, htmlToMarkdown } from '../../../../worker/extract/html.ts';
import { extracted, testFaults, textOf } from '../extraction.ts';

const HIDDEN = [{ kind: 'part', names: ['hidden text'], reason: 'left_out' }];
const article = '<p>The pump is sent back within fourteen days after it was delivered.</p>';
const text = 'The pump is sent back within fourteen days after it was delivered.';

describe('hidden text of an HTML page', () => {
  const hidden: Readonly<Record<string, string>> = {
    'by the attribute': '<p hidden>secret</p><ul hidden=""><li>secret</ul>',
    'by its style':
      '<p style="color:red; DISPLAY : none !important">secret</p><p style="visibility:hidden">secret',
    'by the style of Word': '<p class=MsoNormal><span style="font-size:9pt;mso-hide:all">secret</span></p>',
    'by its place':
      '<h1 style="position:absolute;left:-9999px">secret</h1><p style="position:fixed; clip:rect(0 0 0 0)">secret',
    'as the preview of a mail':
      '<div style="font-size:0;line-height:0;max-height:0;opacity:0;overflow:hidden">secret</div>',
    'by its opacity or height': '<p style="opacity:0.0">secret<p style="overflow:hidden;height:0px">secret',
    'for screen readers': '<p><span class="sr-only">secret</span></p><p class="x screen-reader-text">secret',
    'in a dialog or popover that is closed': '<dialog>secret</dialog><div popover>secret</div>',
    'by a class':
      '<style>/* .a{} */ .x, .y { display: none } p.z#q{visibility:hidden}</style><p class="a y">secret<p class=z id=q>secret',
    'by an id in a layer':
      '<style>@media screen{#x{display:none}} @layer a{.b{display:none}}</style><p id=x>secret<p class=b>secret',
    'by the name of an element': '<style>x-note{display:none}</style><x-note>secret</x-note>',
    'by a rule that wins':
      '<style>p{display:block} .x{display:none!important} #y.x{display:block}</style><p id=y class=x>secret',
    'by a rule that comes last': '<style>.y{display:block}.x{display:none}</style><p class="x y">secret',
    'by a rule, although one for another state shows it':
      '<style>.x{display:none}.x:hover,.open .x{display:block}</style><p class=x>secret',
  };
  for (const [how, html] of Object.entries(hidden)) {
    test(`is left out and named if it is hidden ${how}`, async () => {
      const { parts, unread } = await extracted(extractHtml, `${html}<div>${article}</div>`);
      assert.deepEqual([parts[0]?.text, unread], [text, HIDDEN]);
    });
  }

  const shown: Readonly<Record<string, string>> = {
    'that can be opened': '<details><summary>shown</summary>shown</details>',
    'that is found by searching': '<div hidden="until-found">shown</div>',
    'in an open dialog of an article': '<style>dialog{display:block}</style><p>shown',
    'of icons': '<p aria-hidden=true>shown',
    'that a rule for another state hides': '<style>p:hover{display:none} p[x]{display:none}</style><p>shown',
    'that a rule for elements in others hides':
      '<style>.a .b{display:none} .a>p{display:none}</style><div class=a><p class=b>shown</div>',
    'that a rule for printing hides':
      '<style>@media print{p{display:none}}</style><style media=print>p{display:none}</style><p>shown',
    'that a rule hides on some screens': '<style>@media (max-width:600px){p{display:none}}</style><p>shown',
    'that a rule shows on some screens': String.raw`<style>.hidden{display:none}@media (min-width:1px){.md\:block{display:block}}</style><p class="hidden md:block">shown`,
    'that a stronger rule shows':
      '<style>.x{display:none}.a .x{display:block}</style><div class=a><p class=x>shown</div>',
    'that a rule makes clear, as before an animation':
      '<style>.x{opacity:0}.y{max-height:0;overflow:hidden}</style><p class="x y">shown',
    'in an element whose font size its parts change':
      '<p style="font-size:0"><span style="font-size:9pt">shown</span>',
    'that its own style shows': '<style>.x{display:none}</style><p class=x style="display:block">shown',
    'with a pseudo-element that is hidden': '<style>p::before{display:none}</style><p>shown',
  };
  for (const [what, html] of Object.entries(shown)) {
    test(`is not text ${what}`, async () => {
      const { parts, unread } = await extracted(extractHtml, `${html}${article}`);
      assert.match(parts[0]?.text ?? '', /shown/);
      assert.equal(unread, undefined);
    });
  }

  test('is not named if it has no words', async () => {
    const html = `<style>.x{display:none}</style><p hidden> – </p><div class=x><script>secret()</script></div>${article}`;
    assert.equal((await extracted(extractHtml, html)).unread, undefined);
  });

  test('is not what a script hides until the page is complete', async () => {
    const html = `<html style="visibility:hidden"><style>body{display:none}.all{display:none}</style><body style="display:none"><div class=all style="opacity:0">${article}</div>`;
    assert.equal(await textOf(extractHtml, html), text);
  });

  test('is left out of mails and books too', () => {
    assert.equal(htmlToMarkdown('<div style="display:none;max-height:0">preview</div><p>Hello'), 'Hello');
  });
});

describe('style sheets of a hostile page', () => {
  const readsAll = async (css: string, html = '<p class=a>text') =>
    assert.equal(await textOf(extractHtml, `<style>${css}</style>${html}`), 'text');

  test('are read if they are damaged', async () => {
    for (const css of [
      'a{',
      '}}}',
      '/*',
      '@media',
      '.{display:none}',
      ';;{;',
      '@x{display:none',
      '{display:none}',
      ',,,{display:none}',
    ]) {
      await readsAll(css);
    }
  });

  test('are read in time if they have many rules, blocks, comments or classes', async () => {
    await readsAll('.a{display:flex}'.repeat(30_000));
    await readsAll('.a{'.repeat(50_000));
    await readsAll('@media x{'.repeat(30_000));
    await readsAll('/*'.repeat(20_000));
    await readsAll(`${'.a,'.repeat(50_000)}.b{display:block}`);
    await readsAll(`p{${'display:block;'.repeat(20_000)}}`);
    const rules = Array.from({ length: 5_000 }, (_, index) => `.a.b${index}{display:none}`).join('');
    const classes = Array.from({ length: 5_000 }, (_, index) => `b${index}`).join(' ');
    const html = `<p class="${classes}"></p>${'<i class="a"></i>'.repeat(5_000)}text`;
    await readsAll(rules, html);
  });

  test('hide nothing more after very many comparisons, which would take minutes', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `k${index}`);
    const rules = names.map((name) => `${'.b'.repeat(95)}.${name}{display:block}`.repeat(50)).join('');
    const page = (elements: number) =>
      `<style>.h{display:none}${rules}</style>${`<p class="b ${names.join(' ')}">pump</p>`.repeat(elements)}<p class=h>last`;
    assert.doesNotMatch(await textOf(extractHtml, page(10)), /last/);
    assert.match(await textOf(extractHtml, page(100)), /last/);
  });

  testFaults(extractHtml, {
    'end in their fault if the page is nested too deeply': [
      'too_deep',
      [`<style>.a{display:none}</style>${'<div class=b>'.repeat(20_000)}`],
    ],
  });
});
