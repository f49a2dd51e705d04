import { join } from 'node:path';
import type { Dependencies } from '../../core/dependencies.ts';
import type { SignedIn, TestApp } from '../support/app.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import type { Passing } from './between.ts';
import { type Ended, openHomes, type Person } from './cli.ts';
import { writeFolder } from './folder.ts';

/** Whether a request sends files. */
export function isSending({ method, path }: Passing): boolean {
  return method === 'POST' && path === '/v1/memory/imports';
}

/** The names of the files that a request sends. */
export function sentNames({ body }: Passing): string[] {
  return (body as { items: { filename: string }[] }).items.map(({ filename }) => filename);
}

/** A service at which no worker takes what is sent, and people who send it a folder. */
interface Senders {
  service: TestApp & Dependencies;
  base: string;
  newPerson: () => Promise<Person>;
  /** A person with these files in a folder `docs`, and who they sign in as. */
  personWith: (files: Record<string, string>) => Promise<{ company: SignedIn; person: Person }>;
  /** Sends the folder `docs`, without waiting for a worker. */
  send: (person: Person, caller: Pick<SignedIn, 'token'>, url?: string) => Promise<Ended>;
}

/** Opens the service on a database of its own, without a worker. Call it at file level. */
export async function openSenders(): Promise<Senders> {
  const service = await openOwnTestApp();
  const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const newPerson = await openHomes();
  return {
    service,
    base,
    newPerson,
    personWith: async (files) => {
      const [company, person] = [await service.company(), await newPerson()];
      await writeFolder(join(person.home, 'docs'), files);
      return { company, person };
    },
    send: ({ run }, { token }, url = base) =>
      run(['import', 'docs', '--no-wait', '--url', url], { env: { MEMORY_API_TOKEN: token } }),
  };
}
