import { runOnce } from '../../../core/access/run-command.ts';
import { parseCapture, stageCapture } from '../../../core/captures/commands.ts';
import { CaptureRequest, type CaptureResponse, Sequence } from '../../../shared/schemas/captures.ts';
import { Id, Name, OneOf, Redactions } from '../../../shared/schemas/common.ts';
import { inArguments, listed, refusingArguments } from '../text.ts';
import { ADDS_ONCE, ClientArgument, layerToWrite, teamTool } from '../tool.ts';

/** Its arguments, by the fields of a capture. */
const NAMES = { sessionId: 'session', summary: 'text' };

const { summary } = CaptureRequest.properties;

/** Stages the summary of a session, from which memories are made later. */
export const stageSession = teamTool({
  name: 'stage_session',
  title: 'Stage the summary of a session',
  description:
    'Stages what a session of work taught, as a capture. Searches do not find it: memories are made of captures later, ' +
    'with claim_captures and complete_captures. The same session and sequence are staged once.',
  permission: ['memory:write', 'memory:curate'],
  needs: 'write',
  annotations: ADDS_ONCE,
  input: {
    session: { ...Name, description: 'your name for the session' },
    sequence: Sequence,
    text: { ...summary, description: 'what was learned, not the whole session' },
    client: ClientArgument('id or name of the client that it belongs to'),
  },
  output: {
    id: { ...Id, description: 'of the capture' },
    status: OneOf(
      ['created', 'duplicate'],
      'duplicate: the session already has a capture with this sequence',
    ),
    redactions: Redactions,
  },
  run: async (call, { session, sequence, text, client }) => {
    const { deps, scope } = call;
    const layerId = await layerToWrite(call, client);
    const draft = { ...parseCapture({ sessionId: session, summary: text, sequence }), layerId };
    const answer = await refusingArguments(NAMES, () =>
      runOnce(deps.database, scope, null, stageCapture(deps, scope, draft)),
    );
    const { capture, redactions = [] } = answer.body as CaptureResponse;
    const status = answer.status === 201 ? ('created' as const) : ('duplicate' as const);
    return { id: capture.id, status, redactions: listed(inArguments(redactions, NAMES)) };
  },
});
