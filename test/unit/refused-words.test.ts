import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wordsIn } from '../support/refused-words.ts';

describe('the check of the words of the glossary', () => {
  const refused: [file: string, source: string, line: number][] = [
    ['a.md', 'Text.\n\nA search returns chunks.', 3],
    ['a.md', '```mermaid\nw --> d: chunks\n```\n', 2],
    ['a.md', '```sh\nrun\n```\nSee [each chunk](page.md).', 4],
    ['a.md', 'The API clients make them.', 1],
    ['a.ts', "\nthrow new Error('names a chunk of another source');", 2],
    ['a.ts', "const text: string = counted(n, 'chunk');", 1],
    ['a.ts', 'const text = `Stored.\n${n} chunks`;', 2],
    ['a.js', 'html`<progress aria-label="Chunks with a vector" />`', 1],
    ['a.html', '<h2>Chunks</h2>', 1],
    ['a.json', '"description": "Chunks without a vector"', 1],
  ];
  for (const [file, source, line] of refused)
    it(`refuses the word in ${file}: ${JSON.stringify(source)}`, () => {
      assert.match(wordsIn(file, source).join('\n'), new RegExp(`^${file}:${line}: `));
    });

  const allowed: [file: string, source: string][] = [
    ['a.md', 'The field `chunks` has the passages. See [them](#the-chunks).'],
    [
      'a.md',
      '```json\n{ "chunks": 1 }\n```\n\n<!-- chunks -->\nThe job embed.chunks. The clients of the Team.',
    ],
    ['a.md', '  ```sh\n  echo chunks\n  ```\n'],
    ['a.ts', "// A chunk.\nconst chunks = { chunk: 'chunks', path: '/v1/chunks/first and more' };"],
    ['a.ts', "const description = '`chunk` is the id of a passage';"],
    ['a.js', 'html`<input name="chunks" data-chunk=${id} />`'],
    ['a.yml', 'expr: f(queue!~"embed[.]chunks|graphs[.]build") of memory_pending_chunks'],
  ];
  for (const [file, source] of allowed)
    it(`allows the name in ${file}: ${JSON.stringify(source)}`, () => {
      assert.deepEqual(wordsIn(file, source), []);
    });
});
