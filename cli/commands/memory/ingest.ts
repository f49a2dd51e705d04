import { IngestResponse } from '../../../shared/schemas/memory.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { readInputText } from '../../terminal/input-text.ts';
import { counted, credentialsNote } from '../../terminal/output.ts';
import {
  EXPIRES_OPTION,
  OCCURRED_OPTION,
  parseExpiryOption,
  parseOccurredOption,
} from '../../terminal/times.ts';

/** Enough time to send a large text over a slow connection. */
const UPLOAD_TIMEOUT_MS = 300_000;

const options = {
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

export const ingest: Command<typeof options> = {
  section: 'memory',
  summary: 'store a text from a file or from standard input',
  about: `Stores a text as a source, which searches find at once. The text comes from a file, or from standard input if
no file is named or the file is -. Files in other formats than text are read by import.`,
  options,
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
