import { parseJson, parseKeepingNumbers } from '#libs/adapter-sdk';
import { type ContentTrust, isUntrusted, type TakeoverLine, type TurnInput } from '#libs/contracts';
import { fence, fenceExplanation } from '#libs/sanitizer';
import { type ModelMessage, noReplyWord } from '../model/model.js';

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
  /** What was said before the earlier turns; null: nothing, or it is not kept. */
  summary?: string | null;
  past: PastTurn[];
  /** Limit for each text of an earlier turn. */
  pastChars: number;
  /** Limit for each message that the turn answers. Absent: none. */
  ownChars?: number;
  /** True when the turn may only read. */
  readOnly: boolean;
}

/**
 * Builds the prompt. Trusted text (agent, workflow) is the system message. Every external event is a user message
 * inside fences that the sender cannot guess, with the claimed sender. Events in a row, and those that got no reply, are
 * one user message: many models want user and assistant to alternate. What is the same at each call comes first, and a
 * text is worded in the same way each time, so that a provider can cache it.
 */
export function buildPrompt(parts: PromptParts): ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'system', content: systemText(parts) }];
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
  messages.push({
    role: 'user',
    content: eventText(parts.input, ownChars),
    event: {
      sender: message.sender,
      message: message.message,
      event_type: message.event_type,
      thread_id: message.thread_id ?? null,
      metadata: message.metadata ?? {},
    },
  });
  return alternating(messages);
}

/** The messages of an earlier turn, without their metadata: a turn reads those of its own messages. */
export function pastTexts(input: TurnInput, maxChars: number): string[] {
  const bare = (message: TurnInput['message']): TurnInput['message'] => ({ ...message, metadata: {} });
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

const readOnlyNote = 'The current event is not verified: only calls that read are allowed.';

/** Precedes what a model said in a rehearsal, which may mention calls that were never made. */
const rehearsedNote = '[rehearsal: nothing was sent or changed]';

/** No App has an id like this, and no sender controls this line. */
const takeoverSource = 'takeover';

const takeoverNote = `While a person had taken the conversation over, you were not asked. What was said then stands among the events; what that \
person answered is marked source: ${takeoverSource}, and has been sent.`;

function systemText({ instructions, skills, input, past, readOnly }: PromptParts): string {
  const workflow = input.instructions
    ? [`Instructions of the workflow that started this turn:\n${input.instructions}`]
    : [];
  const knowledge = skills
    .filter((skill) => skill.knowledge.trim() !== '')
    .map((skill) => `Knowledge of the Skill ${skill.name}:\n${skill.knowledge}`);
  const takenOver = [input, ...past.map((turn) => turn.input)].some(({ takeover }) => takeover !== undefined);
  const { output_schema: output } = input;
  const form = output ? `${wantsValue}\n${JSON.stringify(output)}` : mayBeSilent;
  const notes = [...(readOnly ? [readOnlyNote] : []), ...(takenOver ? [takeoverNote] : [])];
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

function eventText({ message, verified, reply }: TurnInput, maxChars: number): string {
  return fence({
    source: reply?.app_id ?? 'unknown',
    sender: message.sender,
    verified,
    facts: [
      ['event type', message.event_type],
      ...(message.thread_id ? [['thread', message.thread_id] as const] : []),
      ...metadataFacts(message, maxChars),
    ],
    text: clip(message.message, maxChars),
  });
}

/** Whether the message is the payload itself, as that of a webhook without a text of its own: it is shown once. */
function isShown(message: string, payload: unknown): boolean {
  if (!/^[\s\uFEFF]*[{[]/.test(message)) return message === payload;
  const parsed = parseJson(message.trim(), parseKeepingNumbers);
  return parsed !== undefined && JSON.stringify(parsed) === JSON.stringify(payload);
}

/** Facts from a message's metadata, as many as fit, with the number of those left out. */
function metadataFacts({ metadata, message }: TurnInput['message'], maxChars: number): (readonly [string, unknown])[] {
  const entries = Object.entries(metadata ?? {}).filter(
    ([name, value]) => name !== 'payload' || !isShown(message, value),
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
  return isUntrusted(input) || hasUntrustedTakeover(input) ? 'untrusted' : 'own';
}

/** What arrived during a takeover is shown with the message and may come from another sender. */
function hasUntrustedTakeover({ takeover = [] }: TurnInput): boolean {
  return takeover.some((line) => line.by === 'sender' && line.untrusted);
}
