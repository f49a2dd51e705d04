import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSeconds } from '../../shared/formats/times.ts';
import { CommandError } from '../terminal/command-error.ts';
import { counted, type Result } from '../terminal/output.ts';
import { invocationFolder } from '../terminal/program.ts';
import { interruptible, openProgressBar, type Step } from '../terminal/progress-bar.ts';

/**
 * The part of the service that moves databases. The terminal client is a client of the API and has no driver of a
 * database, so it is loaded only when it is needed, and only where the service is: its package does not contain it.
 */
const SERVICE_PART = new URL('../../db/move/move-database.ts', import.meta.url);

/** `MoveProgress` of the service. */
interface Progress {
  step: string;
  table: string;
  rows: number;
  of: number;
  share: number;
  secondsLeft: number | null;
}

/** `MoveReport` of the service. */
interface Report {
  tables: { name: string; rows: number; sha256: string }[];
  rows: number;
  filesInBucket: number;
  connections: number;
}

interface ServicePart {
  moveDatabase(
    databases: { from: string; to: string },
    report: (progress: Progress) => void,
  ): Promise<Report>;
}

const grouped = (n: number) => n.toLocaleString('en-US');
const rowCount = (n: number) => `${grouped(n)} ${n === 1 ? 'row' : 'rows'}`;

function describeStep({ step, table, rows, of, share, secondsLeft }: Progress): Step {
  const left = secondsLeft === null ? '' : `, about ${describeSeconds(secondsLeft)} left`;
  return { label: step, share, text: `${table}: ${grouped(rows)} of ${rowCount(of)}${left}` };
}

/** What the operator must know after a move. */
function describe({ tables, rows, filesInBucket, connections }: Report): string {
  const lines = [
    `Moved ${rowCount(rows)} of ${counted(tables.length, 'table')}, verified by counts and SHA-256.`,
    'Start the service on --to with the settings that it had: they are not in the database, MEMORY_API_TOKEN included.',
    '--from is unchanged. Do not start the service on it again: what it writes there is not moved.',
  ];
  if (filesInBucket > 0) {
    lines.push(
      `The bytes of ${counted(filesInBucket, 'file')} stay in the bucket: keep MEMORY_BLOB_STORE as it is. A service on --from ` +
        'would delete objects there that --to needs.',
    );
  }
  if (connections > 0) {
    lines.push(
      `Warning: ${counted(connections, 'connection of a service to --from was', 'connections of a service to --from were')} open. What it has written since the move ` +
        'began was not moved.',
    );
  }
  return lines.join('\n');
}

const isAddress = (given: string) => given.startsWith('postgres:') || given.startsWith('postgresql:');

/** A database as the service takes it: relative folders start where the command was called. */
const absolute = (given: string) =>
  given.includes('://') || isAddress(given) ? given : resolve(invocationFolder(), given);

/**
 * Moves a whole database: the form of the command move with --from.
 * @throws CommandError without the addresses, which are secrets
 */
export async function moveDatabase(
  values: {
    from: string;
    to?: string | undefined;
    memory?: boolean | undefined;
    url?: string | undefined;
    team?: string | undefined;
    profile?: string | undefined;
    json?: boolean | undefined;
  },
  operand: string,
): Promise<Result> {
  const { from, to, memory } = values;
  if (to === undefined || to === '' || from === '') {
    throw new CommandError('--from and --to: name two databases, each by its address or its folder');
  }
  if (operand !== '' || memory === true) {
    throw new CommandError('--from moves a whole database, and cannot be combined with an id or --memory');
  }
  const ofService = (['url', 'team', 'profile'] as const).find((name) => values[name] !== undefined);
  if (ofService !== undefined) {
    throw new CommandError(
      `--from moves a whole database, and sends nothing to a service: leave out --${ofService}`,
    );
  }
  if (!existsSync(fileURLToPath(SERVICE_PART))) {
    throw new CommandError(
      'a database is moved in the folder of the service: run npm run cli -- move --from <database> --to <database> there',
    );
  }
  const service = (await import(SERVICE_PART.href)) as ServicePart;
  const progress = openProgressBar(process.stderr);
  return interruptible(progress, async () => {
    const databases = { from: absolute(from), to: absolute(to) };
    const data = await service
      .moveDatabase(databases, (at) => progress.show(describeStep(at)))
      .catch((error: unknown) => {
        throw error instanceof Error && error.name === 'MoveError' ? new CommandError(error.message) : error;
      });
    return { text: describe(data), data };
  });
}
