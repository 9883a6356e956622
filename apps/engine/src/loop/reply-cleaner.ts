import type { TurnInput } from '#libs/contracts';
import { type KnownTargets, linksIn, type SanitizedReply, sanitizeReply, type SanitizerReport } from '#libs/sanitizer';
import type { ModelMessage } from '../model/model.js';

/** Changes that take nothing away from what a person reads. */
const unseen: readonly string[] = ['nfc', 'line_ends'];
/** Shorter texts have no link that is long. */
const mayHoldLongLink = /\S{256}/;

/**
 * Makes what the model wrote into what may go out. Images are shown from hosts that the agent's Skills bind, and as the
 * message itself links them: its text may be a stranger's, who would have another address of that host hold data.
 */
export class ReplyCleaner {
  private readonly namedLinks: ReadonlySet<string>;

  constructor(
    private readonly allowedHosts: readonly string[],
    input: TurnInput,
  ) {
    this.namedLinks = new Set([...(input.earlier ?? []), input.message].flatMap((each) => linksIn(each.message)));
  }

  /** @param read what the model was shown in the turn */
  clean(text: string, read: readonly ModelMessage[]): SanitizedReply {
    const { allowedHosts, namedLinks } = this;
    const readLinks = mayHoldLongLink.test(text) ? new Set(read.flatMap(linksOf)) : new Set<string>();
    const known: KnownTargets = { allowedHosts, namedLinks, readLinks };
    return sanitizeReply(text, known);
  }
}

/** Its own words are not among what a model has read. */
function linksOf(message: ModelMessage): string[] {
  if (message.role === 'assistant') return [];
  return linksIn(message.role === 'tool' ? (JSON.stringify(message.result) ?? '') : message.content);
}

/** What was taken away, by rule; null when nothing was that anybody would have seen. */
export function takenAway({ counts, settled }: SanitizerReport): Record<string, number> | null {
  if (!settled) return { withheld: 1 };
  const taken = Object.entries(counts).filter(([rule]) => !unseen.includes(rule));
  return taken.length === 0 ? null : Object.fromEntries(taken);
}
