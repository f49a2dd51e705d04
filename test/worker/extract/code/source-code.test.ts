import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fieldsNow, prepareChunksNow } from '../../../../shared/text/prepared-chunks.ts';
import { cutCode } from '../../../../worker/extract/code/outline.ts';
import { extractSourceCode, extractXml, extractYaml } from '../../../../worker/extract/code/source-code.ts';
import { styleOf } from '../../../../worker/extract/code/styles.ts';
import { prepareDocument } from '../../../../worker/extract/document.ts';
import { extractPlainText } from '../../../../worker/extract/plain-text.ts';
import { assertDamageIsTold, extracted, faultOf } from '../extraction.ts';

const cut = (name: string, text: string) => cutCode(text, styleOf(name));
const headingsOf = (name: string, text: string) => cut(name, text).map(({ headings }) => headings ?? []);

/** Lines that are too long for one passage together. */
const long = (indent: string) =>
  Array.from({ length: 60 }, (_, n) => `${indent}call_${n}(a, "words that fill the body")`).join('\n');

/** The headings of the parts of files whose functions are too long to share a part, by their names. */
const CASES: Readonly<Record<string, readonly [text: string, headings: readonly (readonly string[])[]]>> = {
  'pump.py': [
    `"""Pumps.\n\ndef not_code():\n"""\nimport os\n\n\n@decorated(\n    x=1,\n)\nclass Pump(Device):\n    """A pump."""\n\n    # Starts.\n    async def start(self):\n${long('        ')}\n\n    def stop(\n        self,\n    ) -> None:\n        pass\n\nif __name__ == "__main__":\n    start()\n`,
    [['class Pump', 'async def start'], ['class Pump', 'def stop'], []],
  ],
  'Pump.java': [
    `package acme;\n\n/**\n * A pump.\n */\n@Table(\n    name = "x"\n)\npublic class Pump extends Device {\n    @Override\n    public int start(int a,\n                     int b) {\n${long('        ')}\n    }\n\n    private void stop() {\n    }\n}\n`,
    [
      ['public class Pump extends Device', 'public int start'],
      ['public class Pump extends Device', 'private void stop'],
    ],
  ],
  'pump.ts': [
    `import x from 'x';\n\nexport class Pump {\n  #start(a: number): void {\n${long('    ')}\n  }\n}\n\n/** Stops. */\nexport const stop = async (a: number) => {\n${long('  ')}\n};\n`,
    [['export class Pump', '#start'], ['export const stop']],
  ],
  'pump.go': [
    `package main\n\n// Starts.\nfunc (p *Pump) Start(a int) error {\n${long('\t')}\n}\n`,
    [['func (p *Pump) Start']],
  ],
  'pump.rs': [
    `use x;\n\n#[derive(Debug)]\nimpl<T: Clone> Device for Pump<T> {\n    fn start(&self) -> u8 {\n${long('        ')}\n    }\n}\n`,
    [['impl<T: Clone> Device for Pump<T>', 'fn start']],
  ],
  'pump.c': [
    `#include <x.h>\n\nstatic int\nstart(struct pump *p)\n{\n${long('    ')}\n#ifdef X\n    y();\n#endif\n}\n\nint main(void)\n{\n${long('    ')}\n}\n`,
    [['start'], ['int main']],
  ],
  'pump.cs': [
    `namespace Acme\n{\n    public class Pump\n    {\n        public async Task<int> StartAsync(int a)\n        {\n${long('            ')}\n        }\n    }\n}\n`,
    [['namespace Acme', 'public class Pump', 'public async Task<int> StartAsync']],
  ],
  'pump.rb': [
    `module Acme\n  class Pump\n    def start(a)\n${long('      ')}\n    end\n  end\nend\n`,
    [['module Acme', 'class Pump', 'def start']],
  ],
  'pump.sql': [
    `create or replace function acme.start(p int) returns int as $$\nbegin\n${long('  ')}\ncreate table inner_one;\nend $$ language plpgsql;\n\ncreate table other (\n${long('  ')}\n);\n`,
    [['create or replace function acme.start'], ['create table other']],
  ],
  'pump.yaml': [
    `services:\n- name: web\n  env: |\n${long('    ')}\n- name: db\n`,
    [
      ['services', 'name: web', 'env'],
      ['services', 'name: db'],
    ],
  ],
  'pump.ini': [`; main\n[main]\n${long('').replaceAll('(', '=(')}\n\n[other]\na=1\n`, [['main'], ['other']]],
  'pump.css': [`.a,\n.b {\n${long('  ')}\n}\n\n.c {\n  color: red;\n}\n`, [['.b'], ['.c']]],
  'pump.diff': [
    `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ f\n${long('+')}\ndiff --git a/y b/y\n`,
    [['diff --git a/x b/x', '@@ -1 +1 @@ f'], ['diff --git a/y b/y']],
  ],
  Makefile: [`CC = gcc\n\nall: a b\n${long('\t')}\n\nclean:\n\trm x\n`, [['all'], ['clean']]],
  'pump.lua': [
    `function M.start(a)\n${long('  ')}\nend\n\nlocal function stop()\nend\n`,
    [['function M.start'], ['local function stop']],
  ],
};

describe('source code', () => {
  for (const [name, [text, headings]] of Object.entries(CASES)) {
    test(`of ${name} is cut at its functions and other blocks, with what is above them`, () => {
      assert.deepEqual(headingsOf(name, text), headings);
    });
  }

  test('keeps comments, decorators and the first line of a class with what follows them', () => {
    const [first, second] = cut('pump.py', CASES['pump.py']?.[0] ?? '');
    assert.match(first?.text ?? '', /\n@decorated\(\n {4}x=1,\n\)\nclass Pump/);
    assert.match(second?.text ?? '', /^ {4}def stop/);
  });

  test('has several short functions in one part, without the name of one of them', () => {
    const [part, ...others] = cut('a.ts', 'function a() {\n  b();\n}\n\nfunction c() {\n  d();\n}\n');
    assert.equal(part?.headings, undefined);
    assert.equal(part?.text, 'function a() {\n  b();\n}\n\nfunction c() {\n  d();\n}');
    assert.equal(others.length, 0);
  });

  test('is stored as it is written: comments are no headings, and no line is lost', async () => {
    const text = '# a comment\nTitle = 1\n=======\n```\nx\n';
    const { parts } = await extracted(extractSourceCode, text.replaceAll('\n', '\r\n'), 'a.py');
    const chunks = prepareChunksNow('team', { parts, fields: fieldsNow('a.py') });
    assert.deepEqual(
      chunks.map((chunk) => ({ text: chunk.text, headings: chunk.place.headings })),
      [{ text: text.trimEnd(), headings: undefined }],
    );
  });

  test('shows in every passage of a long function what it is in', async () => {
    const { parts } = await extracted(extractSourceCode, CASES['pump.py']?.[0] ?? '', 'src/pump.py');
    const chunks = prepareChunksNow('team', { parts, fields: fieldsNow('a.py') });
    const inStart = chunks.filter(({ text }) => text.includes('call_'));
    assert.ok(inStart.length > 1);
    for (const { place, text } of inStart) {
      assert.deepEqual(place.headings, ['class Pump', 'async def start']);
      assert.match(text, /"\)$/, 'ends with a line');
    }
  });

  test('is read as source code if it is declared as plain text', async () => {
    const { parts } = await extracted(extractPlainText, '# comment\n', 'src/a.py');
    assert.equal(parts[0]?.isCode, true);
    const plain = await extracted(extractPlainText, '# Heading\n', 'a.txt');
    assert.equal(plain.parts[0]?.isCode, undefined);
  });

  test('has no credential in its headings', () => {
    const key = `AKIA${'Q3EGRIYBXA2MZLPT'}`;
    const text = `def start_${key}(a):\n${long('    ')}\n`;
    const extraction = { title: null, parts: cut('a.py', text) };
    const document = prepareDocument(extraction, 'team', fieldsNow('a.py'), 'redact');
    assert.ok(document.chunks.length > 1);
    assert.ok(!JSON.stringify(document.chunks).includes(key));
    assert.ok(document.redactions.some(({ path }) => path === '/headings'));
  });

  test('is named in YAML and XML by the format, whatever the name of the file', async () => {
    const yaml = await extracted(extractYaml, CASES['pump.yaml']?.[0] ?? '', 'config');
    assert.deepEqual(yaml.parts[0]?.headings, ['services', 'name: web', 'env']);
    const rows = long('    ').replaceAll('(', '<b/>');
    const xml = await extracted(
      extractXml,
      `<?xml version="1.0"?>\n<a>\n  <b id="1">\n${rows}\n  </b>\n</a>`,
    );
    assert.deepEqual(xml.parts[0]?.headings, ['a', 'b id="1"']);
  });

  test('of XML is decoded as it declares', async () => {
    const content = Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>\n<a>Prüfung</a>', 'latin1');
    assert.match((await extracted(extractXml, content)).parts[0]?.text ?? '', /Prüfung/);
  });

  test('of a patch has no colours of a terminal', async () => {
    const { parts } = await extracted(
      extractSourceCode,
      '\u001b[1m--- a\u001b[m\n\u001b[32m+b\u001b[m\n',
      'a.diff',
    );
    assert.equal(parts[0]?.text, '--- a\n+b');
  });

  test('that is binary is refused', async () => {
    assert.equal((await faultOf(extractSourceCode, Buffer.from('int\0main'))).code, 'not_text');
  });

  test('that is empty has no text', async () => {
    assert.deepEqual((await extracted(extractSourceCode, ' \n\n', 'a.py')).parts, [
      { text: '', place: null },
    ]);
  });

  test('that is damaged is read, or its fault is told', () =>
    assertDamageIsTold(extractSourceCode, CASES['pump.ts']?.[0] ?? ''));

  test('keeps all lines of any file, in order', () => {
    const line = fc.tuple(
      fc.nat(5),
      fc.constantFrom(
        'class A {',
        'def b():',
        '}',
        'end',
        '',
        '',
        '# c',
        '/* d',
        '*/',
        '"""',
        '@e',
        'f(g) {',
        'const h = 1;',
        '- i: j',
        'k: l',
        '[m]',
        '$$',
        '{',
        ')',
        `const n = "${'n'.repeat(900)}"`,
      ),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 120 }),
        fc.constantFrom(...Object.keys(CASES)),
        (lines, name) => {
          const text = lines.map(([depth, head]) => `${'  '.repeat(depth)}${head}`).join('\n');
          const filled = (whole: string) =>
            whole
              .split('\n')
              .map((each) => each.trimEnd())
              .filter((each) => each !== '');
          const parts = cut(name, text);
          assert.deepEqual(filled(parts.map((part) => part.text).join('\n')), filled(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('that is nested very deeply, or has one very long line, is cut in few steps', () => {
    const deep = Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}class A {`).join('\n');
    for (const { headings = [] } of cut('a.ts', deep)) assert.ok(headings.length <= 8);
    assert.equal(cut('a.js', `function a(){${'b();'.repeat(500_000)}}`).length, 1);
  });
});
