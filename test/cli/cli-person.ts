import assert from 'node:assert/strict';
import type { SignedIn, TestApp } from '../support/app.ts';
import { type Ended, keepSession, type Person } from './cli.ts';

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

/** Makes a Company, and a person with a saved session of its Owner, as `login` saves it. */
export async function signedInOwner(
  service: Pick<TestApp, 'company'>,
  base: string,
  newPerson: () => Promise<Person>,
): Promise<CliOwner> {
  const [company, person] = [await service.company(), await newPerson()];
  const { token, ownerEmail: email } = company;
  await keepSession(person, { url: base, token, email, expiresAt: '2030-01-01T00:00:00.000Z' });
  return {
    company,
    person,
    text: async (...args) => printed(await person.run(args)),
    data: async <Data>(...args: string[]) =>
      JSON.parse(printed(await person.run([...args, '--json']))) as Data,
  };
}
