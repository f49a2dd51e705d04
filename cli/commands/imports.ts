import { resolve } from 'node:path';
import { IMPORT_FORMAT_NAMES } from '../../shared/formats/media-types.ts';
import { MAX_TAG_LENGTH, MAX_TAGS, normalizeTag } from '../../shared/formats/names.ts';
import { Status } from '../../shared/schemas/status.ts';
import { withRetry } from '../client/service-client.ts';
import { findOptionalClient, signedInToTeam } from '../client/signed-in.ts';
import { type FolderContent, importRecords, readEarlier, readFolder } from '../import/records.ts';
import { encodingLines, outcomeTable, similarLines, summary, unreadLines } from '../import/report.ts';
import { NO_WORKER, type Run, sendNew, type Target, waitForImports } from '../import/run.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS, type Values } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { counted, countedOf, outputWidth, type Result } from '../terminal/output.ts';
import { invocationFolder } from '../terminal/program.ts';
import { interruptible, openProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import {
  EXPIRES_OPTION,
  OCCURRED_OPTION,
  parseExpiryOption,
  parseOccurredOption,
} from '../terminal/times.ts';

const options = {
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'name or id of a client of that Team; default: the Team layer',
  },
  tag: {
    type: 'string',
    multiple: true,
    value: 'tag',
    help: 'tag of the sources of the files that are sent; can be repeated',
  },
  occurred: {
    ...OCCURRED_OPTION,
    help: `${OCCURRED_OPTION.help}; default: the date that a file itself contains`,
  },
  expires: EXPIRES_OPTION,
  'retry-failed': { type: 'boolean', help: 'retry the files that failed in an earlier run' },
  'dry-run': { type: 'boolean', help: 'only print what would be sent' },
  'no-wait': { type: 'boolean', help: 'do not wait until the worker has read the files' },
  ...TEAM_OPTIONS,
} as const;

type Given = Values<typeof options>;

/** Refuses tags here that the service would refuse with each file. */
function parseTagOptions(given: readonly string[]): string[] {
  const tags = [...new Set(given.map(normalizeTag))];
  const isTag = (tag: string) => tag !== '' && Array.from(tag).length <= MAX_TAG_LENGTH;
  if (tags.length <= MAX_TAGS && tags.every(isTag)) return tags;
  throw new CommandError(`--tag accepts up to ${MAX_TAGS} tags of 1 to ${MAX_TAG_LENGTH} characters`);
}

/** Reads the earlier imports from the service. Nothing is sent before that. */
async function openRun(
  target: Target,
  content: FolderContent,
  values: Given,
  progress: ProgressBar,
): Promise<Run> {
  // This is the first request, so it also shows whether the caller can use the Team.
  const { health } = await target.service.get('/v1/memory/status', Status);
  if (!health.worker) progress.line(NO_WORKER);
  return {
    target,
    findEarlier: await readEarlier(target.records, (read) =>
      progress.show({ label: 'looking', share: 0, text: counted(read, 'earlier import') }),
    ),
    retryFailed: values['retry-failed'] === true,
    dryRun: values['dry-run'] === true,
    progress,
    outcomes: content.unreadable.map(({ name, why }) => ({ name, state: 'not sent', why })),
    open: new Map(),
  };
}

/** The files that were not imported, with the reasons, and the line of figures. */
function report({ outcomes, open }: Run, { files, unreadable, leftOut }: FolderContent): Result {
  for (const name of open.values()) outcomes.push({ name, state: 'waiting' });
  const rows = outcomeTable(outcomes, outputWidth());
  const notes = [...similarLines(outcomes), ...encodingLines(outcomes), ...unreadLines(outcomes)];
  const figures = summary(outcomes, files.length + unreadable.length, leftOut);
  return {
    text: [...(rows.length === 0 ? [] : ['', ...rows, '']), ...notes, figures].join('\n'),
    data: { files: outcomes, notReached: files.length + unreadable.length - outcomes.length, leftOut },
  };
}

/** The error of a run that did not import all files; undefined if it did. */
function missingError({ outcomes }: Run): CommandError | undefined {
  const missing = outcomes.filter(({ state }) => state === 'failed' || state === 'not sent');
  if (missing.length === 0) return undefined;
  const hint = missing.some((outcome) => 'earlier' in outcome)
    ? ' (--retry-failed retries files that failed before)'
    : '';
  return new CommandError(
    `${countedOf(missing.length, outcomes.length, 'file was', 'files were')} not imported${hint}`,
  );
}

export const importFolder: Command<typeof options> = {
  section: 'memory',
  summary: 'import the files of a folder, and list those that failed',
  about: `Imports the files of a folder, at any depth, and lists the files that failed, with the reasons. A second run
sends only files that are new or have changed. Hidden files and folders, node_modules and symbolic links are left out.

Formats: ${IMPORT_FORMAT_NAMES}.`,
  options,
  notes: `Ctrl-C stops the command at once. Files that were sent stay imported, and the next run continues with the
others. The exit code is 1 if a file was not imported, except for files of types that cannot be imported.

${CREDENTIAL_NOTE}`,
  operand: { name: 'folder', completes: 'folder' },
  async run(values, operand) {
    const tags = parseTagOptions(values.tag ?? []);
    const occurredAt = parseOccurredOption(values.occurred);
    const expiresAt = parseExpiryOption(values.expires);
    const content = await readFolder(resolve(invocationFolder(), operand));
    const progress = openProgressBar(values.json === true ? process.stderr : process.stdout);
    const { service: asked } = await signedInToTeam(values);
    const service = withRetry(asked, (text) => progress.note(text));
    const clientId = await findOptionalClient(service, values.client);
    const records = importRecords(service, clientId);
    const target = { service, clientId, tags, occurredAt, expiresAt, records };
    return interruptible(progress, async () => {
      const run = await openRun(target, content, values, progress);
      const wait = values['no-wait'] !== true && !run.dryRun;
      // If sending fails, the files that were sent so far are still reported.
      const failure = await sendNew(run, content.files)
        .then(() => (wait ? waitForImports(run) : null))
        .then(() => undefined)
        .catch((error: unknown) => error);
      progress.end();
      return { ...report(run, content), failure: failure ?? missingError(run) };
    });
  },
};
