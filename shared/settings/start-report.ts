import { resolve } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { addressesOf } from '../formats/addresses.ts';
import { describeError } from '../lifecycle.ts';

type Reported = Pick<
  Config,
  'databaseUrl' | 'dataDir' | 'blobStore' | 'serverEmbeddings' | 'embeddingModel' | 'modelDir' | 'publicUrl'
>;

/** Where data is stored: without a user and a password, which an address of a database can have. */
function dataPlace({ databaseUrl, dataDir, blobStore }: Reported): string {
  const files = blobStore === 'database' ? '' : ', and files in the bucket of MEMORY_BLOB_STORE';
  if (databaseUrl === null) return `Data is stored in ${resolve(dataDir)}${files}.`;
  const hosts = (addressesOf(databaseUrl) ?? [])
    .map((address) => new URL(address).host)
    .filter((host) => host !== '');
  const server = hosts.length === 0 ? '' : ` on ${hosts.join(', ')}`;
  return `Data is stored in PostgreSQL${server}${files}.`;
}

/** Whether searches find passages by meaning, or how to turn this on. */
function searchByMeaning({ serverEmbeddings, embeddingModel, modelDir }: Reported): string {
  return serverEmbeddings
    ? `Search by meaning is turned on. The model ${embeddingModel} is loaded from ${resolve(modelDir)}, and downloaded if it is missing there. The log says when it is ready, or why it fails.`
    : 'Search by meaning is off: searches find words and codes. To turn it on, start with MEMORY_API_SERVER_EMBEDDINGS=1. This downloads a model once.';
}

/** Who can sign in as the Owner, and what makes the link that sets the first password. */
export type OwnerAccess =
  | { readonly hasPassword: true }
  | { readonly email: string; readonly url: string; readonly expiresAt: string }
  | { readonly command: string };

function ownerLines(owner: OwnerAccess): string[] {
  if ('hasPassword' in owner) return ['The Owner has a password.'];
  if ('command' in owner) {
    return [
      'The Owner has no password yet. To make a link for it, run this with the MEMORY_API_TOKEN of the service:',
      owner.command,
    ];
  }
  return [
    `To set the password of ${owner.email}, open this link. It works once, until ${owner.expiresAt}:`,
    owner.url,
  ];
}

/**
 * What a start prints for the person who made it, line by line: where the service listens, where the console is, how the Owner
 * gets in, where data is stored, and whether searches go by meaning.
 * @param localUrl where the service listens
 */
export function startReport(config: Reported, localUrl: string, owner: OwnerAccess): string[] {
  return [
    `Team memory listens on ${localUrl}`,
    `The console, for browsers: ${config.publicUrl ?? localUrl}/`,
    ...ownerLines(owner),
    dataPlace(config),
    searchByMeaning(config),
    'Ctrl-C stops the service.',
  ];
}

/** What a check has found. */
export interface CheckResult {
  /** What was checked, in a word or two. */
  name: string;
  state: 'ok' | 'warning' | 'failed';
  /** What was found; if it failed, what is wrong and what to do. One line, without secrets. */
  text: string;
}

/** Checks of a part of the service, one after the other. They change nothing. */
export type SetupChecks = (config: Config) => AsyncIterable<CheckResult>;

const OPTION = '--check';

/**
 * Whether the arguments of a command ask it only to check what the service needs.
 * @throws Error for every other argument, because a service that was started by mistake could migrate a database
 */
export function asksForCheck(args: readonly string[]): boolean {
  const unknown = args.find((each) => each !== OPTION);
  if (unknown !== undefined)
    throw new Error(`the argument ${unknown} is not known; the only one is ${OPTION}`);
  return args.length > 0;
}

/** Runs a check, which returns what it has found. An error of it is its result. */
export async function checkPart(name: string, check: () => Promise<string>): Promise<CheckResult> {
  try {
    return { name, state: 'ok', text: await check() };
  } catch (error) {
    return { name, state: 'failed', text: describeError(error) };
  }
}

/** The result of reading the settings. The configuration is null if they are not valid. */
function checkSettings(read: () => Config): { config: Config | null; results: CheckResult[] } {
  const name = 'settings';
  try {
    const config = read();
    const warnings = config.warnings.map((text): CheckResult => ({ name, state: 'warning', text }));
    return { config, results: [...warnings, { name, state: 'ok', text: 'all are valid' }] };
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults : [describeError(error)];
    return { config: null, results: faults.map((text) => ({ name, state: 'failed', text })) };
  }
}

/**
 * Checks the settings and then the parts of the service, and prints a line for each check.
 * @param read reads the settings
 * @returns whether the service can start: no check has failed
 */
export async function checkSetup(read: () => Config, parts: readonly SetupChecks[]): Promise<boolean> {
  const { config, results } = checkSettings(read);
  let hasFailed = config === null;
  const print = ({ name, state, text }: CheckResult) => {
    hasFailed ||= state === 'failed';
    process.stdout.write(`${state.padEnd(8)} ${name.padEnd(12)} ${text}\n`);
  };
  for (const result of results) print(result);
  if (config === null) return false;
  for (const part of parts) for await (const result of part(config)) print(result);
  return !hasFailed;
}
