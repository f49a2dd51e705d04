import { Feedback, VERDICTS } from '../../shared/schemas/feedback.ts';
import { signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';

const options = {
  query: { type: 'string', value: 'id', help: 'queryId of the search, which search --json prints. Required' },
  verdict: { type: 'string', value: 'verdict', choices: VERDICTS, help: `${VERDICTS.join(', ')}. Required` },
  note: { type: 'string', value: 'text', help: 'what is wrong with it, for the reviewer' },
  ...TEAM_OPTIONS,
} as const;

export const feedback: Command<typeof options> = {
  section: 'memory',
  summary: 'tell that a hit of a search was useful, wrong or outdated',
  about: `Tells what you think of a hit of a search of yours, by the id of its passage, which search prints. A hit that is
wrong or outdated is shown to the reviewers.`,
  options,
  operand: { name: 'passage' },
  notes: CREDENTIAL_NOTE,
  async run(values, chunkId) {
    if (values.query === undefined) throw new CommandError('--query: required');
    const { verdict } = values;
    if (verdict === undefined) throw new CommandError('--verdict: required');
    const { service } = await signedInToTeam(values);
    const body = { queryId: values.query, chunkId, verdict, note: values.note };
    const data = await service.post('/v1/memory/feedback', Feedback, body);
    return { text: `Stored that ${data.chunkId} is ${data.verdict}.`, data };
  },
};
