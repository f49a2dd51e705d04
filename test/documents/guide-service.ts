import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import {
  freePorts,
  printedUrl,
  type ServiceProcess,
  serviceFolder,
  startCommand,
  startMain,
  temporaryFolder,
} from '../support/needs/process.ts';
import { without } from '../support/needs/programs.ts';
import { TEST_MODEL, writeTestModel } from '../support/test-model.ts';
import { startJq } from './jq.ts';
import { type Example, examplesOf, type Page, startBlock } from './page.ts';

/** Why the examples are skipped here, or false. */
export const withoutCurl: string | false = without('curl');

/** The address that the pages give the service. Their commands name it once, where a reader writes another. */
const WRITTEN_ADDRESS = '127.0.0.1:8787';
const NAMED_ADDRESS = `MEMORY_API_PUBLIC_URL=http://${WRITTEN_ADDRESS}`;
/** The password that the pages give the Owner. */
const OWNER_PASSWORD = 'four unrelated words here';
/** What a block prints ends with this and its exit code. */
const END_OF_BLOCK = '\u001e';
/** A page that takes longer hangs, for example in a loop that waits for a job. */
const LONGEST_PAGE_MS = 120_000;

/** What an example printed. */
export interface Printed {
  output: string;
  exitCode: number;
}

/** A service that is started as pages say, in a folder of its own. */
export interface GuideService {
  /** What it printed for the person who started it, with the address of the pages. */
  announced(): string;
  /** Starts the service with the settings of the block `sh start` of a page, unless it runs with them. */
  start(page: Page): Promise<void>;
  /**
   * Runs the examples of a page in bash, in the root of the repository. Standard error is part of the output. In one
   * terminal, they have the functions and variables that the pages before have left.
   */
  run(page: Page): Promise<Printed[]>;
  stop(): Promise<void>;
}

/**
 * Prepares a service, which `start` starts. Instead of the large model, which is not part of the repository, it has a
 * small one that is made on the spot.
 */
export async function openGuideService({ inOneTerminal = false } = {}): Promise<GuideService> {
  const folder = await serviceFolder();
  await writeTestModel(join(folder, '.data', 'models'));
  const [port = 0] = await freePorts(1);
  const jq = await startJq(folder);
  const programs = join(folder, 'programs');
  const home = await temporaryFolder();
  const left = join(folder, 'left.sh');
  const installed = new Set<string>();
  const actualAddress = `127.0.0.1:${port}`;
  const url = `http://${actualAddress}`;
  const asWritten = (text: string) =>
    text.replaceAll(actualAddress, WRITTEN_ADDRESS).replaceAll(TEST_MODEL, 'Xenova/bge-m3');
  let service: ServiceProcess | undefined;
  let runningAs: string | undefined;
  return {
    announced: () =>
      asWritten(service?.stdout.filter((line) => !line.startsWith('{"level"')).join('\n') ?? ''),
    start: async (page) => {
      const started = startBlock(page);
      assert.ok(started, `${page.file} has a block \`sh start\``);
      if (runningAs === page.file) return;
      runningAs = page.file;
      const isFirst = service === undefined;
      await service?.kill9();
      service = startMain('start.ts', {
        cwd: folder,
        env: {
          ...started.env,
          MEMORY_API_PORT: String(port),
          MEMORY_EMBEDDING_MODEL: TEST_MODEL,
          MEMORY_LOG_LEVEL: 'error',
          // To count coverage costs seconds, and other tests run the same code.
          NODE_V8_COVERAGE: '',
        },
      });
      await printedUrl(service);
      if (isFirst) await setOwnerPassword(url, (await service.line(/\/reset#token=(\S+)$/))[1] ?? '');
    },
    stop: async () => {
      jq.stop();
      await service?.kill9();
    },
    run: async (page) => {
      const examples = examplesOf(page);
      const { PATH = '' } = process.env;
      const temporary = await temporaryFolder();
      const script = join(folder, 'examples.sh');
      const blocks = scriptOf(examples, installed);
      const commands = inOneTerminal ? continued(blocks, left) : blocks;
      await writeFile(script, commands.replaceAll(NAMED_ADDRESS, `MEMORY_API_PUBLIC_URL=${url}`));
      const shell = startCommand('bash', [script], {
        env: {
          PATH: [jq.bin, join(programs, 'bin'), PATH].join(delimiter),
          npm_config_prefix: programs,
          HOME: home,
          TMPDIR: temporary,
          // The pages make the address of it, or set another.
          MEMORY_API_PORT: String(port),
          // Hooks wait for a machine with other work.
          MEMORY_HOOK_TIMEOUT_MS: '20000',
          // The terminal client starts often here.
          NODE_COMPILE_CACHE: join(folder, 'compiled'),
          NODE_V8_COVERAGE: '',
        },
      });
      const timer = setTimeout(() => void shell.kill9(), LONGEST_PAGE_MS);
      await shell.exited;
      clearTimeout(timer);
      assert.deepEqual(await readdir(temporary), [], `${page.file} leaves no files behind`);
      const printed = asWritten(shell.stdout.join('\n')).split(END_OF_BLOCK);
      return examples.map((_, index) => {
        // What follows a mark is the exit code of the block before it, and a line break.
        const [exitCode] = (printed[index + 1] ?? '').split('\n', 1);
        assert.ok(exitCode, `bash ended before the end of block ${index + 1}:\n${printed.at(-1)}`);
        const output = printed[index] ?? '';
        return {
          output: index === 0 ? output : output.slice(output.indexOf('\n') + 1),
          exitCode: Number(exitCode),
        };
      });
    },
  };
}

/** What a reader does in the browser with the link that the service prints. */
async function setOwnerPassword(url: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/v1/auth/reset`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, newPassword: OWNER_PASSWORD }),
  });
  assert.equal(answer.status, 200);
}

/**
 * The examples as one script. What they print on standard error is shown to a reader too, so it belongs to the output. A
 * program is installed once, and what npm says of it is shown only if that fails.
 */
function scriptOf(examples: readonly Example[], installed: Set<string>): string {
  const blocks = examples.map(({ commands, installs }) => {
    if (!installs) return commands;
    if (installed.has(commands)) return ':';
    installed.add(commands);
    return `said=$(${commands} 2>&1) || { echo "$said"; false; }`;
  });
  return ['exec 2>&1\n', ...blocks.map((block) => `${block}\nprintf '${END_OF_BLOCK}%d\\n' $?\n`)].join('');
}

/** A script with the functions and variables of the one before it, which are in the file `left`. */
function continued(script: string, left: string): string {
  return `[ ! -e '${left}' ] || . '${left}' 2> /dev/null\n${script}{ declare -p; declare -f; } > '${left}'\n`;
}
