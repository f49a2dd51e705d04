import { type Fields, fields } from '../../client/private-file.ts';
import { CodexTurn, type Form } from './codex-turn.ts';
import { isWrapped, personOfCodex, withoutTag } from './program-words.ts';
import {
  type Message,
  type Reading,
  type RecordReader,
  SILENT,
  textField,
  textsOf,
  unknown,
  unknownPart,
} from './record.ts';

/** The types of records in which nothing is said. */
const OTHER_RECORDS = new Set(
  'session_meta turn_context world_state compacted token_usage_record inter_agent_communication'.split(' '),
);

/** The types of events that contain text, and nothing that a person or their agent has said. */
const OTHER_EVENTS = new Set(
  [
    'agent_reasoning agent_reasoning_raw_content background_event collab_agent_interaction_end collab_agent_spawn_end',
    'collab_close_end collab_resume_end collab_waiting_end context_compacted deprecation_notice',
    'dynamic_tool_call_request dynamic_tool_call_response entered_review_mode error exec_command_begin',
    'exec_command_end exited_review_mode guardian_assessment guardian_warning hook_completed hook_started',
    'image_generation_end item_started mcp_tool_call_begin mcp_tool_call_end model_reroute model_verification',
    'patch_apply_begin patch_apply_end plan_update session_configured stream_error sub_agent_activity task_complete',
    'thread_goal_updated thread_rolled_back thread_settings_applied token_count turn_aborted turn_complete turn_diff',
    'turn_moderation_metadata undo_completed view_image_tool_call warning web_search_begin web_search_end',
  ].flatMap((line) => line.split(' ')),
);

/** The types of items of a turn that nobody has said. */
const OTHER_ITEMS = new Set(
  [
    'CollabAgentToolCall CommandExecution ContextCompaction DynamicToolCall EnteredReviewMode ExitedReviewMode Extension',
    'FileChange HookPrompt ImageGeneration ImageView McpToolCall Reasoning Sleep SubAgentActivity WebSearch',
  ].flatMap((line) => line.split(' ')),
);

/** The types of items for the model that nobody has said, besides calls of tools and their results. */
const OTHER_MODEL_ITEMS = new Set(
  'reasoning compaction context_compaction compaction_summary ghost_snapshot agent_message additional_tools other'.split(
    ' ',
  ),
);
const isToolItem = (type: string) => /(?:_call|_output)$/.test(type);

/** Records that can stand between an answer and what follows it. */
const COUNTS = new Set(['token_usage_record', 'token_count']);

const TURN_STARTS = new Set(['task_started', 'turn_started']);

/** What the agent added to its answer for the program. */
const CITATION = 'oai-mem-citation';
/** Between these tags, an answer contains the plan that is an item of its own too. */
const PLAN = 'proposed_plan';

/**
 * Reads the records of Codex: `{ type, payload }`. Each turn is in the file in up to three forms: as events of the older
 * form, as completed items (since 0.147), and as items for the model. The last ones also contain instructions that Codex
 * adds in the person's name, so they are read for a person only in a turn that has no other form.
 */
export function codexReader(): RecordReader {
  const turn = new CodexTurn();
  const read = (messages: Message[], part: string | null = null): Reading => ({
    messages,
    unknownForm: part,
  });

  const person = (form: Form, texts: readonly string[], at: string | null) =>
    turn.add({ speaker: 'Person', text: texts.map(personOfCodex).filter(Boolean).join('\n'), at }, form);
  const agent = (form: Form, text: string, at: string | null, id = '') =>
    turn.add({ speaker: 'Agent', text: withoutTag(text, CITATION).trim(), at }, form, id);

  function readItem({ type, content, text, id }: Fields, at: string | null): Reading {
    const part = unknownPart(content);
    const form = part === null ? null : `event_msg/item_completed/${textField(type)}/${part}`;
    if (type === 'UserMessage') return read(person('item', textsOf(content), at), form);
    if (type === 'AgentMessage')
      return read(agent('item', textsOf(content).join(''), at, textField(id)), form);
    if (type === 'Plan') return read(agent('item', textField(text), at));
    return OTHER_ITEMS.has(textField(type)) ? SILENT : unknown('event_msg', 'item_completed', type);
  }

  function readEvent(payload: Fields, at: string | null): Reading {
    const { type, message, item } = payload;
    if (TURN_STARTS.has(textField(type))) turn.start();
    else if (type === 'user_message') return read(person('event', textsOf(message), at));
    else if (type === 'agent_message') return read(agent('event', textField(message), at));
    else if (type === 'item_completed') return readItem(fields(item), at);
    else if (!OTHER_EVENTS.has(textField(type))) return unknown('event_msg', type);
    return SILENT;
  }

  function readModelItem({ type, role, content, id }: Fields, at: string | null): Reading {
    if (type !== 'message') {
      const isOther = OTHER_MODEL_ITEMS.has(textField(type)) || isToolItem(textField(type));
      return isOther ? SILENT : unknown('response_item', type);
    }
    const part = unknownPart(content);
    const form = part === null ? null : `response_item/message/${textField(role)}/${part}`;
    if (role === 'user') {
      const texts = textsOf(content).filter((text) => !isWrapped(text));
      turn.wait({ speaker: 'Person', text: texts.map(personOfCodex).filter(Boolean).join('\n'), at });
      return read([], form);
    }
    if (role !== 'assistant') return SILENT;
    const text = textsOf(content).join('\n');
    const answer = withoutTag(text, PLAN);
    const plan =
      answer === text ? '' : text.slice(text.indexOf(`<${PLAN}>`) + PLAN.length + 2).split(`</${PLAN}>`)[0];
    return read([...agent('model', answer, at, textField(id)), ...agent('model', plan ?? '', at)], form);
  }

  function readRecord({ type, payload: given }: Fields, at: string | null): Reading {
    const payload = fields(given);
    if (type === 'event_msg') return readEvent(payload, at);
    if (type === 'response_item') return readModelItem(payload, at);
    return OTHER_RECORDS.has(textField(type)) ? SILENT : unknown(type, payload['type']);
  }

  /** Answers that only an item for the model contains, until the next record shows what they are. */
  let held: Message[] = [];
  return {
    read: (record, at) => {
      const isCount =
        COUNTS.has(textField(record['type'])) || COUNTS.has(textField(fields(record['payload'])['type']));
      if (isCount) return SILENT;
      // Before a compaction, the last answer is the summary that replaces what was said.
      const before =
        record['type'] === 'compacted' ? held.filter(({ speaker }) => speaker === 'Person') : held;
      held = [];
      const reading = readRecord(record, at);
      if (record['type'] !== 'response_item')
        return { ...reading, messages: [...before, ...reading.messages] };
      held = reading.messages;
      return { ...reading, messages: before };
    },
    end: () => held,
  };
}
