import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SETTINGS } from '../../shared/settings/definitions.ts';
import { exampleOf, type Setting, variablesOf } from '../../shared/settings/setting.ts';
import { CLIENT_VARIABLES } from '../../shared/settings/unknown-variables.ts';
import { ROOT } from '../support/root.ts';

const SETTING_LIST = Object.values<Setting>(SETTINGS);
const VARIABLES = new Set(SETTING_LIST.flatMap(variablesOf));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('the settings of the service', () => {
  it('have a default that is a valid value, whatever it depends on', () => {
    for (const { variable, type, default: given } of SETTING_LIST) {
      const small = { hasDatabaseUrl: false, memoryMegabytes: 64, cores: 1 };
      const large = { hasDatabaseUrl: true, memoryMegabytes: 1e6, cores: 64 };
      for (const surroundings of [small, large]) {
        const value = typeof given === 'function' ? given(surroundings) : given;
        if (value !== null) assert.notEqual(type.parse(String(value)), null, variable);
      }
    }
  });

  it('have an example that they accept, for the line about an invalid value', () => {
    for (const setting of SETTING_LIST) {
      // That of a secret is a command which makes one.
      const example = exampleOf(setting).replace('"$(openssl rand -hex 32)"', 'a'.repeat(64));
      assert.notEqual(example, '');
      assert.notEqual(setting.type.parse(example), null, setting.variable);
    }
  });

  it('have no default if they are secret', () => {
    const secrets = SETTING_LIST.filter(({ isSecret }) => isSecret);
    assert.ok(secrets.length > 0);
    for (const secret of secrets) assert.equal(secret.default, null, secret.variable);
  });

  it('have a variable of their own, and a description of one line', () => {
    assert.equal(VARIABLES.size, SETTING_LIST.flatMap(variablesOf).length);
    for (const { variable, description } of SETTING_LIST) assert.match(description, /^\S.*\.$/, variable);
  });

  it('are, with those of the terminal client, the only variables that documents, the image and the compose file name', () => {
    const files = globSync(['README.md', 'Dockerfile', 'docker-compose.yml', 'docs/**/*.md'], { cwd: ROOT });
    assert.ok(files.length > 10);
    const known = new Set<string>([...VARIABLES, ...CLIENT_VARIABLES]);
    const unknown = files.flatMap((file) =>
      [...read(file).matchAll(/\bMEMORY_[A-Z_]*[A-Z]\b/g)]
        .map(([variable]) => variable)
        .filter((variable) => !known.has(variable) && !variable.startsWith('MEMORY_TEST_'))
        .map((variable) => `${file}: ${variable}`),
    );
    assert.deepEqual(unknown, []);
  });
});
