import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { execFile } from '../../support/needs/command.ts';
import { runnerEnvironment } from '../../support/runner-environment.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { assertRefused, type Ended, type Person } from '../cli.ts';
import { openCli } from '../cli-person.ts';
import {
  AGENTS,
  commandOf,
  FILES,
  type HooksFile,
  hookInput,
  printedBy,
  readJson,
  runAsAgent,
  userHooks,
} from './hook-runs.ts';

const { service, base, newPerson, owner } = await openCli();

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact', 'SessionEnd'] as const;

describe('hook install', () => {
  for (const agent of AGENTS) {
    test(`makes the file of ${agent} with hooks that work in any folder, and uninstall removes them`, async () => {
      const { company, person, text } = await owner();
      const waits = 'The payment gateway waits 40 seconds before it retries.';
      await company.api.ingestSource({ title: 'Retries', text: waits });
      const path = join(person.home, FILES[agent].user);
      const printed = await text('hook', 'install', agent);
      const content = await readJson(path);
      assert.deepEqual(Object.keys(content.hooks), EVENTS);
      assert.ok(printed.startsWith(`Installed in ${path}, for the Team `), printed);
      for (const event of EVENTS) assert.ok(printed.includes(commandOf(content, event)), printed);
      assert.equal(content.hooks['SessionStart']?.[0]?.matcher, 'startup|clear|compact');
      // Codex warns of more than 3 seconds.
      assert.ok(Number(content.hooks['SessionEnd']?.[0]?.hooks[0]?.timeout) <= (agent === 'codex' ? 3 : 60));
      const input = await hookInput(agent, 'user-prompt-submit');
      const recalled = printedBy(await runAsAgent(person, commandOf(content, 'UserPromptSubmit'), input));
      // The command that the block names shows the chunk.
      const [, readOn = '', chunk = ''] =
        /^To read on: (.+) <passage>[^]*passage ([\w-]+)\)$/m.exec(recalled) ?? [];
      const expanded = await runAsAgent(person, `${readOn} ${chunk}`, '');
      assert.match(printedBy(expanded), /waits 40 seconds/);
      await text('hook', 'uninstall', agent);
      assert.deepEqual(await readJson(path), {});
      assert.equal(await text('hook', 'uninstall', agent), `${path} has no hooks of this program.\n`);
    });

    test(`keeps everything else in the file of ${agent}, and is the same the second time`, async () => {
      const { person, text } = await owner();
      const path = join(person.home, FILES[agent].user);
      const others = {
        model: 'a-model',
        hooks: {
          UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'other hook prompt', timeout: 9 }] }],
          PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'check' }] }],
        },
      };
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, JSON.stringify(others), { mode: 0o640 });
      await text('hook', 'install', agent);
      const once = await readFile(path, 'utf8');
      await text('hook', 'install', agent);
      assert.equal(await readFile(path, 'utf8'), once);
      const { model, hooks } = await readJson<typeof others & HooksFile>(path);
      assert.deepEqual([model, hooks.PreToolUse], [others.model, others.hooks.PreToolUse]);
      assert.deepEqual(hooks.UserPromptSubmit[0], others.hooks.UserPromptSubmit[0]);
      assert.equal(hooks.UserPromptSubmit.length, 2);
      assert.equal((await lstat(path)).mode & 0o777, 0o640);
      await text('hook', 'uninstall', agent);
      assert.deepEqual(await readJson(path), others);
    });
  }

  test('installs in the project of the folder with --project', async () => {
    const { person, text } = await owner();
    await mkdir(join(person.home, 'ledger', '.git'), { recursive: true });
    const atHome = await person.run(['hook', 'install', 'codex', '--project']);
    assertRefused(atHome, /run this in the folder of a project/);
    for (const agent of AGENTS) {
      const path = join(person.home, 'ledger', FILES[agent].project);
      const printed = await runIn(person, 'ledger', ['hook', 'install', agent, '--project']);
      assert.ok(printed.stdout.startsWith(`Installed in ${path}, `), printed.stderr);
      assert.equal((await readJson(path)).hooks['SessionEnd']?.length, 1);
    }
    assert.match(await text('hook', 'uninstall', 'codex'), /has no hooks of this program/);
  });

  test('is refused if the hooks are installed in the other place, and names the command that removes them', async () => {
    const { person } = await owner();
    await mkdir(join(person.home, 'ledger', '.git'), { recursive: true });
    const places = ['--user', '--project'] as const;
    for (const [place, other] of [places, places.toReversed()] as [string, string][]) {
      const install = ['hook', 'install', 'codex', place];
      printedBy(await runIn(person, 'ledger', ['hook', 'install', 'codex', other]));
      const told = `hooks\\.json has these hooks too.+ memory hook uninstall codex ${other}\n`;
      assertRefused(await runIn(person, 'ledger', install), new RegExp(told));
      printedBy(await runIn(person, 'ledger', ['hook', 'uninstall', 'codex', other]));
      printedBy(await runIn(person, 'ledger', install));
      printedBy(await runIn(person, 'ledger', ['hook', 'uninstall', 'codex', place]));
    }
  });

  test('does not follow a symbolic link of a project to a file outside of it', async () => {
    const { person } = await owner();
    const project = join(person.home, 'ledger');
    await mkdir(join(project, '.git'), { recursive: true });
    await mkdir(join(person.home, 'outside'));
    await symlink(join(person.home, 'outside'), join(project, '.codex'));
    await mkdir(join(project, '.claude'));
    const target = join(person.home, 'outside.json');
    await writeFile(target, '{}');
    await symlink(target, join(project, FILES['claude-code'].project));
    for (const agent of AGENTS) {
      for (const command of ['install', 'uninstall']) {
        const ended = await runIn(person, 'ledger', ['hook', command, agent, '--project']);
        assertRefused(ended, /leads out of the project, to .+outside/);
      }
    }
    assert.deepEqual(await readdir(join(person.home, 'outside')), []);
    assert.equal(await readFile(target, 'utf8'), '{}');
  });

  test('writes commands that work without memory on the path, however it was started', async () => {
    const { person } = await owner();
    const program = join(person.home, 'memory');
    await symlink(MAIN, program);
    printedBy(await runIn(person, '.', ['hook', 'install', 'codex'], program));
    const command = commandOf(await userHooks(person, 'codex'), 'SessionStart');
    assert.ok(command.startsWith(`${process.execPath} ${program} hook session-start `), command);
  });

  test('writes the Team and the client into the commands, and neither a token nor a profile without a session', async () => {
    const { company, person } = await owner();
    const clientId = await addClient(service, company);
    const { token } = await addPerson(service, company, { teamRole: 'admin' });
    const install = async (...more: string[]) => {
      const args = ['hook', 'install', 'codex', '--url', base, ...more];
      printedBy(await person.run(args, { env: { MEMORY_API_TOKEN: token } }));
      return userHooks(person, 'codex');
    };
    const named = await install('--client', 'A client');
    for (const event of EVENTS) {
      const command = commandOf(named, event);
      assert.ok(command.includes(` --url ${base} --team ${company.teamId} --client ${clientId}`), command);
      assert.ok(!command.includes(token));
    }
    const all = await install('--client', 'all');
    assert.match(commandOf(all, 'UserPromptSubmit'), / --client all$/);
    assert.deepEqual(Object.keys(all.hooks), ['SessionStart', 'UserPromptSubmit']);
    assert.ok(!commandOf(all, 'UserPromptSubmit').includes('--profile'));
  });

  test('keeps a symbolic link, and leaves a file alone that it does not understand', async () => {
    const { person, text } = await owner();
    const path = join(person.home, FILES.codex.user);
    const target = join(person.home, 'dotfiles.json');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(target, '{}');
    // More than the umask gives to a new file.
    await chmod(target, 0o666);
    await symlink(target, path);
    await text('hook', 'install', 'codex');
    assert.equal((await lstat(target)).mode & 0o777, 0o666);
    assert.ok((await lstat(path)).isSymbolicLink());
    assert.equal((await readJson(target)).hooks['SessionEnd']?.length, 1);
    for (const strange of ['// a comment', '[]', '{"hooks": []}', '{"hooks": {"Stop": {}}}']) {
      await writeFile(target, strange);
      assertRefused(await person.run(['hook', 'install', 'codex']), /hooks\.json was not changed: its? /);
      assert.equal(await readFile(target, 'utf8'), strange);
    }
  });

  test('is refused for another agent, for two places, and without a session', async () => {
    const [{ person }, stranger] = [await owner(), await newPerson()];
    for (const [someone, args, reason] of [
      [person, ['cursor'], /<agent>: expected claude-code or codex/],
      [person, ['codex', '--user', '--project'], /choose --user or --project, not both/],
      [stranger, ['codex'], /you are not signed in/],
    ] as const)
      assertRefused(await someone.run(['hook', 'install', ...args]), reason);
  });
});

/** Runs the terminal client in a folder of a home. */
function runIn(person: Person, folder: string, args: readonly string[], main = MAIN): Promise<Ended> {
  const env = { HOME: person.home, ...runnerEnvironment() };
  return new Promise((resolve) => {
    const cwd = join(person.home, folder);
    execFile(process.execPath, [main, ...args], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe('the plugin of Claude Code', () => {
  const NAME = 'team-memory@team-memory';
  const cases: [string, 'user' | 'local', string, boolean | null, boolean][] = [
    ['is refused next to the plugin of the user', 'user', 'ledger', null, true],
    ['is refused next to the plugin of the project', 'local', 'ledger', true, true],
    ['ignores the plugin of another project', 'local', 'another', null, false],
    ['ignores the plugin that the project has disabled', 'user', 'ledger', false, false],
  ];
  for (const [title, scope, folder, isEnabled, isRefused] of cases) {
    test(`hook install ${title}`, async () => {
      const person = await newPerson();
      const [plugins, project] = [join(person.home, '.claude/plugins'), join(person.home, folder)];
      const installPath = join(plugins, 'cache');
      await mkdir(join(installPath, 'hooks'), { recursive: true });
      await mkdir(join(project, '.claude'), { recursive: true });
      const command = 'memory hook prompt --agent claude-code';
      const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] };
      await writeFile(join(installPath, 'hooks/hooks.json'), JSON.stringify({ hooks }));
      const place = scope === 'local' ? { projectPath: join(person.home, 'ledger') } : {};
      const list = { version: 2, plugins: { [NAME]: [{ scope, ...place, installPath }] } };
      await writeFile(join(plugins, 'installed_plugins.json'), JSON.stringify(list));
      if (isEnabled !== null) {
        const settings = JSON.stringify({ enabledPlugins: { [NAME]: isEnabled } });
        await writeFile(join(project, '.claude/settings.local.json'), settings);
      }
      const ended = await person.run(['hook', 'install', 'claude-code'], { cwd: project });
      assertRefused(ended, isRefused ? /has these hooks too/ : /not signed in/);
    });
  }
});
