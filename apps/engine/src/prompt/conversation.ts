import type { ModelMessage } from '../model/model.js';

/** How much of a turn's conversation the model is shown. */
export interface Shown {
  /** Of the session's earlier turns: the newest, as a share of all that a turn is shown. */
  past: number;
  /** Characters of each message that the turn answers, and of each result of a call. */
  ownChars: number;
  resultChars: number;
}

const all: Shown = { past: 1, ownChars: Number.POSITIVE_INFINITY, resultChars: Number.POSITIVE_INFINITY };

/** From the whole to what every model has room for: the past goes first, what the turn is about is only cut. */
const levels: readonly Shown[] = [
  all,
  { ...all, past: 0.5 },
  { ...all, past: 0 },
  { past: 0, ownChars: 16_000, resultChars: 8_000 },
  { past: 0, ownChars: 4_000, resultChars: 2_000 },
];

/** What a turn and its model say to each other, and what of it the model is shown. */
export class Conversation {
  private readonly own: ModelMessage[] = [];
  private prompt: ModelMessage[];
  private level = 0;

  /** @param promptAt what comes before the turn's own steps; the same messages for the same measure */
  constructor(private readonly promptAt: (shown: Shown) => ModelMessage[]) {
    this.prompt = promptAt(all);
  }

  get messages(): ModelMessage[] {
    const { resultChars } = levels[this.level] ?? all;
    return [...this.prompt, ...this.own.map((message) => cutResult(message, resultChars))];
  }

  /** The tools' side and the model's, as they come. */
  push(message: ModelMessage): void {
    this.own.push(message);
  }

  /** Shows less. @returns the new level and how many characters less it is; null when nothing is left to leave out */
  shorten(): { level: number; left_out_chars: number } | null {
    const before = charsOf(this.messages);
    for (let level = this.level + 1; level < levels.length; level += 1) {
      this.shortenTo(level);
      const left = before - charsOf(this.messages);
      if (left > 0) return { level, left_out_chars: left };
    }
    return null;
  }

  /** Shows what a level shows: one that an earlier claim of the turn had come to. */
  shortenTo(level: number): void {
    this.level = Math.min(Math.max(0, level), levels.length - 1);
    this.prompt = this.promptAt(levels[this.level] ?? all);
  }
}

function cutResult(message: ModelMessage, maxChars: number): ModelMessage {
  if (message.role !== 'tool' || !Number.isFinite(maxChars)) return message;
  const text = JSON.stringify(message.result) ?? 'null';
  if (text.length <= maxChars) return message;
  const note = `${text.length - maxChars} characters are left out: the conversation was too long for the model.`;
  return { ...message, result: { truncated: true, head: text.slice(0, maxChars), note } };
}

function charsOf(messages: ModelMessage[]): number {
  return messages.reduce((sum, message) => {
    const text = message.role === 'tool' ? JSON.stringify(message.result) : message.content;
    return sum + (text?.length ?? 0);
  }, 0);
}
