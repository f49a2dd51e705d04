import { Type } from 'typebox';
import { assertActive } from '../../../core/access/lock-and-recheck.ts';
import { decide } from '../../../core/memories/decide.ts';
import { Decision, Memory } from '../../../shared/schemas/library.ts';
import { READS, teamTool } from '../tool.ts';

const { action, title, content, supersedes } = Decision.properties;
const Version = Type.Integer({ minimum: 1, description: 'the version that the decision is based on' });

/** Decides on one memory. */
export const decideMemory = teamTool({
  name: 'decide_memory',
  title: 'Decide on a memory',
  description:
    'Publishes or discards a memory in review, or updates or deletes a published one. Requires Full access to the Team. ' +
    '`version` is the version that you read: a memory that has changed since is not touched.',
  permission: 'memory:review',
  needs: 'full',
  annotations: { ...READS, readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  input: {
    id: Type.String({ description: 'of the memory' }),
    version: Version,
    action,
    title,
    content,
    supersedes,
  },
  output: {
    id: Memory.properties.id,
    state: Memory.properties.state,
    title: Memory.properties.title,
    version: Memory.properties.version,
    layer: Memory.properties.layer,
    clientId: Memory.properties.clientId,
    sourceId: { ...Memory.properties.sourceId, description: '`fetch` takes it; null unless published' },
    supersedes: Memory.properties.supersedes,
    supersededBy: Memory.properties.supersededBy,
  },
  run: async ({ deps, scope, team, signal }, { id, ...decision }) => {
    assertActive(team);
    const decided = await decide(deps, scope, { ...decision, memoryId: id }, signal);
    const { state, title, version, layer, clientId, sourceId, supersedes, supersededBy } = decided;
    return { id: decided.id, state, title, version, layer, clientId, sourceId, supersedes, supersededBy };
  },
});
