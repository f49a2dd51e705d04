import assert from 'node:assert/strict';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { type Ended, keepSession, openHomes, otherServices, type Person } from './cli.ts';

/** A person who is signed in as the Owner of a Company of their own. */
export interface CliOwner {
  company: SignedIn;
  person: Person;
  /** Runs a command that must succeed, and returns what it printed. */
  text: (...args: string[]) => Promise<string>;
  /** Runs a command with --json that must succeed, and returns its data. */
  data: <Data>(...args: string[]) => Promise<Data>;
}

function printed(ended: Ended): string {
  assert.deepEqual([ended.code, ended.stderr], [0, '']);
  return ended.stdout;
}

/** A session as `login` saves it. */
export const sessionOf = (url: string, token: string, email = 'a@example.com') => ({
  url,
  token,
  email,
  expiresAt: '2030-01-01T00:00:00.000Z',
});

/** Opens the service on a port, with people who use its terminal client. Call it at file level. */
export async function openCli(env: Record<string, string> = {}) {
  const service = await openTestApp(env);
  const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const newPerson = await openHomes();
  /** Makes a Company, and a person with a saved session of its Owner. */
  const owner = async (url = base): Promise<CliOwner> => {
    const [company, person] = [await service.company(), await newPerson()];
    await keepSession(person, sessionOf(url, company.token, company.ownerEmail));
    return {
      company,
      person,
      text: async (...args) => printed(await person.run(args)),
      data: async <Data>(...args: string[]) =>
        JSON.parse(printed(await person.run([...args, '--json']))) as Data,
    };
  };
  return { service, base, newPerson, owner, openOther: otherServices() };
}

/** The cells of the lines of a table. */
export const cells = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
