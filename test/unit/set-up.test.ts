import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProgramName } from '../support/needs/programs.ts';
import { type Machine, setUp } from '../support/runner/set-up.ts';

/** A machine that lacks these programs. Where packages can be installed, it has all of them afterwards. */
function machineWithout(missing: readonly ProgramName[], options: Partial<Machine> = {}) {
  const installed: string[][] = [];
  let left = missing;
  const machine: Machine = {
    missingPrograms: () => [...left],
    install: async (packages) => {
      installed.push([...packages]);
      left = [];
    },
    startServer: async () => 'postgres://server',
    hasRetrievalSet: true,
    isCi: false,
    ...options,
  };
  return { machine, installed };
}

/** As an error of a command looks. */
const failure = (stderr: string) => Object.assign(new Error('Command failed'), { stderr });

describe('the set-up of npm run test:rest', () => {
  it('installs what is missing at once, and starts PostgreSQL', async () => {
    const { machine, installed } = machineWithout(['chromium', 'ps']);
    assert.deepEqual(await setUp(machine), { server: 'postgres://server', skipped: [], isComplete: true });
    await setUp(machine);
    assert.deepEqual(installed, [['chromium', 'procps']], 'the second time nothing is missing');
  });

  it('says in one line for each part what is skipped and how to get it', async () => {
    const { machine } = machineWithout(['chromium', 'curl'], {
      install: null,
      startServer: () => Promise.reject(failure('postgres: reading\npostgres: needs root, for chroot\n')),
      hasRetrievalSet: false,
    });
    const { server, skipped, isComplete } = await setUp(machine);
    assert.deepEqual([server, isComplete, skipped.length], [null, true, 4]);
    const asRoot = '(as root on Debian, npm run test:rest installs it)';
    assert.deepEqual(skipped.slice(0, 3), [
      `tests of pages in a browser: /usr/bin/chromium is missing: apt-get install chromium ${asRoot}`,
      `examples of the documents: curl is missing: apt-get install curl ${asRoot}`,
      'tests on PostgreSQL: postgres: needs root, for chroot',
    ]);
    assert.match(skipped[3] ?? '', /^tests of ranking: MEMORY_TEST_XQUAD_R names no folder/);
  });

  it('is not complete without a part where CI is set, except without the questions of ranking', async () => {
    const startServer = () => Promise.reject(failure('postgres: needs root'));
    const without: Partial<Machine>[] = [{ install: null }, { startServer }, { hasRetrievalSet: false }];
    const complete = await Promise.all(
      without.map(async (options) => {
        const { machine } = machineWithout(['curl'], { ...options, isCi: true });
        return (await setUp(machine)).isComplete;
      }),
    );
    assert.deepEqual(complete, [false, false, true]);
  });
});
