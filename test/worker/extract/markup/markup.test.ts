import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Extractor } from '../../../../worker/extract/extraction.ts';
import { extractAsciidoc } from '../../../../worker/extract/markup/asciidoc.ts';
import { extractOrg } from '../../../../worker/extract/markup/org.ts';
import { extractRestructuredText } from '../../../../worker/extract/markup/restructured-text.ts';
import { extractTex } from '../../../../worker/extract/markup/tex.ts';
import { extracted, testTexts } from '../extraction.ts';

const assertHead = async (extract: Extractor, content: string, head: [string | null, string | null]) => {
  const { title, date = null } = await extracted(extract, content);
  assert.deepEqual([title, date], head);
};

describe('reStructuredText', () => {
  testTexts(extractRestructuredText, {
    'has its headings, with levels in the order of their signs': [
      '==========\n The Guide\n==========\n\nInstall\n=======\nText\n\nDetails\n-------\n\nMore\n====\n',
      '# The Guide\n\n## Install\n\nText\n\n### Details\n\n## More',
    ],
    'keeps tables, rules and code, in which nothing is a heading': [
      '====  ====\na     b\n====  ====\n1     2\n====  ====\n\nRun::\n\n    # x\n\n# y\n\n-----\n\nEnd',
      '====  ====\na     b\n====  ====\n1     2\n====  ====\n\nRun::\n\n    # x\n\n\\# y\n\n\\-----\n\nEnd',
    ],
    'has no comments': [
      'A\n\n.. hidden\n   hidden\n\n   hidden\n\nB\n\n..\n   hidden\n\n.. note:: C\n.. _d: http://d\n.. [1] E\n.. |f| replace:: G\n\n..\n\n   H\n\nRun::\n\n   .. code\n',
      'A\n\n\nB\n\n\n.. note:: C\n.. _d: http://d\n.. [1] E\n.. |f| replace:: G\n\n\n\n   H\n\nRun::\n\n   .. code',
    ],
    'shows the text of roles': ['See :ref:`the part <parts>` and :doc:`index`.', 'See the part and index.'],
  });

  test('tells its title and its day', async () => {
    await assertHead(extractRestructuredText, 'Guide\n=====\n\n:Date: 2024-05-03\n\nA\n-\n', [
      'Guide',
      '2024-05-03',
    ]);
    await assertHead(extractRestructuredText, 'Text\n', [null, null]);
  });
});

describe('AsciiDoc', () => {
  testTexts(extractAsciidoc, {
    'has its headings, without comments and settings': [
      '= Guide\nAnn <ann@example.com>\n:toc:\n\nText <<parts,the parts>>.\n\n// hidden\n== Parts\n////\nhidden\n////\n=== Screws ===\n* a\n',
      '# Guide\n\nAnn <ann@example.com>\n\nText the parts.\n\n## Parts\n\n### Screws\n\n* a',
    ],
    'has code in which nothing is a heading': [
      '[source,sh]\n----\n== no heading\n// x\n# y\n----\n\n....\n= z\n....\n',
      '[source,sh]\n```\n== no heading\n// x\n# y\n```\n\n```\n= z\n```',
    ],
    'can have headings of two lines': ['Guide\n=====\n\nParts\n-----\nText\n', '# Guide\n\n## Parts\n\nText'],
  });

  test('tells its title and its day', async () => {
    await assertHead(extractAsciidoc, '= Guide\nAnn\nv1.0, 2024-05-03\n\n= B\n2024-06-01', [
      'Guide',
      '2024-05-03',
    ]);
    await assertHead(extractAsciidoc, '= Guide\n:revdate: 2024-05-03\n', ['Guide', '2024-05-03']);
    await assertHead(extractAsciidoc, 'Text\n\n2024-06-01', [null, null]);
  });
});

describe('Org', () => {
  testTexts(extractOrg, {
    'has its headings and tables, without properties, comments and settings': [
      '#+TITLE: Notes\n#+OPTIONS: toc:nil\n* TODO Call\n:PROPERTIES:\n:ID: x\n:END:\n# hidden\nSee [[https://x.example][the site]], [[file:a.org]].\n** Parts\n| a | b |\n|---+---|\n| 1 | 2 |\n',
      '# Notes\n\n## TODO Call\n\nSee the site, file:a.org.\n\n### Parts\n\n| a | b |\n|---|---|\n| 1 | 2 |',
    ],
    'has code in which nothing is a heading': [
      '#+BEGIN_SRC python\n# x\n* y\n#+END_SRC\n#+begin_quote\nz\n#+end_quote\n',
      '```python\n# x\n* y\n```\nz',
    ],
  });

  test('tells its title and its day', () =>
    assertHead(extractOrg, '#+title: Notes\n#+DATE: <2024-05-03 Fri>\n', ['Notes', '2024-05-03']));
});

describe('TeX', () => {
  testTexts(extractTex, {
    'has its sections, without comments': [
      '\\section[short]{The {\\bf pump}}\\label{sec:a} Text % hidden\n% hidden\n50\\% of it\n\\subsection*{Parts}\n# y',
      '## The pump\n\nText\n50\\% of it\n\n### Parts\n\n\\# y',
    ],
    'keeps a heading that its line does not close': ['\\section{The\npump}', '\\section{The\npump}'],
  });

  test('tells its title and its day', () =>
    assertHead(extractTex, '\\title{The \\textbf{pump}}\n\\date{2024-05-03}\n', ['The pump', '2024-05-03']));
});
