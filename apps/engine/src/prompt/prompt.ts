import type { TurnInput } from '#libs/contracts';
import { fence, fenceExplanation } from '#libs/sanitizer';
import type { ModelMessage } from '../model/model.js';

/** One earlier turn of the session, oldest first. */
export interface PastTurn {
  input: TurnInput;
  reply_text: string | null;
}

export interface PromptParts {
  /** The agent's own. */
  instructions: string;
  /** Of its Skills: written by people of the project. */
  skills: { name: string; knowledge: string }[];
  input: TurnInput;
  past: PastTurn[];
  /** Of an earlier turn's texts, each. */
  pastChars: number;
  /** True when the turn may only read. */
  readOnly: boolean;
}

/**
 * The prompt: trusted text (agent, workflow) is the system message; every external event is a user message between
 * fences of its own that the sender cannot guess, with who claims to have sent it.
 */
export function buildPrompt(parts: PromptParts): ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'system', content: systemText(parts) }];
  for (const turn of parts.past) {
    messages.push({ role: 'user', content: eventText(turn.input, parts.pastChars) });
    if (turn.reply_text) {
      messages.push({ role: 'assistant', content: clip(turn.reply_text, parts.pastChars), tool_calls: [] });
    }
  }
  const { message } = parts.input;
  for (const earlier of parts.input.earlier ?? []) {
    const content = eventText({ ...parts.input, message: earlier }, Number.POSITIVE_INFINITY);
    messages.push({ role: 'user', content });
  }
  messages.push({
    role: 'user',
    content: eventText(parts.input, Number.POSITIVE_INFINITY),
    event: {
      sender: message.sender,
      message: message.message,
      event_type: message.event_type,
      thread_id: message.thread_id ?? null,
      metadata: message.metadata ?? {},
    },
  });
  return messages;
}

const ground = `${fenceExplanation} Your answer is sent back over the channel the event came from.`;

const readOnlyNote = 'The current event is not verified: only calls that read are allowed.';

function systemText({ instructions, skills, input, readOnly }: PromptParts): string {
  const workflow = input.instructions
    ? [`Instructions of the workflow that started this turn:\n${input.instructions}`]
    : [];
  const knowledge = skills
    .filter((skill) => skill.knowledge.trim() !== '')
    .map((skill) => `Knowledge of the Skill ${skill.name}:\n${skill.knowledge}`);
  return [ground, ...(readOnly ? [readOnlyNote] : []), instructions, ...knowledge, ...workflow].join('\n\n');
}

function eventText({ message, verified, reply }: TurnInput, maxChars: number): string {
  return fence({
    source: reply?.app_id ?? 'unknown',
    sender: message.sender,
    verified,
    facts: [
      ['event type', message.event_type],
      ...(message.thread_id ? [['thread', message.thread_id] as const] : []),
      ...Object.entries(message.metadata ?? {}).map(([name, value]) => [`metadata ${name}`, value] as const),
    ],
    text: clip(message.message, maxChars),
  });
}

function clip(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)} […]` : text;
}
