import { DEFAULT_NEIGHBOURS, ExpandResponse } from '../../../shared/schemas/memory.ts';
import { readLayerNames } from '../../client/layers.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { parseWhole } from '../../program/whole-number.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { bold, dim } from '../../terminal/output.ts';
import { originLines, textLines } from './search-report.ts';

const MAX_NEIGHBOURS = 10;

const options = {
  before: {
    type: 'string',
    value: 'n',
    help: `passages before it: 0 to ${MAX_NEIGHBOURS}, default ${DEFAULT_NEIGHBOURS}`,
  },
  after: {
    type: 'string',
    value: 'n',
    help: `passages after it: 0 to ${MAX_NEIGHBOURS}, default ${DEFAULT_NEIGHBOURS}`,
  },
  ...TEAM_OPTIONS,
} as const;

export const expand: Command<typeof options> = {
  section: 'memory',
  summary: 'show a passage with what is before and after it',
  about: 'Shows a passage, whose id search prints, with the passages before and after it in the same source.',
  options,
  operand: { name: 'passage' },
  notes: CREDENTIAL_NOTE,
  async run(values, chunkId) {
    const before = parseWhole('before', values.before, 0, MAX_NEIGHBOURS);
    const after = parseWhole('after', values.after, 0, MAX_NEIGHBOURS);
    const { service } = await signedInToTeam(values);
    const answer = await service.post('/v1/memory/expand', ExpandResponse, { chunkId, before, after });
    const [first] = answer.chunks;
    if (first === undefined) throw new CommandError('you can reach no passage with this id');
    const nameLayer = await readLayerNames(service, [first.client_id]);
    const lines = [
      bold(oneLine(first.title)),
      ...originLines(first, nameLayer),
      ...answer.chunks.flatMap(({ chunk_id, ordinal, text }) => {
        const mark = chunk_id === chunkId.toLowerCase() ? '>' : ' ';
        return ['', `${mark}${String(ordinal).padStart(2)} ${dim(chunk_id)}`, ...textLines(text, Infinity)];
      }),
    ];
    return { text: lines.join('\n'), data: answer };
  },
};
