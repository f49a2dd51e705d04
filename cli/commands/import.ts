import { resolve } from 'node:path';
import { IMPORT_FORMAT_NAMES } from '../../shared/formats/import-formats.ts';
import { MAX_TAG_LENGTH, MAX_TAGS, normalizeTag } from '../../shared/formats/tags.ts';
import { Status } from '../../shared/schemas/status.ts';
import { withRetry } from '../client/retry.ts';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';
import { signedIn } from '../client/signed-in.ts';
import type { Target } from '../import/batch.ts';
import { type FolderContent, readFolder } from '../import/folder-files.ts';
import { importRecords, readEarlier } from '../import/records.ts';
import { outcomeTable, summary } from '../import/report.ts';
import { type Run, sendNew } from '../import/run.ts';
import { NO_WORKER, waitForImports } from '../import/wait-for-imports.ts';
import { CommandError } from '../terminal/command-error.ts';
import { interruptible } from '../terminal/interruptible.ts';
import { invocationFolder } from '../terminal/invocation-folder.ts';
import { openProgressBar, type ProgressBar, terminalColumns } from '../terminal/progress-bar.ts';
import { type Command, CREDENTIAL_HELP, URL_HELP, type Values } from './command.ts';

const help = `Imports the files of a folder, at any depth, and lists the files that failed, with the reasons. A second run sends
only files that are new or have changed. Hidden files and folders, node_modules and symbolic links are left out.

Formats: ${IMPORT_FORMAT_NAMES}.

Usage: npm run cli -- import <folder> [options]

  --team <id>        Team to import into; required if you have access to several
  --client <id>      client of that Team; default: the Team layer
  --tag <tag>        tag of the sources of the files that are sent; can be repeated
  --retry-failed     retry the files that failed in an earlier run
  --dry-run          only print what would be sent
  --no-wait          do not wait until the worker has read the files
${URL_HELP}

Ctrl-C stops the command at once. Files that were sent stay imported, and the next run continues with the others.
The exit code is 1 if a file was not imported, except for files of types that cannot be imported.

${CREDENTIAL_HELP}`;

const options = {
  team: { type: 'string' },
  client: { type: 'string' },
  tag: { type: 'string', multiple: true },
  'retry-failed': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'no-wait': { type: 'boolean' },
} as const;

type Given = Values<typeof options>;

/** Refuses tags here that the service would refuse with each file. */
function parseTagOptions(given: readonly string[]): string[] {
  const tags = [...new Set(given.map(normalizeTag))];
  const isTag = (tag: string) => tag !== '' && Array.from(tag).length <= MAX_TAG_LENGTH;
  if (tags.length <= MAX_TAGS && tags.every(isTag)) return tags;
  throw new CommandError(`--tag accepts up to ${MAX_TAGS} tags of 1 to ${MAX_TAG_LENGTH} characters`);
}

/** Whether a worker is running. This is the first request, so it also shows whether the caller can use the Team. */
async function hasWorker(service: ServiceClient): Promise<boolean> {
  try {
    return (await service.get('/v1/memory/status', Status)).health.worker;
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || error.code !== 'team_required') throw error;
    throw new CommandError(
      'you have access to several Teams: choose one with --team (whoami lists their ids)',
    );
  }
}

/** Reads the earlier imports from the service. Nothing is sent before that. */
async function openRun(
  target: Target,
  content: FolderContent,
  values: Given,
  progress: ProgressBar,
): Promise<Run> {
  if (!(await hasWorker(target.service))) progress.line(NO_WORKER);
  return {
    target,
    findEarlier: await readEarlier(target.records, (read) =>
      progress.show({ label: 'looking', share: 0, text: `${read} earlier imports` }),
    ),
    retryFailed: values['retry-failed'] === true,
    dryRun: values['dry-run'] === true,
    progress,
    outcomes: content.unreadable.map(({ name, why }) => ({ name, state: 'not sent', why })),
    open: new Map(),
  };
}

/** Prints the files that were not imported, with the reasons, and returns the line of figures. */
function report({ outcomes, open }: Run, { files, unreadable, leftOut }: FolderContent): string {
  for (const name of open.values()) outcomes.push({ name, state: 'waiting' });
  const table = outcomeTable(outcomes, process.stdout.isTTY ? terminalColumns(process.stdout) : null);
  if (table.length > 0) process.stdout.write(`\n${table.join('\n')}\n\n`);
  return summary(outcomes, files.length + unreadable.length, leftOut);
}

/** The error of a run that did not import all files; null if it did. */
function missingError({ outcomes }: Run): CommandError | null {
  const missing = outcomes.filter(({ state }) => state === 'failed' || state === 'not sent');
  if (missing.length === 0) return null;
  const hint = missing.some((outcome) => 'earlier' in outcome)
    ? ' (--retry-failed retries files that failed before)'
    : '';
  return new CommandError(`${missing.length} of ${outcomes.length} files were not imported${hint}`);
}

export const importFolder: Command<typeof options> = {
  summary: 'import the files of a folder, and list those that failed',
  help,
  options,
  operand: 'folder',
  async run(values, operand) {
    const tags = parseTagOptions(values.tag ?? []);
    const content = await readFolder(resolve(invocationFolder(), operand));
    const progress = openProgressBar(process.stdout);
    const { service: asked } = await signedIn(values.url, values.team);
    const service = withRetry(asked, (text) => progress.note(text));
    const clientId = values.client?.toLowerCase();
    const target = { service, clientId, tags, records: importRecords(service, clientId) };
    return interruptible(progress, async () => {
      const run = await openRun(target, content, values, progress);
      const wait = values['no-wait'] !== true && !run.dryRun;
      // If sending fails, the files that were sent so far are still reported.
      const failure = await sendNew(run, content.files)
        .then(() => (wait ? waitForImports(run) : null))
        .then(() => null)
        .catch((error: unknown) => error);
      progress.end();
      const figures = report(run, content);
      const missing = missingError(run);
      if (failure === null && missing === null) return figures;
      process.stdout.write(`${figures}\n`);
      throw failure ?? missing;
    });
  },
};
