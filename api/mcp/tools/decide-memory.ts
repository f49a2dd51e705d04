import { Type } from 'typebox';
import { decideChecked } from '../../../core/memories/decide-checked.ts';
import { invalidField } from '../../../shared/errors.ts';
import { MEMORY_ACTIONS } from '../../../shared/memory-states.ts';
import { OneOf, Redactions } from '../../../shared/schemas/common.ts';
import { Decision, Memory } from '../../../shared/schemas/library.ts';
import { clientOf } from '../../../shared/scope.ts';
import { layerToWrite } from '../arguments.ts';
import { pick } from '../pick.ts';
import { ClientArgument, READS, teamTool } from '../tool.ts';
import { listed } from './redactions.ts';

const { supersedes, baseVersion } = Decision.properties;
/** All actions except `renew`, whose argument the tool does not have. */
const action = OneOf(
  MEMORY_ACTIONS.filter((name) => name !== 'renew'),
  'what to do with the memory: see the description of the tool',
);
const title = Type.Optional({
  ...Decision.properties.title,
  description: 'with publish or update: the new title; without it, the title stays',
});
const content = Type.Optional({
  ...Decision.properties.content,
  description: 'with publish or update: the new text; without it, the text stays',
});
const version = Type.Integer({
  minimum: 1,
  description: 'the version that the decision is based on; with restore: the version to restore',
});
const DECISION = { version, action, title, content, supersedes, baseVersion };

const DECIDED = {
  id: Memory.properties.id,
  state: Memory.properties.state,
  title: Memory.properties.title,
  version: Memory.properties.version,
  layer: Memory.properties.layer,
  clientId: Memory.properties.clientId,
  sourceId: { ...Memory.properties.sourceId, description: '`fetch` takes it; null unless published' },
  supersedes: Memory.properties.supersedes,
  supersededBy: Memory.properties.supersededBy,
};

/** Decides on one memory. */
export const decideMemory = teamTool({
  name: 'decide_memory',
  title: 'Decide on a memory',
  description:
    'Publishes or discards a memory in review, or updates or deletes a published one. `reopen` puts a discarded one back ' +
    'into review, `unpublish` a published one, and `restore` publishes an earlier version again. `move` moves one in ' +
    'review or a published one to `client`, or to the Team layer without `client`. `keep` leaves a published one as it ' +
    'is and settles its feedback. Requires Full access to the Team. `version` is the version that you read: a memory that has changed since is not touched. With `restore`, ' +
    'that is `baseVersion`.',
  permission: 'memory:review',
  needs: 'full',
  annotations: { ...READS, readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  input: {
    id: Type.String({ description: 'id of the memory' }),
    ...DECISION,
    client: ClientArgument(
      'only with `move`: id or name of the client to move it to; absent: the Team layer',
    ),
  },
  output: { ...DECIDED, redactions: Redactions },
  run: async (call, args) => {
    const { deps, scope, signal } = call;
    if (args.action === 'update' && args.title === undefined && args.content === undefined) {
      throw invalidField('/content', 'is required with update when title is absent');
    }
    const moves = args.action === 'move';
    if (!moves && args.client !== undefined) throw invalidField('/client', 'is allowed only with move');
    const target = moves ? { clientId: clientOf(scope, await layerToWrite(call, args.client)) } : {};
    const decision = { ...pick(DECISION, args), ...target, memoryId: args.id };
    const { memory, redactions } = await decideChecked(deps, scope, decision, signal);
    return { ...pick(DECIDED, memory), redactions: listed(redactions) };
  },
});
