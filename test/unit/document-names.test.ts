import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../support/root.ts';

const filesOf = (...patterns: string[]) => patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** A file or a folder of the repository, written as code. A folder can end with a slash. */
const PATH = /`((?:\.ci|api|bench|cli|core|db|docs|shared|test|web|worker)\/[\w./-]+)`/g;
/** A file in a command. */
const FILE_IN_COMMAND = /(?<![\w./-])((?:\.ci|docs|test|worker)\/[\w./-]+\.(?:ts|sh))\b/g;
/** Names that stand for any file. */
const EXAMPLES = ['db/migrations/NNNN-name.sql'];

/** A part of a line that is written as code. */
const CODE = /`([^`\n]+)`/g;
/** A function, a variable or a type: a name with a capital letter within it. */
const NAME = /\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b/g;

const pathsIn = (text: string) =>
  [...text.matchAll(PATH), ...text.matchAll(FILE_IN_COMMAND)].map(([, path = '']) => path);
const namesIn = (text: string) =>
  [...text.matchAll(CODE)].flatMap(([, code = '']) => [...code.matchAll(NAME)].map(([name]) => name));

describe('the files and folders that documents name', () => {
  for (const page of filesOf('*.md', 'docs/**/*.md')) {
    it(`${page} names only files that exist`, () => {
      const missing = pathsIn(read(page)).filter(
        (path) => !EXAMPLES.includes(path) && !existsSync(join(ROOT, path)),
      );
      assert.deepEqual(missing, []);
    });
  }

  it('are found by this test', () => assert.ok(pathsIn(read('docs/architecture.md')).length > 5));
});

describe('the functions, types and fields that documents for contributors name', () => {
  const code = filesOf('{api,bench,cli,core,db,shared,test,worker,web/src}/**/*.{ts,tsx}', '*.json')
    .map(read)
    .join('\n');
  const known = new Set(code.match(/\w+/g));

  for (const page of filesOf('docs/architecture.md', 'docs/{contributing,decisions}/*.md')) {
    it(`${page} names only what is in the code`, () => {
      assert.deepEqual(
        namesIn(read(page)).filter((name) => !known.has(name)),
        [],
      );
    });
  }

  it('are found by this test', () =>
    assert.ok(namesIn(read('docs/contributing/add-a-route.md')).includes('runCommand')));
});
