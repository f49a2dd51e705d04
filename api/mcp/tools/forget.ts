import { Type } from 'typebox';
import { forget as forgetRecord } from '../../../core/forgetting/forget.ts';
import { Id, Nullable, OneOf, Text, Time } from '../../../shared/schemas/common.ts';
import { ADDS_ONCE, teamTool } from '../tool.ts';

/** Archives a source, or takes back what waits for a decision. */
export const forget = teamTool({
  name: 'forget',
  title: 'Forget something',
  description:
    'Archives one source that the owner of the credential made: searches no longer find it. `undo` restores it, until ' +
    '`until`. The id of a memory in review that you made with this credential withdraws it, and `undo` puts it back into ' +
    'review. A source of somebody else requires the permission memory:review and Full access. An agent token without ' +
    'memory:review can forget 20 items in 60 minutes. Memories are deleted with decide_memory, and workspace files by a ' +
    'push.',
  permission: 'memory:write',
  needs: 'write',
  annotations: { ...ADDS_ONCE, destructiveHint: true },
  input: {
    id: Text(100, 'of a source, as `remember` and `search` return it, or of a memory in review'),
    undo: Type.Optional(Type.Boolean({ description: 'restores what was forgotten' })),
  },
  output: {
    id: Id,
    status: OneOf(
      ['archived', 'restored', 'withdrawn'],
      'withdrawn: a memory in review was discarded; restored: the source is found again, or the memory is in review',
    ),
    until: Nullable(Time, 'until when `undo` can restore an archived source; null unless it can be restored'),
  },
  run: ({ deps, scope }, { id, undo = false }) => forgetRecord(deps, scope, id.trim(), undo),
});
