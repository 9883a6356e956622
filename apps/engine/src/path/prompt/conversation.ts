import { type ContentTrust, leastTrusted } from '#libs/contracts';
import type { ShownMemory, ShownSummary } from '../../entities/compaction.entity.js';
import type { AttachedFile, ModelMessage } from '../model/model.js';
import { buildPrompt, type PromptParts, trustOfInput, type WindowTurn } from './prompt.js';

/** How much of a turn's conversation the model is shown. */
export interface Shown {
  /** The share of the session's earlier turns that is shown, newest first. */
  past: number;
  /** Characters of each message that the turn answers, and of each call's result. */
  ownChars: number;
  resultChars: number;
}

const all: Shown = { past: 1, ownChars: Number.POSITIVE_INFINITY, resultChars: Number.POSITIVE_INFINITY };

/** From everything to what fits every model. Earlier turns are dropped first; the turn's own content is only cut. */
const levels: readonly Shown[] = [
  all,
  { ...all, past: 0.5 },
  { ...all, past: 0 },
  { past: 0, ownChars: 16_000, resultChars: 8_000 },
  { past: 0, ownChars: 4_000, resultChars: 2_000 },
];

/** The messages between a turn and its model, and how much of them the model is shown. */
export class Conversation {
  private readonly own: ModelMessage[] = [];
  private prompt: ModelMessage[];
  private level = 0;

  /**
   * @param promptAt builds what comes before the turn's own steps; deterministic for each measure
   * @param trustAt how far that is trusted
   */
  constructor(
    private readonly promptAt: (shown: Shown) => ModelMessage[],
    private readonly trustAt: (shown: Shown) => ContentTrust,
  ) {
    this.prompt = promptAt(all);
  }

  /** The trust of what the model is shown before the turn's own steps. What is left out does not count. */
  get trust(): ContentTrust {
    return this.trustAt(levels[this.level] ?? all);
  }

  get messages(): ModelMessage[] {
    const { resultChars } = levels[this.level] ?? all;
    return [...this.prompt, ...this.own.map((message) => cutResult(message, resultChars))];
  }

  /** What a call of the model sends, in characters. */
  get chars(): number {
    return charsOf(this.messages);
  }

  /** Appends a message of the model or of a tool. */
  push(message: ModelMessage): void {
    this.own.push(message);
  }

  /** Shows less. @returns the new level and the characters left out; null when nothing more can be left out */
  shorten(): { level: number; left_out_chars: number } | null {
    const before = charsOf(this.messages);
    for (let level = this.level + 1; level < levels.length; level += 1) {
      this.shortenTo(level);
      const left = before - charsOf(this.messages);
      if (left > 0) return { level, left_out_chars: left };
    }
    return null;
  }

  /** Shows as much as a level allows; used to restore the level of an earlier claim of the turn. */
  shortenTo(level: number): void {
    this.level = Math.min(Math.max(0, level), levels.length - 1);
    this.prompt = this.promptAt(levels[this.level] ?? all);
  }
}

/** An image is left out when results are cut: its result names it. */
function cutResult(given: ModelMessage, maxChars: number): ModelMessage {
  if (given.role !== 'tool' || !Number.isFinite(maxChars)) return given;
  const { images: _images, ...message } = given;
  const text = JSON.stringify(message.result) ?? 'null';
  if (text.length <= maxChars) return message;
  const note = `${text.length - maxChars} characters are left out: the conversation was too long for the model.`;
  return { ...message, result: { truncated: true, head: text.slice(0, maxChars), note } };
}

/** About what one costs. */
const charsOfImage = 4_000;

function charsOf(messages: ModelMessage[]): number {
  return messages.reduce((sum, message) => {
    const text = message.role === 'tool' ? JSON.stringify(message.result) : message.content;
    const images = message.role === 'tool' ? (message.images?.length ?? 0) : 0;
    const files = message.role === 'user' ? (message.files ?? []) : [];
    return (
      sum + (text?.length ?? 0) + images * charsOfImage + files.reduce((chars, file) => chars + charsOfFile(file), 0)
    );
  }, 0);
}

/** A page of a PDF costs its text and its picture. How many there are, its size tells roughly. */
function charsOfFile({ mediaType, data }: AttachedFile): number {
  return mediaType === 'application/pdf' ? Math.max(charsOfImage, Math.round(data.length / 10)) : charsOfImage;
}

/** A turn's conversation with its model. The summary is always part of it; earlier turns are, as far as there is room. */
export function conversationOf(
  parts: Omit<PromptParts, 'past' | 'summary' | 'ownChars' | 'known'> & {
    known: ShownMemory[];
    trustOfFiles: ContentTrust;
  },
  { past, summary }: { past: WindowTurn[]; summary: ShownSummary | null },
): Conversation {
  const pastAt = (share: number): WindowTurn[] => past.slice(past.length - Math.floor(past.length * share));
  const text = summary?.text ? summary.text : null;
  const trustOfSummary = text === null ? 'own' : (summary?.content_trust ?? 'own');
  // Where images are left out for want of room, what the model wrote about them is still there.
  const held = [parts.trustOfFiles, ...parts.known.map((fact) => fact.content_trust), parts.results?.trust ?? 'own'];
  const trusted = leastTrusted(trustOfInput(parts.input), ...held);
  return new Conversation(
    (shown) => buildPrompt({ ...parts, summary: text, past: pastAt(shown.past), ownChars: shown.ownChars }),
    (shown) => leastTrusted(trusted, trustOfSummary, ...pastAt(shown.past).map((earlier) => earlier.content_trust)),
  );
}
