import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { constants, copyFile, link, mkdtemp, open as openPath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import { IMPORT_FORMATS, type ImportMediaType } from '../../../shared/formats/media-types.ts';
import { safeFileName } from '../../../shared/formats/names.ts';
import { IngestResponse, type Original, SourceText } from '../../../shared/schemas/sources.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { setting } from '../../client/settings.ts';
import { findOptionalClient, signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { counted, credentialsNote } from '../../terminal/output.ts';
import { invocationFolder } from '../../terminal/program.ts';
import { readInputText } from '../../terminal/prompt.ts';
import {
  EXPIRES_OPTION,
  OCCURRED_OPTION,
  parseExpiryOption,
  parseOccurredOption,
} from '../../terminal/times.ts';

/** Enough time to send a large text over a slow connection. */
const UPLOAD_TIMEOUT_MS = 300_000;

const ingestOptions = {
  title: {
    type: 'string',
    value: 'title',
    help: 'title of the source; default: the name of the file. Required for standard input',
  },
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'name or id of a client of that Team; default: the Team layer',
  },
  uri: { type: 'string', value: 'uri', help: 'where the text comes from, such as its web address' },
  'external-id': {
    type: 'string',
    value: 'id',
    help: 'your own name for the source: a later ingest with the same one replaces its text',
  },
  tag: { type: 'string', multiple: true, value: 'tag', help: 'tag of the source; can be repeated' },
  occurred: OCCURRED_OPTION,
  expires: EXPIRES_OPTION,
  ...TEAM_OPTIONS,
} as const;

export const ingest: Command<typeof ingestOptions> = {
  section: 'memory',
  summary: 'store a text from a file or from standard input',
  about: `Stores a text as a source, which searches find at once. The text comes from a file, or from standard input if
no file is named or the file is -. Files in other formats than text are read by import.`,
  options: ingestOptions,
  operand: { name: 'file', isOptional: true, completes: 'file' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const { filename, text } = await readInputText(operand);
    const title = values.title ?? filename;
    if (title === null) throw new CommandError('--title: required for a text from standard input');
    const occurredAt = parseOccurredOption(values.occurred);
    const expiresAt = parseExpiryOption(values.expires);
    const { service } = await signedInToTeam(values);
    const clientId = await findOptionalClient(service, values.client);
    const answer = await service.post(
      '/v1/memory/ingest',
      IngestResponse,
      {
        title,
        text,
        uri: values.uri,
        externalId: values['external-id'],
        tags: values.tag,
        occurredAt,
        expiresAt,
        ...(clientId === undefined ? {} : { scope: { clientId } }),
      },
      { timeoutMs: UPLOAD_TIMEOUT_MS },
    );
    const { source, chunks, duplicate } = answer;
    const what = `${oneLine(source.title)} (${source.id})`;
    const stored = duplicate
      ? `Already stored as ${what}.`
      : `Stored ${what} in ${counted(chunks, 'passage')}.`;
    const similar = answer.similarSources.map(
      ({ sourceId, title, similarity }) =>
        `  ${Math.round(similarity * 100)} %  ${oneLine(title)} (${sourceId})`,
    );
    const lines = similar.length === 0 ? [] : ['These sources have nearly the same text:', ...similar];
    return { text: [stored, ...lines].join('\n') + credentialsNote(answer.redactions), data: answer };
  },
};

/** The original of a source, and the name to save it under. */
export interface FoundOriginal extends Original {
  sourceId: string;
  filename: string;
}

/**
 * Finds the original of a source.
 * @throws CommandError if the source has no original
 */
async function findOriginal(service: ServiceClient, sourceId: string): Promise<FoundOriginal> {
  const path = `/v1/memory/sources/${encodeURIComponent(sourceId)}`;
  const { id, title, metadata, original } = await service.get(`${path}?limit=1`, SourceText);
  if (original === null) {
    throw new CommandError(
      'this source has no original: it was not imported, was archived, or its file was not kept',
    );
  }
  const { filename } = metadata;
  return {
    ...original,
    sourceId: id,
    filename: safeFileName(typeof filename === 'string' ? filename : title),
  };
}

/**
 * The path to save a file at: `to`, or in it if it is a folder.
 * @param folder where relative paths start
 */
async function targetPath(folder: string, to: string | undefined, filename: string): Promise<string> {
  if (to === undefined) return join(folder, filename);
  const path = resolve(folder, to);
  const isFolder =
    to.endsWith('/') || to.endsWith(sep) || (await stat(path).catch(() => null))?.isDirectory() === true;
  return isFolder ? join(path, filename) : path;
}

/**
 * Downloads an original. The file is written under another name and then renamed, so it is never incomplete.
 * @param options `replaces`: whether to replace a file of that name
 * @throws CommandError if the file exists, cannot be written, or is not what the service has
 */
async function saveOriginal(
  service: ServiceClient,
  { sourceId, sha256, bytes }: FoundOriginal,
  target: string,
  { replaces }: { replaces: boolean },
): Promise<void> {
  // First, so that nothing is downloaded in vain. The file can still appear later.
  if (!replaces && (await stat(target).catch(() => null)) !== null) throw existsError(target);
  const temporary = join(dirname(target), `.${randomBytes(8).toString('hex')}.part`);
  try {
    const file = await openPath(temporary, 'wx').catch(fileError(target));
    try {
      const hash = createHash('sha256');
      let received = 0;
      await service.download(`/v1/memory/sources/${sourceId}/original`, async (piece) => {
        hash.update(piece);
        received += piece.length;
        await file.writeFile(piece).catch(fileError(target));
      });
      if (received !== bytes || hash.digest('hex') !== sha256) {
        throw new CommandError('the file that arrived is not the one that the service has: try again');
      }
      await file.sync().catch(fileError(target));
    } finally {
      await file.close();
    }
    await (replaces ? rename(temporary, target) : moveToNew(temporary, target)).catch(fileError(target));
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Gives a file a name that no file has. Renaming would replace one that has appeared since. */
async function moveToNew(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // The file system has no hard links.
    await copyFile(temporary, target, constants.COPYFILE_EXCL);
  }
}

const existsError = (target: string) =>
  new CommandError(`${target} exists: replace it with --force, or choose another place with --to`);

const fileError = (target: string) => (error: unknown) => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') throw existsError(target);
  if (typeof code === 'string') {
    throw new CommandError(`${basename(target)} cannot be saved in ${dirname(target)} (${code})`);
  }
  throw error;
};

const downloadOptions = {
  to: {
    type: 'string',
    value: 'path',
    completes: 'file',
    help: 'file or folder to save it in; default: this folder',
  },
  force: { type: 'boolean', help: 'replace a file that exists' },
  ...TEAM_OPTIONS,
} as const;

export const download: Command<typeof downloadOptions> = {
  section: 'memory',
  summary: 'save the file that a source was imported from',
  about: `Saves the original of a source, under the name that it was imported with. Folders and characters that a system
forbids are left out of the name. The SHA-256 of the file is checked.`,
  options: downloadOptions,
  operand: { name: 'source' },
  notes: CREDENTIAL_NOTE,
  async run(values, sourceId) {
    const { service } = await signedInToTeam(values);
    const original = await findOriginal(service, sourceId);
    const path = await targetPath(invocationFolder(), values.to, original.filename);
    await saveOriginal(service, original, path, { replaces: values.force === true });
    const { mediaType, bytes, sha256 } = original;
    return { text: `Saved ${oneLine(path)}.`, data: { path, mediaType, bytes, sha256 } };
  },
};

/** The program that opens a file as if a person had clicked on it. None of them is given to a shell. */
function opener(): string | null {
  if (process.platform === 'darwin') return 'open';
  if (process.platform === 'win32') return 'explorer.exe';
  // Without a screen, it would open the file in a program of the terminal.
  return (setting('DISPLAY') ?? setting('WAYLAND_DISPLAY')) === null ? null : 'xdg-open';
}

/**
 * Opens a file with the program of the desktop, and does not wait for it.
 * @param path an absolute path
 * @returns false if there is no such program
 */
function openFile(path: string): Promise<boolean> {
  const program = opener();
  if (program === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [path], { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/**
 * Formats that the usual programs show and do not run. Others can have macros, formulas that start a program, or scripts,
 * or load files from elsewhere: pages, Office files, RTF, tables and mail.
 */
const SAFE: readonly ImportMediaType[] = [
  'text/plain',
  'text/markdown',
  'application/json',
  'application/x-ndjson',
  'application/pdf',
];

const OPENABLE: ReadonlySet<string> = new Set<string>(
  SAFE.flatMap((type) => IMPORT_FORMATS[type].extensions),
);

/** The formats that can be opened, for help: `plain text, Markdown, …`. */
const OPENABLE_NAMES = SAFE.map((type) => IMPORT_FORMATS[type].label).join(', ');

/**
 * Whether a file can be opened without a question, by its name: the extension, and not the media type, decides which
 * program opens it. A new format cannot, until it is listed here.
 */
export function isOpenable(filename: string): boolean {
  return OPENABLE.has(extname(filename).slice(1).toLowerCase());
}

const openOptions = { ...TEAM_OPTIONS } as const;

export const open: Command<typeof openOptions> = {
  section: 'memory',
  summary: 'open the file that a source was imported from',
  about: `Saves the original of a source in a temporary folder that only you can read, and opens it with the program of
your desktop. Only these formats are opened: ${OPENABLE_NAMES}. Others can contain macros, scripts or links that are
followed, so they are only saved, and so is each file if there is no desktop.`,
  options: openOptions,
  operand: { name: 'source' },
  notes: CREDENTIAL_NOTE,
  async run(values, sourceId) {
    const { service } = await signedInToTeam(values);
    const original = await findOriginal(service, sourceId);
    // Its mode lets no other user in.
    const path = join(await mkdtemp(join(tmpdir(), 'team-memory-')), original.filename);
    await saveOriginal(service, original, path, { replaces: false });
    const isSafe = isOpenable(original.filename);
    const isOpened = isSafe && (await openFile(path));
    const { mediaType, bytes, sha256 } = original;
    return {
      text: `${outcomeText(isSafe, isOpened)} ${oneLine(path)}`,
      data: { path, opened: isOpened, mediaType, bytes, sha256 },
    };
  },
};

function outcomeText(isSafe: boolean, isOpened: boolean): string {
  if (isOpened) return 'Opened';
  return isSafe
    ? 'Saved, because there is no desktop to open it:'
    : 'Saved and not opened, because files of this type can contain macros or scripts:';
}
