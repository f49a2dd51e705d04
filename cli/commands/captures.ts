import { CaptureResponse } from '../../shared/schemas/captures.ts';
import { findOptionalClient, signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { credentialsNote } from '../terminal/output.ts';
import { readInputText } from '../terminal/prompt.ts';
import { OCCURRED_OPTION, parseMoment, parseOccurredOption } from '../terminal/times.ts';

const options = {
  session: {
    type: 'string',
    value: 'id',
    help: "the agent's own name for the session; required",
  },
  sequence: {
    type: 'string',
    value: 'n',
    help: 'position within the session, from 0; a repeated number stages nothing new',
  },
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'name or id of a client of that Team; default: the Team layer',
  },
  started: {
    type: 'string',
    value: 'time',
    help: 'when the session began: a time, or how long ago, such as 2h',
  },
  ended: { type: 'string', value: 'time', help: 'when it ended' },
  occurred: OCCURRED_OPTION,
  ...TEAM_OPTIONS,
} as const;

function parseSequence(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const sequence = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isSafeInteger(sequence) && sequence >= 0) return sequence;
  throw new CommandError('--sequence: expected a whole number from 0');
}

export const capture: Command<typeof options> = {
  section: 'memory',
  summary: 'stage the summary of a session, for consolidation',
  about: `Stages the summary of an agent's session, or of a part of it, until consolidate makes memories of it. The
summary comes from a file, or from standard input if no file is named or the file is -. No search finds it.`,
  options,
  operand: { name: 'file', isOptional: true, completes: 'file' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    if (values.session === undefined) throw new CommandError('--session: required (see --help)');
    const sequence = parseSequence(values.sequence);
    const startedAt = parseMoment('started', values.started);
    const endedAt = parseMoment('ended', values.ended);
    const occurredAt = parseOccurredOption(values.occurred);
    const { text: summary } = await readInputText(operand);
    const { service } = await signedInToTeam(values);
    const clientId = await findOptionalClient(service, values.client);
    const answer = await service.post('/v1/memory/captures', CaptureResponse, {
      sessionId: values.session,
      summary,
      sequence,
      startedAt,
      endedAt,
      occurredAt,
      ...(clientId === undefined ? {} : { scope: { clientId } }),
    });
    const note = credentialsNote(answer.redactions);
    return { text: `Staged the capture ${answer.capture.id}.${note}`, data: answer };
  },
};
