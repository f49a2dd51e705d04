import { type Fields, fields } from '../../client/private-file.ts';
import { personOfClaudeCode } from './program-words.ts';
import {
  hasText,
  type Message,
  type Reading,
  type RecordReader,
  SILENT,
  textField,
  textsOf,
  unknown,
  unknownPart,
} from './record.ts';

/** The types of records that contain text, and nothing that a person or their agent has said. */
const OTHER_TYPES = new Set(
  [
    'agent-color agent-name agent-setting ai-title api-request api-request-blob api-request-resumed api-request-shape',
    'artifact-autoreact-ledger artifact-comment-monitor atis-latch attachment attribution-snapshot bridge-session',
    'content-replacement continued-in cost-state custom-title data-flow-incomplete data-flow-records derived-from',
    'dev-mods file-history-delta file-history-snapshot fork-context-ref frame-link history-suppression isolation-latch',
    'last-prompt memory-mode mode observer-ref permission-mode pr-link progress queue-operation relocated',
    'resume-head-vouch session-owner summary system tag task-summary tools-used worktree-state',
  ].flatMap((line) => line.split(' ')),
);

/** Who can have written in the person's name, besides the person: the kinds of `origin`. */
const PROGRAM_ORIGINS = new Set([
  'task-notification',
  'auto-continuation',
  'coordinator',
  'observer-activity',
  'peer',
  'plugin',
]);

/** The model that Claude Code names in answers that it wrote itself, such as errors of the API. */
const NO_MODEL = '<synthetic>';

/** Whether a record is of the program itself or of a subagent, or a summary of earlier records. */
function isOfProgram({ isMeta, isSidechain, isCompactSummary, isApiErrorMessage, origin }: Fields): boolean {
  const marks = [isMeta, isSidechain, isCompactSummary, isApiErrorMessage];
  return marks.includes(true) || PROGRAM_ORIGINS.has(textField(fields(origin)['kind']));
}

/** What a person wrote in a content, without what the program added to it. */
const personText = (content: unknown) =>
  textsOf(content)
    .map(personOfClaudeCode)
    .filter((text) => text !== '')
    .join('\n');

/** What a person wrote while the agent was at work: Claude Code gives it to the model with the next result of a tool. */
function queuedPrompt(attachment: Fields): string {
  const { type, commandMode = 'prompt', carriedByCompaction, prompt } = attachment;
  const isPrompt = type === 'queued_command' && commandMode === 'prompt' && carriedByCompaction !== true;
  return isPrompt && !isOfProgram(attachment) ? personText(prompt) : '';
}

/**
 * Reads the records of Claude Code: `{ type: "user" or "assistant", message: { content } }`, and attachments with what a
 * person wrote while the agent was at work.
 */
export const claudeCodeReader: RecordReader = { read: readRecord, end: () => [] };

function readRecord(record: Fields, at: string | null): Reading {
  const { type, message: given } = record;
  const said = (speaker: Message['speaker'], text: string) => ({
    messages: text === '' ? [] : [{ speaker, text, at }],
    unknownForm: null,
  });
  if (isOfProgram(record)) return SILENT;
  if (type === 'attachment') return said('Person', queuedPrompt(fields(record['attachment'])));
  if (OTHER_TYPES.has(textField(type))) return SILENT;
  const { content, model } = fields(given);
  if ((type !== 'user' && type !== 'assistant') || (content === undefined && hasText(record)))
    return unknown(type, ...('subtype' in record ? [record['subtype']] : []));
  if (model === NO_MODEL) return SILENT;
  const part = unknownPart(content);
  const reading =
    type === 'user' ? said('Person', personText(content)) : said('Agent', textsOf(content).join('\n'));
  return { ...reading, unknownForm: part === null ? null : `${type}/${part}` };
}
