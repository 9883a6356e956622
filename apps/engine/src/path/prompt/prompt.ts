import { parseJson, parseKeepingNumbers } from '#libs/adapter-sdk';
import {
  type ContentTrust,
  contextOf,
  hasWordsOfOthers,
  isUntrusted,
  type TakeoverLine,
  type TurnInput,
  wordsOf,
} from '#libs/contracts';
import { fence, fenceExplanation } from '#libs/sanitizer';
import type { ShownMemory } from '../../entities/compaction.entity.js';
import { type AttachedFile, type ModelMessage, noReplyWord } from '../model/model.js';

/** An earlier turn of the session. */
export interface PastTurn {
  input: TurnInput;
  reply_text: string | null;
}

/** An earlier turn, with what its place in the window needs. */
export interface WindowTurn extends PastTurn {
  id: string;
  /** Of what it brought into the conversation. */
  content_trust: ContentTrust;
}

export interface PromptParts {
  /** The agent's own instructions. */
  instructions: string;
  /** Knowledge of its Skills, written by people of the project. */
  skills: { name: string; knowledge: string }[];
  input: TurnInput;
  /** Of its message's attachments, for models that take them. Absent: none. */
  files?: AttachedFile[];
  /** What was said before the earlier turns; null: nothing, or it is not kept. */
  summary?: string | null;
  /** What the agent remembers of the contact, oldest first. Absent: nothing. */
  known?: Pick<ShownMemory, 'id' | 'text'>[];
  past: PastTurn[];
  /** What earlier steps of the workflow gave, as JSON; null: there are none. */
  results?: { text: string; trust: ContentTrust } | null;
  /** Limit for each text of an earlier turn. */
  pastChars: number;
  /** Limit for each message that the turn answers. Absent: none. */
  ownChars?: number;
  /** True when the turn may only read. */
  readOnly: boolean;
  /** It could attach files, and its channel takes none. Absent: false. */
  lacksFiles?: boolean;
  /** It could say something before its answer, and its channel shows none of it. Absent: false. */
  lacksInterim?: boolean;
}

/**
 * Builds the prompt. Trusted text (agent, workflow) is the system message. Every external event is a user message
 * inside fences that the sender cannot guess, with the claimed sender. Events in a row, and those that got no reply, are
 * one user message: many models want user and assistant to alternate. What is the same at each call comes first, and a
 * text is worded in the same way each time, so that a provider can cache it.
 */
export function buildPrompt(parts: PromptParts): ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'system', content: systemText(parts) }];
  if (parts.known && parts.known.length > 0) messages.push({ role: 'user', content: knownText(parts.known) });
  if (parts.summary) messages.push({ role: 'user', content: summaryText(parts.summary) });
  for (const turn of parts.past) {
    for (const content of pastTexts(turn.input, parts.pastChars)) messages.push({ role: 'user', content });
    if (turn.reply_text) {
      const reply = clip(turn.reply_text, parts.pastChars);
      const content = turn.input.rehearsal ? `${rehearsedNote} ${reply}` : reply;
      messages.push({ role: 'assistant', content, tool_calls: [] });
    }
  }
  const { message } = parts.input;
  const { ownChars = Number.POSITIVE_INFINITY } = parts;
  for (const content of earlierTexts(parts.input, ownChars)) messages.push({ role: 'user', content });
  if (parts.results) messages.push({ role: 'user', content: resultsText(parts.results.text) });
  messages.push({
    role: 'user',
    content: eventText(parts.input, ownChars),
    event: {
      sender: message.sender,
      message: wordsOf(message),
      event_type: message.event_type,
      thread_id: message.thread_id ?? null,
      metadata: message.metadata ?? {},
    },
    // A message that is cut, because the conversation was too long, goes without them.
    ...(parts.files?.length && !Number.isFinite(ownChars) ? { files: parts.files } : {}),
  });
  return alternating(messages);
}

/** The messages of an earlier turn, without their metadata: a turn reads those of its own messages. */
export function pastTexts(input: TurnInput, maxChars: number): string[] {
  const bare = (message: TurnInput['message']): TurnInput['message'] => ({
    ...message,
    message: wordsOf(message),
    metadata: {},
  });
  const earlier = input.earlier ? { earlier: input.earlier.map(bare) } : {};
  const takeover = input.takeover?.map((line) =>
    line.by === 'sender' ? { ...line, message: bare(line.message) } : line,
  );
  const shown = { ...input, message: bare(input.message), ...earlier, ...(takeover ? { takeover } : {}) };
  return [...earlierTexts(shown, maxChars), eventText(shown, maxChars)];
}

/** A model wrote it from texts of others, so it is fenced like them. */
export function summaryText(text: string): string {
  return fence({
    source: 'summary',
    sender: 'a summary of what was said before in this conversation',
    verified: true,
    text,
  });
}

/** It is as good as what the agent was shown when it remembered it, so it is fenced like that. */
function knownText(known: Pick<ShownMemory, 'id' | 'text'>[]): string {
  return fence({
    source: 'memory',
    sender: 'what you remember of this contact from earlier conversations, each fact after its memory_id',
    verified: true,
    text: known.map(({ id, text }) => `${id}: ${text}`).join('\n'),
  });
}

/** Models and tools gave it, so it is fenced like what others write. */
function resultsText(text: string): string {
  return fence({ source: 'steps', sender: 'what earlier steps of this workflow gave', verified: true, text });
}

/** Each event keeps its own fence. */
function alternating(messages: ModelMessage[]): ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      joined.splice(-1, 1, { ...last, ...message, content: `${last.content}\n\n${message.content}` });
    } else joined.push(message);
  }
  return joined;
}

const ground = `${fenceExplanation} Your answer is sent back over the channel the event came from. `;

const mayBeSilent = `Where no answer is wanted, answer ${noReplyWord} and nothing else.`;

const wantsValue = `Your final answer is read by a program: one JSON object that holds to this JSON Schema, and nothing else around it.`;

const noInterimNote = 'This channel shows only answers: do not call send_interim.';
const noFilesNote = 'This channel takes no files: write what matters into your answer instead of calling send_file.';

const readOnlyNote = 'The current event is not verified: only calls that read are allowed.';

/** Precedes what a model said in a rehearsal, which may mention calls that were never made. */
const rehearsedNote = '[rehearsal: nothing was sent or changed]';

/** No App has an id like this, and no sender controls this line. */
const takeoverSource = 'takeover';

const takeoverNote = `While a person had taken the conversation over, you were not asked. What was said then stands among the events; what that \
person answered is marked source: ${takeoverSource}, and has been sent.`;

function systemText({ instructions, skills, input, past, readOnly, lacksFiles, lacksInterim }: PromptParts): string {
  const workflow = input.instructions
    ? [`Instructions of the workflow that started this turn:\n${input.instructions}`]
    : [];
  const knowledge = skills
    .filter((skill) => skill.knowledge.trim() !== '')
    .map((skill) => `Knowledge of the Skill ${skill.name}:\n${skill.knowledge}`);
  const takenOver = [input, ...past.map((turn) => turn.input)].some(({ takeover }) => takeover !== undefined);
  const { output_schema: output } = input;
  const form = output ? `${wantsValue}\n${JSON.stringify(output)}` : mayBeSilent;
  const notes = [
    ...(readOnly ? [readOnlyNote] : []),
    ...(lacksFiles ? [noFilesNote] : []),
    ...(lacksInterim ? [noInterimNote] : []),
    ...(takenOver ? [takeoverNote] : []),
  ];
  return [`${ground}${form}`, instructions, ...knowledge, ...workflow, ...notes].join('\n\n');
}

/** What was said before a turn's own message, oldest first: during a takeover, and in messages answered with it. */
function earlierTexts(input: TurnInput, maxChars: number): string[] {
  const earlier = input.earlier ?? [];
  const lines = input.takeover ?? [];
  const linesAfter = (count: number): string[] =>
    lines.filter(({ after }) => after === count).map((line) => lineText(line, input, maxChars));
  return [
    ...linesAfter(0),
    ...earlier.flatMap((message, index) => [eventText({ ...input, message }, maxChars), ...linesAfter(index + 1)]),
  ];
}

function lineText(line: TakeoverLine, input: TurnInput, maxChars: number): string {
  if (line.by === 'sender') return eventText({ ...input, message: line.message, verified: line.verified }, maxChars);
  const sender = 'a person who answered instead of you';
  return fence({ source: takeoverSource, sender, verified: true, text: clip(line.text, maxChars) });
}

/** What others said before it comes first, in a fence of its own: it is nothing that the sender asks for. */
function eventText({ message, verified, reply }: TurnInput, maxChars: number): string {
  const source = reply?.app_id ?? 'unknown';
  const context = contextText(message, source, maxChars);
  const event = fence({
    source,
    sender: message.sender,
    verified,
    facts: [
      ['event type', message.event_type],
      ...(message.thread_id ? [['thread', message.thread_id] as const] : []),
      ...metadataFacts(message, maxChars),
    ],
    text: clip(wordsOf(message), maxChars),
  });
  return context === null ? event : `${context}\n\n${event}`;
}

/** Before the event's own fence; null: nothing was said before. */
function contextText({ metadata }: TurnInput['message'], source: string, maxChars: number): string | null {
  const context = contextOf(metadata);
  if (context.length === 0) return null;
  const written = context.map(({ kind, sender, timestamp, message }) => {
    const by = [sender?.name ?? sender?.id ?? 'somebody', ...(timestamp === undefined ? [] : [`at ${timestamp}`])];
    return `${kind}, ${by.join(' ')}:\n${message}`;
  });
  const leftOut = metadata?.['context_left_out'];
  return fence({
    source,
    sender: 'others: what was said before the next event, to understand it',
    verified: false,
    facts: [['event type', 'context'], ...(leftOut === undefined ? [] : [['messages left out', leftOut] as const])],
    text: clip(written.join('\n\n'), maxChars),
  });
}

/** Whether the message is the payload itself, as that of a webhook without a text of its own: it is shown once. */
function isShown(message: string, payload: unknown): boolean {
  if (!/^[\s\uFEFF]*[{[]/.test(message)) return message === payload;
  const parsed = parseJson(message.trim(), parseKeepingNumbers);
  return parsed !== undefined && JSON.stringify(parsed) === JSON.stringify(payload);
}

/** Context and transcripts are shown in their places. A reply context is its adapter's, and may let whoever reads it answer. */
const unshown = new Set(['context', 'context_left_out', 'reply_context', 'transcripts']);

/** Facts from a message's metadata, as many as fit, with the number of those left out. */
function metadataFacts({ metadata, message }: TurnInput['message'], maxChars: number): (readonly [string, unknown])[] {
  const entries = Object.entries(metadata ?? {}).filter(
    ([name, value]) => !unshown.has(name) && (name !== 'payload' || !isShown(message, value)),
  );
  if (!Number.isFinite(maxChars)) return entries.map(([name, value]) => [`metadata ${name}`, value] as const);
  let chars = 0;
  const shown = entries.filter(([name, value]) => {
    chars += name.length + (JSON.stringify(value)?.length ?? 0);
    return chars <= maxChars;
  });
  const facts = shown.map(([name, value]) => [`metadata ${name}`, value] as const);
  const missing = entries.length - shown.length;
  return missing === 0 ? facts : [...facts, ['metadata left out', `${missing} of ${entries.length} entries`] as const];
}

function clip(text: string, maxChars: number): string {
  return text.length > maxChars
    ? `${text.slice(0, maxChars)} […] (${text.length - maxChars} characters left out)`
    : text;
}

/** How far the messages that a turn answers are trusted. */
export function trustOfInput(input: TurnInput): ContentTrust {
  const messages = [input.message, ...(input.earlier ?? [])];
  if (isUntrusted(input) || hasUntrustedTakeover(input) || messages.some(hasWordsOfOthers)) return 'untrusted';
  return input.called_by?.window ?? 'own';
}

/** What arrived during a takeover is shown with the message and may come from another sender. */
function hasUntrustedTakeover({ takeover = [] }: TurnInput): boolean {
  return takeover.some((line) => line.by === 'sender' && line.untrusted);
}
