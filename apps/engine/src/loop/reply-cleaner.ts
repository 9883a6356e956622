import type { TurnInput } from '#libs/contracts';
import { type KnownTargets, linksIn, type SanitizedReply, sanitizeReply, type SanitizerReport } from '#libs/sanitizer';
import type { ModelMessage } from '../model/model.js';

/** Changes that remove nothing a person would see. */
const unseen: readonly string[] = ['nfc', 'line_ends'];
/** Without so long a run of characters, a text has no long link. */
const mayHoldLongLink = /\S{256}/;

/**
 * Sanitises what the model wrote before it goes out. Images may be shown from hosts that the agent's Skills bind. An
 * image that the message links may be shown only under that exact address: the message may be a stranger's, and another
 * address on the same host could carry data out.
 */
export class ReplyCleaner {
  private readonly namedLinks: ReadonlySet<string>;

  constructor(
    private readonly allowedHosts: readonly string[],
    input: TurnInput,
  ) {
    this.namedLinks = new Set([...(input.earlier ?? []), input.message].flatMap((each) => linksIn(each.message)));
  }

  /** @param read what the model was shown in this turn */
  clean(text: string, read: readonly ModelMessage[]): SanitizedReply {
    const { allowedHosts, namedLinks } = this;
    const readLinks = mayHoldLongLink.test(text) ? new Set(read.flatMap(linksOf)) : new Set<string>();
    const known: KnownTargets = { allowedHosts, namedLinks, readLinks };
    return sanitizeReply(text, known);
  }
}

/** Excludes the model's own messages, which it wrote rather than read. */
function linksOf(message: ModelMessage): string[] {
  if (message.role === 'assistant') return [];
  return linksIn(message.role === 'tool' ? (JSON.stringify(message.result) ?? '') : message.content);
}

/** What was removed, by rule; null when a person would notice nothing. */
export function takenAway({ counts, settled }: SanitizerReport): Record<string, number> | null {
  if (!settled) return { withheld: 1 };
  const taken = Object.entries(counts).filter(([rule]) => !unseen.includes(rule));
  return taken.length === 0 ? null : Object.fromEntries(taken);
}
