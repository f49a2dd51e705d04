import { PROGRAMS, type ProgramName } from '../needs/programs.ts';
import { NO_RETRIEVAL_SET } from '../retrieval-set.ts';

/*
 * What `npm run test:rest` sets up before it runs: programs of Debian, and PostgreSQL. For each part that cannot be set
 * up it prints a line, and the tests of that part are skipped. Where CI is set, no part can be skipped.
 */

/** What is missing on a machine, and how it is set up there. */
export interface Machine {
  missingPrograms: () => ProgramName[];
  /** Installs packages of Debian. Null where it cannot: it requires root, and apt-get. */
  install: ((packages: readonly string[]) => Promise<unknown>) | null;
  /** Starts PostgreSQL, and returns its address. */
  startServer: () => Promise<string>;
  /** Whether the questions for the tests of ranking are there. */
  hasRetrievalSet: boolean;
  /** Whether what is missing is a failure. */
  isCi: boolean;
}

export interface SetUp {
  /** The address of PostgreSQL for the tests, or null if it cannot be started. */
  server: string | null;
  /** What is skipped and how to get it, a line for each. */
  skipped: string[];
  /** Whether nothing is missing that cannot be skipped. */
  isComplete: boolean;
}

/** The last line that a command printed on its standard error, or its own message. */
function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string };
  return stderr.trim().split('\n').at(-1) || message;
}

/** Sets up what is missing and can be set up. */
export async function setUp(machine: Machine): Promise<SetUp> {
  const wanted = machine.missingPrograms().map((name) => PROGRAMS[name].package);
  let reason = 'as root on Debian, npm run test:rest installs it';
  if (wanted.length > 0 && machine.install !== null) {
    await machine.install(wanted).catch((error: unknown) => {
      reason = reasonOf(error);
    });
  }
  const skipped = machine
    .missingPrograms()
    .map((name) => PROGRAMS[name])
    .map(
      ({ file, package: name, tests }) => `${tests}: ${file} is missing: apt-get install ${name} (${reason})`,
    );
  const server = await machine.startServer().catch((error: unknown) => {
    skipped.push(`tests on PostgreSQL: ${reasonOf(error)}`);
    return null;
  });
  const isComplete = skipped.length === 0 || !machine.isCi;
  // The questions are no package: they can be skipped anywhere.
  if (!machine.hasRetrievalSet) skipped.push(`tests of ranking: ${NO_RETRIEVAL_SET}`);
  return { server, skipped, isComplete };
}
