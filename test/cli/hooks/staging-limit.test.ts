import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { stageSession } from '../../../cli/hooks/staging.ts';
import { listUnstaged, readStagingState } from '../../../cli/hooks/state.ts';
import { column } from '../../support/columns.ts';
import { endProcesses, temporaryFolder } from '../../support/needs/process.ts';
import { otherServices } from '../cli.ts';
import { record } from './staging.ts';

after(endProcesses);

const openOther = otherServices();
const DAY_MS = 24 * 60 * 60_000;

const folder = await temporaryFolder();
process.env['XDG_CONFIG_HOME'] = folder;
process.env['MEMORY_API_TOKEN'] = 'a-token-of-this-test';
const notes = join(folder, 'team-memory', 'hooks', 'unstaged');
const transcriptPath = join(folder, 'transcript.jsonl');
await writeFile(transcriptPath, record('user', 'How long?') + record('assistant', '40 seconds. '.repeat(30)));

const session = (sessionId: string) => ({ sessionId, transcriptPath, cwd: '', prompt: '' });
const noLimit = new AbortController().signal;

describe('staging', () => {
  test('ends at its limit, stores why, and leaves the session to the next hook', async () => {
    const limit = new AbortController();
    // A service that never answers.
    const { url } = await openOther(() => limit.abort());
    const options = { agent: 'codex', url };
    await assert.rejects(stageSession(options, session('late'), true, limit.signal), /staged in time/);
    const { lastError } = await readStagingState('codex');
    assert.equal(lastError?.message, 'the session could not be staged in time');
    assert.deepEqual(column(await listUnstaged(options), 'sessionId'), ['late']);
  });

  test('repeats what an earlier hook could not stage, also after one that fails again, for 30 days', async () => {
    const refuse = (_request: unknown, response: ServerResponse) =>
      void response.writeHead(403).end('{"code":"forbidden"}');
    const { url, asked } = await openOther(refuse);
    const options = { agent: 'codex', url };
    const ids = ['first', 'second'];
    for (const id of ids)
      await assert.rejects(stageSession(options, session(id), true, noLimit), /forbidden/);
    const repeat = async () => {
      asked.length = 0;
      const short = { ...session('short'), transcriptPath: join(folder, 'short.jsonl') };
      await writeFile(short.transcriptPath, '');
      assert.equal(await stageSession(options, short, true, noLimit), 0);
      return ids.filter((id) => asked.some((path) => path.includes(`sessionId=${id}`)));
    };
    const age = async (days: number) => {
      for (const name of await readdir(notes)) {
        const note = JSON.parse(await readFile(join(notes, name), 'utf8')) as { since: number };
        const older = { ...note, since: note.since - days * DAY_MS };
        await writeFile(join(notes, name), JSON.stringify(older));
      }
    };
    await age(29);
    assert.deepEqual(await repeat(), ids);
    await age(2);
    assert.deepEqual(await repeat(), []);
    assert.deepEqual(await listUnstaged(options), []);
  });
});
