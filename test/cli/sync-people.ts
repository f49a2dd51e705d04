import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type ServiceClient } from '../../cli/client/service-client.ts';
import { readRemote } from '../../cli/sync/remote.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import { openTestApp, type SignedIn, type TestApp } from '../support/app.ts';
import { type ServiceProcess, startCommand } from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';
import { openTestFolder, type TestFolder } from '../unit/sync/sync-folders.ts';
import { type Ended, openHomes, type Person } from './cli.ts';
import { writeFolder } from './folder.ts';

type Caller = Pick<SignedIn, 'token'>;

/** Someone with a folder `ours`, for the command line. */
type SyncPerson = Person & { ours: TestFolder };

/** A service, and people who keep folders in step with it. */
interface SyncPeople {
  service: TestApp & Dependencies;
  base: string;
  /** The service as someone reaches it, without the command line around it. */
  reached: (caller: Caller, teamId: string) => ServiceClient;
  /** A person with these files in a folder `ours`. */
  personWith: (
    company: Pick<SignedIn, 'teamId'>,
    files?: Record<string, string | Buffer>,
  ) => Promise<SyncPerson>;
  /** Runs the command on the folder `ours`. */
  sync: (person: Person, caller: Caller, ...args: string[]) => Promise<Ended>;
  /** Starts it, to be ended by the test. */
  start: (person: Person, caller: Caller, url: string, ...args: string[]) => ServiceProcess;
  /** The live paths that the service has, in order. */
  pathsThere: (company: SignedIn) => Promise<string[]>;
}

/** Opens the service on a port. Call it at file level. */
export async function openSyncPeople(): Promise<SyncPeople> {
  const service = await openTestApp();
  const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const newPerson = await openHomes();
  const reached = ({ token }: Caller, teamId: string) =>
    connect(base, { token, source: 'MEMORY_API_TOKEN' }, teamId);
  return {
    service,
    base,
    reached,
    personWith: async ({ teamId }, files = {}) => {
      const person = await newPerson();
      const folder = join(person.home, 'ours');
      await mkdir(folder);
      await writeFolder(folder, files);
      return { ...person, ours: openTestFolder(folder, 'Someone', { url: base, teamId }) };
    },
    sync: ({ run }, { token }, ...args) =>
      run(['sync', 'ours', '--url', base, ...args], { env: { MEMORY_API_TOKEN: token } }),
    start: ({ home }, { token }, url, ...args) =>
      startCommand(process.execPath, [join(ROOT, 'cli', 'main.ts'), 'sync', 'ours', '--url', url, ...args], {
        cwd: home,
        env: { HOME: home, MEMORY_API_TOKEN: token },
      }),
    pathsThere: async (company) => {
      const nothing = { revision: null, scopes: [], files: new Map() };
      const { files } = await readRemote(reached(company, company.teamId), nothing, true, () => {});
      return [...files.keys()].sort();
    },
  };
}
