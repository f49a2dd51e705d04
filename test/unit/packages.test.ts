import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/root.ts';

const read = <Content>(path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Content;

interface Locked {
  deprecated?: string;
  hasInstallScript?: true;
}

const locked = Object.entries(read<{ packages: Record<string, Locked> }>('package-lock.json').packages).map(
  ([path, about]) => ({ name: path.split('node_modules/').at(-1) ?? '', ...about }),
);

// .npmrc hides the warnings of npm, so these would be seen by nobody.
describe('the installed packages', () => {
  test('are not deprecated', () => {
    const deprecated = locked.filter((each) => each.deprecated !== undefined);
    assert.deepEqual(
      deprecated.map(({ name }) => name),
      [],
    );
  });

  test('have only install scripts that package.json permits or refuses', () => {
    const { allowScripts } = read<{ allowScripts: Record<string, boolean> }>('package.json');
    const withScript = locked.filter(({ hasInstallScript }) => hasInstallScript === true);
    assert.deepEqual(
      [...new Set(withScript.map(({ name }) => name))].sort(),
      Object.keys(allowScripts).sort(),
    );
  });
});
