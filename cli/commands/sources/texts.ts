import { createTwoFilesPatch } from 'diff';
import type { Static } from 'typebox';
import { Member } from '../../../shared/schemas/people.ts';
import { ChangedSource, Source, SourceText, SourceVersion } from '../../../shared/schemas/sources.ts';
import { readList, withQuery } from '../../client/requests.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, parseWhole, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError, printNote, withNote } from '../../terminal/command-error.ts';
import { bold, counted, credentialsNote, type Result, styled } from '../../terminal/output.ts';
import { atTerminal, editing, keepText, readInputText } from '../../terminal/prompt.ts';
import { table } from '../../terminal/table.ts';
import { toSecond } from '../../terminal/times.ts';

/** Storing a large text takes as long as for ingest. */
const TIMEOUT_MS = 300_000;
/** A comparison of long texts that have little in common ends after this. */
const DIFF_TIMEOUT_MS = 20_000;

const COMMON = { section: 'memory', operand: { name: 'source' }, notes: CREDENTIAL_NOTE } as const;

const versionOption = {
  type: 'string',
  value: 'n',
  help: 'the version, as source versions shows it',
} as const;
const versionOptions = { version: versionOption, ...TEAM_OPTIONS } as const;

const pathOf = (id: string) => `/v1/memory/sources/${encodeURIComponent(id)}`;

const parseVersion = (given: string | undefined) => parseWhole('version', given, 1, Number.MAX_SAFE_INTEGER);

/** A source with its text as it was sent. */
type Sent = Static<typeof SourceText> & { text: string };

/**
 * Reads the text of a source.
 * @param version of it; undefined for the present one
 * @throws CommandError if the service does not have it as one text
 */
async function readText(service: ServiceClient, id: string, version?: number): Promise<Sent> {
  const query = { text: 'true', version: version?.toString(), limit: '1' };
  const source = await service.get(withQuery(pathOf(id), query), SourceText, { timeoutMs: TIMEOUT_MS });
  const { text } = source;
  if (text === undefined) throw new CommandError('the service is older than this program: it keeps no texts');
  if (text !== null) return { ...source, text };
  throw new CommandError(
    'the source has no text as it was sent: only one that was ingested as one text, and is not archived, has',
  );
}

export const sourceText: Command<typeof versionOptions> = {
  ...COMMON,
  summary: 'print the text of a source as it was sent',
  about: `Prints the text of a source that was ingested: exactly as it was sent, byte for byte, or as masking of credentials
left it. Only in a terminal, characters that could control it are escaped.`,
  options: versionOptions,
  async run(values, id) {
    const { service } = await signedInToTeam(values);
    const source = await readText(service, id, parseVersion(values.version));
    const { text, exact, title } = source;
    if (exact === false)
      printNote(`${oneLine(title)} was stored by an earlier version: its text is joined from passages`);
    if (values.json === true || process.stdout.isTTY)
      return { text: text.replace(/\r?\n$/, ''), data: source };
    process.stdout.write(text);
    return { text: '', data: source };
  },
};

export const sourceVersions: Command<typeof TEAM_OPTIONS> = {
  ...COMMON,
  summary: 'list the texts that a source has had before',
  about: `Lists the texts that a source has had before the present one, newest first. The service keeps the last
MEMORY_SOURCE_KEEP_VERSIONS, by default 10. source diff compares them, source text prints one, and source restore makes one
the present text again.`,
  options: TEAM_OPTIONS,
  async run(values, id) {
    const { service } = await signedInToTeam(values);
    const items = await readList(service, `${pathOf(id)}/versions`, SourceVersion);
    if (items.length === 0) return { text: 'The source has had no other text.', data: { items } };
    const members = await readList(service, '/v1/team/members', Member);
    const names = new Map(members.map(({ userId, name }) => [userId, name]));
    const lines = table(
      [
        { title: 'Version', value: ({ version }) => version },
        { title: 'Stored (UTC)', value: ({ at }) => toSecond(at) },
        { title: 'Characters', value: ({ characters }) => characters },
        { title: 'By', value: ({ actorId }) => names.get(actorId) ?? actorId, canShrink: true },
      ],
      items,
    );
    return { text: lines.join('\n'), data: { items } };
  },
};

/** The styles of the lines of a unified diff, by their beginning. */
const STYLES = [
  [/^(?:---|\+\+\+) /, bold],
  [/^@@/, (line: string) => styled('cyan', line)],
  [/^\+/, (line: string) => styled('green', line)],
  [/^-/, (line: string) => styled('red', line)],
] as const;

const styledLine = (line: string) => STYLES.find(([beginning]) => beginning.test(line))?.[1](line) ?? line;

/** The versions that a comparison names: `source`, `source 2` or `source 1 2`. */
function parseCompared(operand: string): { id: string; versions: number[] } {
  const [id = '', ...given] = operand.split(' ').filter((word) => word !== '');
  const versions = given.map(Number);
  if (versions.length <= 2 && versions.every((version) => Number.isSafeInteger(version) && version > 0))
    return { id, versions };
  throw new CommandError('name a source, and up to two versions of it by their numbers');
}

export const sourceDiff: Command<typeof TEAM_OPTIONS> = {
  ...COMMON,
  summary: 'compare texts that a source has had',
  about: `Compares a version of a source with its present text, or two versions with each other, as a unified diff: source
diff <source> 2, or source diff <source> 1 2. Without a version, it is the last one before the present text.`,
  options: TEAM_OPTIONS,
  operand: { name: 'source', isRepeated: true },
  async run(values, operand) {
    const { id, versions } = parseCompared(operand);
    const { service } = await signedInToTeam(values);
    const [last] =
      versions.length > 0 ? [] : await readList(service, `${pathOf(id)}/versions`, SourceVersion, {}, 1);
    const [from = last?.version, to] = versions;
    if (from === undefined) throw new CommandError('the source has had no other text');
    const [before, after] = [await readText(service, id, from), await readText(service, id, to)];
    const names = [`version ${from}`, to === undefined ? 'present text' : `version ${to}`] as const;
    const options = { context: 3, timeout: DIFF_TIMEOUT_MS };
    const patch = createTwoFilesPatch(...names, before.text, after.text, undefined, undefined, options);
    if (patch === undefined) throw new CommandError('the texts have too little in common to compare them');
    // The first line is for a file of several patches.
    const diff = before.text === after.text ? '' : patch.slice(patch.indexOf('\n') + 1);
    const data = { id, from, to: to ?? null, diff };
    if (diff === '') return { text: 'The texts are equal.', data };
    return { text: diff.replace(/\n$/, '').split('\n').map(styledLine).join('\n'), data };
  },
};

export const sourceRestore: Command<typeof versionOptions> = {
  ...COMMON,
  summary: 'make an earlier text of a source the present one again',
  about: `Makes an earlier text of a source the present one again. The text before becomes a version. You need the same right
as to archive the source.`,
  options: versionOptions,
  async run(values, id) {
    const version = parseVersion(values.version);
    if (version === undefined) throw new CommandError('name the version to restore with --version');
    const { service } = await signedInToTeam(values);
    const path = `${pathOf(id)}/versions/${version}/restore`;
    const data = await service.post(path, Source, undefined, { timeoutMs: TIMEOUT_MS });
    return { text: `${oneLine(data.title)} (${data.id}) has the text of version ${version} again.`, data };
  },
};

const editOptions = {
  file: {
    type: 'string',
    value: 'path',
    completes: 'file',
    help: 'file with the new text; -: standard input. Default: an editor in a terminal, otherwise standard input',
  },
  ...TEAM_OPTIONS,
} as const;

/** Sends a new text, if it is another one and nobody has changed the source since it was read. */
async function sendText(service: ServiceClient, source: Sent, text: string): Promise<Result> {
  const what = `${oneLine(source.title)} (${source.id})`;
  if (text === source.text) return { text: `${what} has this text already.`, data: { changed: false } };
  const change = { text, baseUpdatedAt: source.updatedAt };
  const data = await service.patch(pathOf(source.id), ChangedSource, change, { timeoutMs: TIMEOUT_MS });
  const passages = counted(data.chunks, 'passage');
  return { text: `${what} has a new text, in ${passages}.${credentialsNote(data.redactions)}`, data };
}

export const sourceEdit: Command<typeof editOptions> = {
  ...COMMON,
  summary: 'change the text of a source',
  about: `Opens the text of a source that was ingested in VISUAL or EDITOR, and stores what you saved. The text before becomes a
version. If someone else changed the source in the meantime, nothing is overwritten, and the command says where your text
is kept. The new text can also come from a file or from standard input.`,
  options: editOptions,
  async run(values, id) {
    const { service } = await signedInToTeam(values);
    const source = await readText(service, id);
    if (values.file === undefined && atTerminal()) {
      return editing(source.text, async (edit) => {
        const edited = await edit();
        // Editors end the last line.
        const text = source.text.endsWith('\n') ? edited : edited.replace(/\r?\n$/, '');
        return sendText(service, source, text);
      });
    }
    const { filename, text } = await readInputText(values.file ?? '-');
    try {
      return await sendText(service, source, text);
    } catch (error) {
      throw filename === null ? withNote(error, await keepText(text)) : error;
    }
  },
};
